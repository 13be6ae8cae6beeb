import type { Event, EventOf } from '../protocol/event.ts';
import type { InteractionId } from '../protocol/ids.ts';
import type { AskedMost, DecidedBy, Insights, Waits } from '../protocol/insights.ts';
import type { Actor, Ask, InteractionKind, Outcome } from '../protocol/interaction.ts';
import { type IsPublicSuffix, offersFor } from './grant-advice.ts';
import { subjectOf } from './grants.ts';
import type { InteractionEvent } from './interaction-fold.ts';
import { whoOf } from './who.ts';

/** One ask, in the few words that figures are made of. */
export interface AskRecord {
  readonly at: string;
  readonly project: string;
  readonly kind: InteractionKind;
  readonly toolName: string;
  readonly pattern: string;
  /** Null while it waits. */
  readonly end: AskEnd | null;
}

export interface AskEnd {
  /** When the agent no longer waited for it. */
  readonly at: string;
  readonly by: Actor;
  readonly outcome: Outcome;
}

const kinds: readonly InteractionKind[] = ['approval', 'question', 'form'];
const mostAsked = 20;
const longestPattern = 200;

/** Makes records of a log that is read from its end backwards: how an ask ended is known before the ask. */
export class AskRecords {
  readonly all: AskRecord[] = [];
  readonly #ends = new Map<InteractionId, AskEnd>();
  readonly #leftOpenAt = new Map<InteractionId, string>();
  readonly #isPublicSuffix: IsPublicSuffix;

  constructor(isPublicSuffix: IsPublicSuffix) {
    this.#isPublicSuffix = isPublicSuffix;
  }

  take(event: InteractionEvent, project: string): void {
    const { interactionId } = event;
    switch (event.type) {
      // Read backwards, the decision comes last: its moment counts, not that of its delivery.
      case 'interaction.resolved':
      case 'interaction.decided':
        this.#ends.set(interactionId, endOf(event));
        break;
      case 'interaction.left-open':
        this.#leftOpenAt.set(interactionId, event.at);
        break;
      case 'interaction.requested':
        this.all.push(this.#recordOf(event, project));
        this.#ends.delete(interactionId);
        this.#leftOpenAt.delete(interactionId);
        break;
      default:
    }
  }

  #recordOf({ at, ask, interactionId }: EventOf<'interaction.requested'>, project: string): AskRecord {
    const end = this.#ends.get(interactionId) ?? null;
    const leftAt = this.#leftOpenAt.get(interactionId);
    return {
      at,
      project,
      kind: ask.kind,
      toolName: ask.tool?.name ?? ask.toolName,
      pattern: ask.kind === 'approval' ? this.#patternOf(ask) : '',
      end: end !== null && leftAt !== undefined && leftAt < end.at ? { ...end, at: leftAt } : end,
    };
  }

