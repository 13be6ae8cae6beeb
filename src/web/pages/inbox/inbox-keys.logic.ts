export type InboxCommand =
  | 'next'
  | 'previous'
  | 'allow'
  | 'allow-session'
  | 'deny'
  | 'edit'
  | 'select'
  | 'batch'
  | 'open';

export interface InboxPress {
  readonly key: string;
  readonly hasModifier: boolean;
  readonly isRepeat: boolean;
  /** What has the focus: a text field takes every key, a button or link its own Enter. */
  readonly focus: 'text' | 'control' | 'else';
  readonly at: number;
}

const commands: Readonly<Record<string, InboxCommand>> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  a: 'allow',
  s: 'allow-session',
  d: 'deny',
  e: 'edit',
  x: 'select',
  A: 'batch',
  Enter: 'open',
};

const sequenceMs = 1000;

/** Reads the keys of the inbox. A key that is held down only moves, and the one after g belongs to that. */
export function inboxKeyReader(): (press: InboxPress) => InboxCommand | undefined {
  let wentAt = Number.NEGATIVE_INFINITY;
  return ({ key, hasModifier, isRepeat, focus, at }) => {
    if (hasModifier || focus === 'text') return undefined;
    const isSecond = at - wentAt < sequenceMs;
    wentAt = key === 'g' && !isSecond ? at : Number.NEGATIVE_INFINITY;
    const command = Object.hasOwn(commands, key) ? commands[key] : undefined;
    if (command === undefined || isSecond) return undefined;
    if (isRepeat && command !== 'next' && command !== 'previous') return undefined;
    // Arrows choose between radio buttons, and Enter presses what has the focus.
    if (focus === 'control' && (key === 'Enter' || key.startsWith('Arrow'))) return undefined;
    return command;
  };
}
