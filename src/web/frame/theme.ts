import { type Theme, usePreferences } from '../data/preferences.ts';
import { isMedium, watchMedium } from '../ui/media.ts';

/** Keeps the page in the chosen theme, and in the system's if that is the choice. */
export function keepTheme(): () => void {
  const apply = (): void => {
    document.documentElement.dataset.theme = resolve(usePreferences.getState().theme);
  };
  apply();
  const stops = [watchMedium('dark', apply), usePreferences.subscribe(apply)];
  return () => {
    for (const stop of stops) stop();
  };
}

const resolve = (theme: Theme): 'light' | 'dark' =>
  theme === 'system' ? (isMedium('dark') ? 'dark' : 'light') : theme;
