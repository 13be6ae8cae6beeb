import { type Theme, usePreferences } from '../data/preferences.ts';

const prefersDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');

/** Keeps the page in the chosen theme, and in the system's if that is the choice. */
export function keepTheme(): () => void {
  const system = prefersDark();
  const apply = (): void => {
    document.documentElement.dataset.theme = resolve(usePreferences.getState().theme, system.matches);
  };
  apply();
  system.addEventListener('change', apply);
  const stop = usePreferences.subscribe(apply);
  return () => {
    system.removeEventListener('change', apply);
    stop();
  };
}

const resolve = (theme: Theme, isSystemDark: boolean): 'light' | 'dark' =>
  theme === 'system' ? (isSystemDark ? 'dark' : 'light') : theme;
