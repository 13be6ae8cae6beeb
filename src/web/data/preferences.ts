import { create } from 'zustand';
import { readStored, writeStored } from './stored.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

export interface LastUsed {
  readonly agent?: string;
  readonly cwd?: string;
  /** By the names of agents. */
  readonly choices?: Readonly<Record<string, AgentChoices>>;
}

export interface AgentChoices {
  readonly permissionMode?: string;
  readonly model?: string;
  readonly thinking?: string;
}

/** How this browser likes it. */
export interface Preferences {
  readonly theme: Theme;
  /** Undefined means the browser's own. */
  readonly language?: Language;
  /** Whether this page can be asked to answer. */
  readonly interaction: 'enabled' | 'disabled';
  readonly isListOpen: boolean;
  /** Whether a session's details stand beside it, where there is room. */
  readonly isDetailsOpen: boolean;
  /** Whether changes are told line by line or side by side. */
  readonly diffLayout: 'unified' | 'split';
  readonly lastUsed: LastUsed;
  /** What files are opened in: the name of a known editor, or an address with a place for the path. */
  readonly editor?: string | undefined;
}

const defaults: Preferences = {
  theme: 'system',
  interaction: 'enabled',
  isListOpen: true,
  isDetailsOpen: true,
  diffLayout: 'unified',
  lastUsed: {},
};

export const usePreferences = create<Preferences>(() => ({ ...defaults, ...stored() }));

export function setPreferences(changes: Partial<Preferences>): void {
  usePreferences.setState(changes);
  writeStored('preferences', JSON.stringify(usePreferences.getState()));
}

function stored(): Partial<Preferences> {
  try {
    const value: unknown = JSON.parse(readStored('preferences') ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
