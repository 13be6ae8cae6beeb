const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long, in the one unit that matters: "12 s", "4 min", "3 h", "2 d". The units are the same in every language here. */
export function shortDuration(milliseconds: number): string {
  const length = Math.max(0, milliseconds);
  if (length < minute) return `${Math.floor(length / second)} s`;
  if (length < hour) return `${Math.floor(length / minute)} min`;
  if (length < day) return `${Math.floor(length / hour)} h`;
  return `${Math.floor(length / day)} d`;
}

/** How long something took: "0.4 s", in German "0,4 s", "12 s", "4 min 12 s". */
export function exactDuration(milliseconds: number, language: string): string {
  if (milliseconds < 10 * second) {
    const tenths = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
    return `${(milliseconds / second).toLocaleString(language, tenths)} s`;
  }
  if (milliseconds < minute) return `${Math.round(milliseconds / second)} s`;
  if (milliseconds >= hour)
    return `${Math.floor(milliseconds / hour)} h ${Math.floor((milliseconds % hour) / minute)} min`;
  return `${Math.floor(milliseconds / minute)} min ${Math.floor((milliseconds % minute) / second)} s`;
}

/** "4 minutes ago", "vor 4 Minuten"; what is only seconds old is "now". */
export function agoText(language: string, milliseconds: number): string {
  const ago = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const length = Math.max(0, milliseconds);
  if (length < minute) return ago.format(0, 'second');
  if (length < hour) return ago.format(-Math.floor(length / minute), 'minute');
  if (length < day) return ago.format(-Math.floor(length / hour), 'hour');
  return ago.format(-Math.floor(length / day), 'day');
}
