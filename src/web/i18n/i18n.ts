import { create } from 'zustand';
import { type Language, languages, setPreferences, usePreferences } from '../data/preferences.ts';
import { en } from './en.ts';
import type { MessageKey, Messages, Values } from './messages.ts';
import { say } from './say.logic.ts';

export type { MessageKey } from './messages.ts';

interface Words {
  readonly messages: Messages;
  /** What the server's refusals are called, by their code, where its own words will not do. */
  readonly refusals: Readonly<Partial<Record<string, string>>>;
}

interface Spoken extends Words {
  readonly language: Language;
}

/** English is in the first load; others are fetched when they are spoken. */
const load: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => ({ messages: en, refusals: {} }),
  de: async () => {
    const { de, refusals } = await import('./de.ts');
    return { messages: de, refusals };
  },
};

/** Puts in what is said by parts that are fetched later, before one of them is drawn. */
export async function speakOfAll(): Promise<void> {
  Object.assign(en, (await import('./en-later.ts')).later);
}

const useSpoken = create<Spoken>(() => ({ language: 'en', messages: en, refusals: {} }));

export interface Translate {
  (key: MessageKey, values?: Values): string;
  readonly language: Language;
  readonly refusals: Words['refusals'];
}

const spoken = new Map<Messages, Translate>();

/** The page's words in the person's language. The same function as long as the language is the same. */
export const useT = (): Translate => translateOf(useSpoken());

/** For what is no part of the tree: the tab's title, announcements. */
export const translate = (): Translate => translateOf(useSpoken.getState());

/** Speaks the language that was chosen, or the browser's, and says so to assistive technology. */
export async function speak(language: Language = preferredLanguage()): Promise<void> {
  useSpoken.setState({ language, ...(await load[language]()) });
  document.documentElement.lang = language;
}

export async function chooseLanguage(language: Language): Promise<void> {
  setPreferences({ language });
  await speak(language);
}

function preferredLanguage(): Language {
  const chosen = usePreferences.getState().language;
  if (chosen !== undefined) return chosen;
  const known = navigator.languages.map((tag) => languages.find((language) => tag.startsWith(language)));
  return known.find((language) => language !== undefined) ?? 'en';
}

function translateOf({ language, messages, refusals }: Spoken): Translate {
  const known = spoken.get(messages);
  if (known !== undefined) return known;
  const t: Translate = Object.assign(
    (key: MessageKey, values: Values = {}) => say(messages, language, key, values),
    { language, refusals },
  );
  spoken.set(messages, t);
  return t;
}
