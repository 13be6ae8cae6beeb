import { inboxKeys } from '../../model/inbox-keys.ts';
import type { MessageKey } from '../i18n/i18n.ts';

interface Key {
  /** Any of these; `Mod` is ⌘ on a Mac and Ctrl elsewhere, `g c` is one after the other. The first one is shown. */
  readonly keys: readonly string[];
  readonly does: MessageKey;
  /** The same in a word or two, where there is little room. */
  readonly short?: MessageKey;
  /** Held down, it is pressed again and again. */
  readonly repeats?: true;
  /** Also while someone types. */
  readonly inText?: true;
}

/** Every key that the page listens to, by where it does. Handlers, the list of keys and the hints at buttons are made from it. */
export const keyTable = {
  everywhere: {
    palette: { keys: ['Mod+K'], does: 'help.palette', inText: true },
    'go-control': { keys: ['g c'], does: 'help.control' },
    'go-board': { keys: ['g b'], does: 'help.board' },
    'go-inbox': { keys: ['g i'], does: 'help.inbox' },
    'new-session': { keys: ['n'], does: 'help.new' },
    'toggle-list': { keys: ['['], does: 'help.list' },
    help: { keys: ['?'], does: 'help.help', short: 'inbox.key.help' },
  },
  control: {
    left: { keys: ['ArrowLeft', 'k'], does: 'help.move', repeats: true },
    right: { keys: ['ArrowRight', 'j'], does: 'help.move', repeats: true },
    up: { keys: ['ArrowUp'], does: 'help.move', repeats: true },
    down: { keys: ['ArrowDown'], does: 'help.move', repeats: true },
    open: { keys: ['Enter'], does: 'help.open' },
    message: { keys: ['m'], does: 'help.message' },
  },
  board: {
    left: { keys: ['ArrowLeft', 'h'], does: 'help.boardMove', repeats: true },
    right: { keys: ['ArrowRight', 'l'], does: 'help.boardMove', repeats: true },
    up: { keys: ['ArrowUp', 'k'], does: 'help.boardMove', repeats: true },
    down: { keys: ['ArrowDown', 'j'], does: 'help.boardMove', repeats: true },
  },
  inbox: {
    next: { keys: inboxKeys.next, does: 'help.inboxMove', short: 'inbox.key.move', repeats: true },
    previous: { keys: inboxKeys.previous, does: 'help.inboxMove', short: 'inbox.key.move', repeats: true },
    allow: { keys: inboxKeys.allow, does: 'ask.allow' },
    'allow-session': {
      keys: inboxKeys['allow-session'],
      does: 'ask.allowSession',
      short: 'inbox.key.session',
    },
    deny: { keys: inboxKeys.deny, does: 'help.inboxDeny', short: 'ask.deny' },
    edit: { keys: inboxKeys.edit, does: 'help.inboxEdit', short: 'ask.edit.open' },
    select: { keys: inboxKeys.select, does: 'help.inboxSelect', short: 'inbox.key.select' },
    batch: { keys: inboxKeys.batch, does: 'help.inboxBatch', short: 'inbox.key.batch' },
    open: { keys: inboxKeys.open, does: 'help.open', short: 'inbox.key.open' },
  },
  session: {
    latest: { keys: ['End'], does: 'help.latest' },
    tools: { keys: ['t'], does: 'help.tools' },
    'message-before': { keys: ['Alt+ArrowUp'], does: 'help.ownMessages', repeats: true },
    'message-after': { keys: ['Alt+ArrowDown'], does: 'help.ownMessages', repeats: true },
    write: { keys: ['m'], does: 'help.message' },
    changes: { keys: ['c'], does: 'help.changesOpen' },
  },
  changes: {
    'next-file': { keys: ['j'], does: 'help.changesFile', repeats: true },
    'previous-file': { keys: ['k'], does: 'help.changesFile', repeats: true },
    'next-change': { keys: ['n'], does: 'help.changesChange', repeats: true },
    'previous-change': { keys: ['p'], does: 'help.changesChange', repeats: true },
    seen: { keys: ['v'], does: 'help.changesSeen' },
    layout: { keys: ['u'], does: 'help.changesLayout' },
    find: { keys: ['/'], does: 'help.changesFind' },
    leave: { keys: ['Escape'], does: 'help.changesLeave' },
  },
  lines: {
    next: { keys: ['ArrowDown', 'Shift+ArrowDown'], does: 'help.linesMove', repeats: true },
    previous: { keys: ['ArrowUp', 'Shift+ArrowUp'], does: 'help.linesMove', repeats: true },
    wider: { keys: ['ArrowLeft'], does: 'help.linesWidth', repeats: true },
    narrower: { keys: ['ArrowRight'], does: 'help.linesWidth', repeats: true },
  },
  composer: {
    send: { keys: ['Enter'], does: 'help.send' },
    break: { keys: ['Shift+Enter'], does: 'help.break' },
    'send-otherwise': { keys: ['Mod+Enter'], does: 'help.interrupt' },
    'edit-last': { keys: ['ArrowUp'], does: 'help.editLast' },
    'undo-paste': { keys: ['Mod+Z'], does: 'help.undoPaste' },
  },
  queue: {
    up: { keys: ['Alt+ArrowUp'], does: 'help.queueMove', repeats: true },
    down: { keys: ['Alt+ArrowDown'], does: 'help.queueMove', repeats: true },
    edit: { keys: ['Enter', 'e'], does: 'help.queueEdit' },
    remove: { keys: ['Delete', 'Backspace'], does: 'help.queueRemove' },
  },
  list: {
    next: { keys: ['ArrowDown'], does: 'help.listMove', repeats: true },
    previous: { keys: ['ArrowUp'], does: 'help.listMove', repeats: true },
    'page-down': { keys: ['PageDown'], does: 'help.listPage', repeats: true },
    'page-up': { keys: ['PageUp'], does: 'help.listPage', repeats: true },
    first: { keys: ['Home'], does: 'help.listEnds' },
    last: { keys: ['End'], does: 'help.listEnds' },
    take: { keys: ['Enter'], does: 'help.listTake' },
    complete: { keys: ['Tab'], does: 'help.listComplete' },
  },
  field: {
    send: { keys: ['Enter'], does: 'help.fieldSend' },
    submit: { keys: ['Mod+Enter'], does: 'help.fieldSubmit' },
    leave: { keys: ['Escape'], does: 'help.fieldLeave' },
  },
} as const satisfies Record<string, Readonly<Record<string, Key>>>;

