/** Hours of the day in which people are not told, in the time zone they live in. */
export interface QuietHours {
  /** `22:00`; what begins later than it ends goes over midnight. */
  readonly from: string;
  readonly to: string;
  /** `Europe/Berlin`; that of the machine unless told. */
  readonly timeZone?: string | undefined;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/** How long they still last at this moment (milliseconds since 1970); 0 outside of them. A clock that is put forward that night ends them sooner. */
export function quietFor(hours: QuietHours, now: number): number {
  const from = minutesOf(hours.from);
  const to = minutesOf(hours.to);
  const clock = clockIn(hours.timeZone);
  const isQuiet = (moment: number): boolean => {
    const minute = minutesOf(clock.format(moment));
    return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
  };
  if (from === to || !isQuiet(now)) return 0;
  const thisMinute = Math.floor(now / minuteMs) * minuteMs;
  for (let later = 1; later <= dayMinutes + 120; later += 1) {
    const moment = thisMinute + later * minuteMs;
    if (!isQuiet(moment)) return moment - now;
  }
  return 0;
}

/** Whether there is such a zone; the names of zones are the system's. */
export function isTimeZone(name: string): boolean {
  try {
    return clockIn(name).format(0) !== '';
  } catch {
    return false;
  }
}

const clocks = new Map<string | undefined, Intl.DateTimeFormat>();

function clockIn(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(timeZone !== undefined && { timeZone }),
  });
  clocks.set(timeZone, clock);
  return clock;
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * 60 + minutes;
}
