/** The keys with which what is open is worked through, on the page and in the terminal; the first of each is shown. */
export const inboxKeys = {
  next: ['j', 'ArrowDown'],
  previous: ['k', 'ArrowUp'],
  allow: ['a'],
  'allow-session': ['s'],
  deny: ['d'],
  edit: ['e'],
  select: ['x'],
  batch: ['Shift+A'],
  open: ['Enter'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type InboxKey = keyof typeof inboxKeys;
