export type KeyCommand =
  | 'go-control'
  | 'go-board'
  | 'go-inbox'
  | 'palette'
  | 'help'
  | 'new-session'
  | 'toggle-list';

export interface KeyPress {
  readonly key: string;
  readonly isMod: boolean;
  readonly isAlt: boolean;
  /** Whether a text field has the focus. */
  readonly isTyping: boolean;
  readonly at: number;
}

const goes: Readonly<Record<string, KeyCommand>> = { c: 'go-control', b: 'go-board', i: 'go-inbox' };
const singles: Readonly<Record<string, KeyCommand>> = { '?': 'help', n: 'new-session', '[': 'toggle-list' };
const sequenceMs = 1000;

/** Reads single keys and the sequences that begin with g. */
export function keyReader(): (press: KeyPress) => KeyCommand | undefined {
  let wentAt = Number.NEGATIVE_INFINITY;
  return ({ key, isMod, isAlt, isTyping, at }) => {
    if (isMod && !isAlt && key.toLowerCase() === 'k') return 'palette';
    if (isMod || isAlt || isTyping) return undefined;
    const isSecond = at - wentAt < sequenceMs;
    wentAt = key === 'g' && !isSecond ? at : Number.NEGATIVE_INFINITY;
    if (isSecond) return Object.hasOwn(goes, key) ? goes[key] : undefined;
    return Object.hasOwn(singles, key) ? singles[key] : undefined;
  };
}