export type KeyScope = keyof typeof keyTable;
export type KeyIn<Scope extends KeyScope> = keyof (typeof keyTable)[Scope] & string;
/** A row of the table: its scope, a dot, and what it is called there. */
export type KeyName = { [Scope in KeyScope]: `${Scope}.${KeyIn<Scope>}` }[KeyScope];

/** What is read of an event, of the browser or of React. */
export interface Press
  extends Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'repeat'> {
  getModifierState?(key: 'AltGraph'): boolean;
}

const rows = new Map<string, Key>(
  Object.entries(keyTable).flatMap(([scope, own]) =>
    Object.entries<Key>(own).map(([name, key]) => [`${scope}.${name}`, key] as const),
  ),
);

const keyOf = (name: KeyName): Key => rows.get(name) ?? { keys: [], does: 'help.title' };

/** Whether this key is pressed. */
export const isKey = (name: KeyName, press: Press): boolean =>
  keyOf(name).keys.some((each) => isPressed(each, press));

/** Which key of the scope is pressed, if any. Sequences are read by a `keyReader`. */
export function keyIn<Scope extends KeyScope>(scope: Scope, press: Press): KeyIn<Scope> | undefined {
  for (const [name, { keys }] of Object.entries<Key>(keyTable[scope]))
    if (keys.some((each) => isPressed(each, press))) return name as KeyIn<Scope>;
  return undefined;
}

function isPressed(wanted: string, press: Press): boolean {
  const parts = wanted.split('+');
  const key = parts.at(-1) ?? '';
  const isCharacter = key.length === 1;
  // On many keyboards AltGr, which tells of itself as Ctrl and Alt, is needed to type a character at all.
  const isTyped = isCharacter && press.getModifierState?.('AltGraph') === true;
  const isMod = !isTyped && (press.ctrlKey || press.metaKey);
  if (parts.includes('Mod') !== isMod || parts.includes('Alt') !== (!isTyped && press.altKey)) return false;
  // Shift is part of what a character is.
  if (!isCharacter && parts.includes('Shift') !== press.shiftKey) return false;
  return isMod ? press.key.toLowerCase() === key.toLowerCase() : press.key === key;
}

