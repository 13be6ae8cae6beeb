import { AskRecords, insightsOf } from '../../model/insights.ts';
import { accept, refuse } from '../../protocol/errors.ts';
import { publicSuffixes } from '../public-suffix.ts';
import type { Handlers } from './room.ts';

/** So many positions of the log are read at once: some milliseconds, after which others have their turn. */
const AT_ONCE = 1000;
const DAYS = 30;
const DAY_MS = 86_400_000;

export const insightHandlers = {
  async readInsights({ log, registry, clock }, { days = DAYS, project, timeZone = 'UTC' }) {
    if (!isTimeZone(timeZone))
      return refuse('invalid_value', 'This is no time zone; one is Europe/Berlin.', { field: 'timeZone' });
    const records = new AskRecords(await publicSuffixes());
    const projects = new Map<string, string>();
    const now = clock.now();
    // A day more than asked for: where it is tomorrow already, or still yesterday.
    const from = new Date(Date.parse(now) - (days + 1) * DAY_MS).toISOString();
    for (let to = log.lastPosition; to > 0; to -= AT_ONCE) {
      const { events, latest } = log.interactionEvents({ from: Math.max(1, to - AT_ONCE + 1), to });
      for (const { stream, event } of events.toReversed()) {
        const place = projects.get(stream) ?? registry.view(stream)?.cwd ?? '';
        projects.set(stream, place);
        records.take(event, place);
      }
      // Nothing at all in what was just read is young enough: what lies before it is older still.
      if (latest !== undefined && latest < from) break;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return accept({ status: 200, body: insightsOf(records.all, { days, now, timeZone, project }) });
  },
} satisfies Partial<Handlers>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
