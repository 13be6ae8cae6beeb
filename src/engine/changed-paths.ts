import type { SessionState, TurnRecordings } from '../model/state.ts';
import type { ChangedFile } from '../protocol/changes.ts';
import type { Result } from '../protocol/errors.ts';
import type { Machines } from './machines.ts';
import { workPlaceOf } from './turn-recorder.ts';

export interface ChangedPathsOptions {
  readonly machines: Machines;
  readonly roots: readonly string[];
}

/** Two recordings. */
interface Span {
  readonly before: string;
  readonly after: string;
}

/** So many names are remembered in all. */
const MOST_NAMES = 200_000;
const MOST_ASKED = 1000;

/** The names of what changed between recordings. They never change again, so each pair is asked for once. */
export class ChangedPaths {
  readonly #options: ChangedPathsOptions;
  /** The one used longest ago first; null where one of its recordings is no longer kept. */
  readonly #known = new Map<string, ReadonlySet<string> | null>();
  #names = 0;

  constructor(options: ChangedPathsOptions) {
    this.#options = options;
  }

  /** Undefined where it was not asked for. */
  known({ before, after }: Span): ReadonlySet<string> | null | undefined {
    return before === after ? nothing : this.#known.get(keyOf({ before, after }));
  }

  /** Of these files, what changed only outside of the session's turns, and what in its turns and outside of them. */
  async sortOut(
    state: SessionState,
    files: readonly ChangedFile[],
    ends: Span,
  ): Promise<Result<{ readonly between: string[]; readonly both: string[] }>> {
    const [inside, outside] = [turnsOf(state, ends.after), gapsOf(state, ends)];
    const learnt = await this.#learn(state, [...inside, ...outside]);
    if (!learnt.ok) return learnt;
    const isIn = (spans: readonly Span[]) => (file: ChangedFile) =>
      spans.some((span) => {
        const names = this.known(span);
        return names?.has(file.path) || (file.movedFrom !== undefined && names?.has(file.movedFrom));
      });
    const outer = files.filter(isIn(outside));
    const isInside = isIn(inside);
    const both = outer.filter(isInside).map(({ path }) => path);
    const between = outer.filter((file) => !isInside(file)).map(({ path }) => path);
    return { ok: true, value: { between, both } };
  }

  async #learn(state: SessionState, spans: readonly Span[]): Promise<Result<unknown>> {
    const unknown = new Map(
      spans.filter((span) => this.known(span) === undefined).map((span) => [keyOf(span), span]),
    );
    const asked = [...unknown.values()].slice(-MOST_ASKED);
    if (asked.length === 0) return { ok: true, value: undefined };
    const place = workPlaceOf(state, this.#options.roots);
    const told = await this.#options.machines.ask(state.machine, (runner) =>
      runner.workspace('changedPaths', { place, spans: asked }),
    );
    if (!told.ok) return told;
    for (const [index, span] of asked.entries()) this.#keep(keyOf(span), told.value[index] ?? null);
    return told;
  }

  #keep(key: string, names: readonly string[] | null): void {
    this.#known.set(key, names && new Set(names));
    this.#names += 1 + (names?.length ?? 0);
    for (const [oldest, held] of this.#known) {
      if (this.#names <= MOST_NAMES || oldest === key) return;
      this.#known.delete(oldest);
      this.#names -= 1 + (held?.size ?? 0);
    }
  }
}

const nothing: ReadonlySet<string> = new Set();
const keyOf = ({ before, after }: Span): string => `${before} ${after}`;

/** What lies between the two recordings of each turn; of one that runs, up to now. */
const turnsOf = ({ recordings, turn }: SessionState, now: string): Span[] =>
  recordings.flatMap(({ turnId, start, end }) => {
    const after = turnId === turn?.id ? now : end;
    return start === null || after === null ? [] : [{ before: start, after }];
  });

/** What lies before the first turn, between two that follow each other, and after the last. */
function gapsOf({ recordings, firstRecording, turn }: SessionState, { before, after }: Span): Span[] {
  const gaps: Span[] = [];
  // Of a session with more turns than are listed, the first ones lie in between, too.
  const isAll = recordings.length === 0 || recordings[0]?.start === firstRecording;
  let last: Pick<TurnRecordings, 'end'> = { end: isAll ? before : null };
  for (const { turnId, start, end } of recordings) {
    if (last.end !== null && start !== null) gaps.push({ before: last.end, after: start });
    last = { end: turnId === turn?.id ? after : end };
  }
  if (last.end !== null) gaps.push({ before: last.end, after });
  return gaps;
}