/** As long as the second key of a sequence is waited for. */
const sequenceMs = 1000;

/** Reads the keys of a scope. The key after one that begins a sequence belongs to that, also where it means something else. */
export function keyReader<Scope extends KeyScope>(
  scope: Scope,
): (press: Press & { readonly timeStamp: number }, isTyping: boolean) => KeyIn<Scope> | undefined {
  let begunAt = Number.NEGATIVE_INFINITY;
  let begun = '';
  return (press, isTyping) => {
    const isSecond = press.timeStamp - begunAt < sequenceMs;
    const isPlain = !isTyping && !press.ctrlKey && !press.metaKey && !press.altKey;
    begunAt = isPlain && !isSecond && beginnings.has(press.key) ? press.timeStamp : Number.NEGATIVE_INFINITY;
    if (isSecond && isPlain) {
      const sequence = `${begun} ${press.key}`;
      for (const [name, { keys }] of Object.entries<Key>(keyTable[scope]))
        if (keys.includes(sequence)) return name as KeyIn<Scope>;
      return undefined;
    }
    begun = press.key;
    const name = keyIn(scope, press);
    if (name === undefined) return undefined;
    const { inText = false, repeats = false } = keyOf(`${scope}.${name}` as KeyName);
    return (isTyping && !inText) || (press.repeat && !repeats) ? undefined : name;
  };
}

const beginnings: ReadonlySet<string> = new Set(
  [...rows.values()].flatMap(({ keys }) =>
    keys.filter((each) => each.includes(' ')).map((each) => each[0] ?? ''),
  ),
);

/** Keys that move between the parts of a control, or press it, where it has the focus. */
export const isForControl = ({ key, altKey }: Press): boolean =>
  !altKey && (key === 'Enter' || key.startsWith('Arrow'));

/** Keys that end typing by themselves. */
export const endsTyping = ({ key }: Press): boolean => key === 'Enter' || key === 'Escape' || key === 'Tab';

/** Whether something begins with this press: with a modifier held, it began when that went down. */
export const isBeginning = ({ key, ctrlKey, metaKey }: Press): boolean =>
  !(ctrlKey || metaKey) || key === 'Control' || key === 'Meta';

/** What the key writes, if anything. */
export const characterOf = ({ key, ctrlKey, metaKey }: Press): string | undefined =>
  key.length === 1 && !ctrlKey && !metaKey ? key : undefined;

const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');
const signs: Readonly<Record<string, string>> = {
  ...(isMac ? { Mod: '⌘', Shift: '⇧', Alt: '⌥' } : { Mod: 'Ctrl' }),
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** What stands on the keys, one after the other. */
export const shownKeys = (name: KeyName): readonly string[] =>
  (keyOf(name).keys[0] ?? '').split(' ').map((each) =>
    each
      .split('+')
      .map((part) => signs[part] ?? part)
      .join(isMac ? '' : '+'),
  );

/** For assistive technology, which knows no sequences. */
export const spokenKeys = (name: KeyName | undefined): string | undefined =>
  name === undefined || keyOf(name).keys.some((each) => each.includes(' '))
    ? undefined
    : keyOf(name)
        .keys.map((each) => each.replace('Mod', isMac ? 'Meta' : 'Control'))
        .join(' ');

export interface KeyRow {
  readonly does: MessageKey;
  readonly short: MessageKey;
  readonly names: readonly KeyName[];
}

/** What can be pressed in a scope; keys that do the same in several directions are one row. */
export function keyRows(scope: KeyScope): readonly KeyRow[] {
  const found = new Map<MessageKey, KeyRow & { readonly names: KeyName[] }>();
  for (const [name, { does, short = does }] of Object.entries<Key>(keyTable[scope])) {
    const row = found.get(does) ?? { does, short, names: [] };
    row.names.push(`${scope}.${name}` as KeyName);
    found.set(does, row);
  }
  return [...found.values()];
}