  #patternOf(ask: Ask): string {
    const subject = subjectOf(ask);
    return (offersFor(subject, this.#isPublicSuffix).at(-1) ?? subject.value).slice(0, longestPattern);
  }
}

const endOf = ({ at, by, outcome }: Extract<Event, { outcome: Outcome; by: Actor }>): AskEnd => ({
  at,
  by,
  outcome,
});

export interface InsightsQuery {
  readonly days: number;
  readonly now: string;
  readonly timeZone: string;
  readonly project?: string | undefined;
}

/** The figures of some days. A day and an hour are those of the time zone. */
export function insightsOf(records: readonly AskRecord[], query: InsightsQuery): Insights {
  const placeOf = localTime(query.timeZone);
  const days = lastDays(query, placeOf);
  const [from = '', to = ''] = [days[0], days.at(-1)];
  const within = records.flatMap((record) => {
    const { day, hour } = placeOf(record.at);
    // What a clock that was ahead has dated later is of today.
    const isLater = day > to;
    return day < from ? [] : [{ ...record, hour, day: isLater ? to : day }];
  });
  const meant = within.filter(({ project }) => query.project === undefined || project === query.project);
  const waited = meant.flatMap(({ end, at, kind, hour, day }) =>
    end === null || !isPersons(end) ? [] : [{ kind, hour, day, ms: lengthOf(at, end.at) }],
  );
  const lengthsBy = <Key>(keyOf: (each: (typeof waited)[number]) => Key): ((key: Key) => Waits) => {
    const groups = Map.groupBy(waited, keyOf);
    return (key) => figuresOf((groups.get(key) ?? []).map(({ ms }) => ms));
  };
  const [ofKind, ofHour, ofDay] = [
    lengthsBy(({ kind }) => kind),
    lengthsBy(({ hour }) => hour),
    lengthsBy(({ day }) => day),
  ];
  const askedOn = countBy(meant.map(({ day }) => day));
  return {
    from,
    to,
    timeZone: query.timeZone,
    asked: meant.length,
    open: meant.filter(({ end }) => end === null).length,
    waits: figuresOf(waited.map(({ ms }) => ms)),
    byKind: kinds.map((kind) => ({ kind, ...ofKind(kind) })),
    byHour: Array.from({ length: 24 }, (_, hour) => ({ hour, ...ofHour(hour) })),
    byDay: days.map((day) => ({ day, asked: askedOn.get(day) ?? 0, ...ofDay(day) })),
    askedMost: mostOf(meant),
    decidedBy: decidersOf(meant),
    projects: [...new Set(within.map(({ project }) => project))].sort(),
  };
}

/** A grant answers in the same breath: nobody was asked, and nothing waited. */
const isPersons = ({ by: { kind } }: AskEnd): boolean =>
  kind === 'person' || kind === 'timer' || kind === 'agent' || kind === 'server';

/** A clock that was set back made no time. */
const lengthOf = (from: string, to: string): number => Math.max(0, Date.parse(to) - Date.parse(from));

function figuresOf(lengths: number[]): Waits {
  lengths.sort((a, b) => a - b);
  return {
    count: lengths.length,
    medianMs: quantile(lengths, 0.5),
    p90Ms: quantile(lengths, 0.9),
    totalMs: lengths.reduce((sum, each) => sum + each, 0),
  };
}

/** The smallest that so large a part of them does not exceed. */
const quantile = (sorted: readonly number[], part: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;

const countBy = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

function mostOf(records: readonly AskRecord[]): AskedMost[] {
  const found = new Map<string, AskedMost>();
  for (const { kind, toolName, pattern, end } of records) {
    if (kind !== 'approval') continue;
    const key = `${toolName}\0${pattern}`;
    const one = found.get(key) ?? { toolName, pattern, count: 0, allowed: 0, denied: 0, byItself: 0 };
    found.set(key, {
      ...one,
      count: one.count + 1,
      allowed: one.allowed + Number(end?.outcome === 'allowed'),
      denied: one.denied + Number(end?.outcome === 'denied'),
      byItself: one.byItself + Number(end !== null && !isPersons(end)),
    });
  }
  return [...found.values()].sort((a, b) => b.count - a.count).slice(0, mostAsked);
}

function decidersOf(records: readonly AskRecord[]): DecidedBy[] {
  const found = new Map<string, DecidedBy>();
  for (const { end } of records) {
    if (end === null) continue;
    const who = whoOf(end.by);
    const name = 'name' in who ? who.name : undefined;
    const key = `${who.is}\0${name ?? ''}`;
    const count = (found.get(key)?.count ?? 0) + 1;
    found.set(key, { who: who.is, ...(name !== undefined && { name }), count });
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

type LocalTime = (at: string) => { readonly day: string; readonly hour: number };

/** Clocks differ by quarters of an hour: it is worked out once for each of them. */
function localTime(timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  });
  const known = new Map<string, ReturnType<LocalTime>>();
  return (at) => {
    const quarter = at.slice(0, 14) + Math.floor(Number(at.slice(14, 16)) / 15);
    const found = known.get(quarter);
    if (found !== undefined) return found;
    const parts = Object.fromEntries(
      format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]),
    );
    const local = { day: `${parts.year}-${parts.month}-${parts.day}`, hour: Number(parts.hour) };
    known.set(quarter, local);
    return local;
  };
}

/** So many days with the present one, the oldest first. */
function lastDays({ days, now }: InsightsQuery, placeOf: LocalTime): string[] {
  const today = Date.parse(placeOf(now).day);
  return Array.from({ length: days }, (_, at) =>
    new Date(today - (days - 1 - at) * 86_400_000).toISOString().slice(0, 10),
  );
}
