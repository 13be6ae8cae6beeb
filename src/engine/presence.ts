import { Listeners } from '../model/listeners.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Clock } from './ports/clock.ts';
import type { Gaze, Presence } from './ports/control-room.ts';

/** A page that says nothing for so long is taken for one that nobody looks at: a machine that fell asleep does not take its leave. */
const staleMs = 30_000;
/** Of older ones it is forgotten that they were looked at. */
const mostRemembered = 1_000;

/**
 * What people look at, as their pages tell: a page that is merely connected tells nothing. Moments are those of the clock's `elapsed`.
 */
export class PresenceBook implements Presence {
  readonly #clock: Clock;
  readonly #looking = new Map<
    string,
    { readonly gaze: Gaze; readonly at: number; readonly forget: () => void }
  >();
  /** When each was looked at last, the one of longest ago first. */
  readonly #last = new Map<Gaze, number>();
  readonly #listeners = new Listeners();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A client looks at this from now on; null when at nothing. To be said again before it goes stale. */
  look(clientId: string, gaze: Gaze | null): void {
    const before = this.#looking.get(clientId);
    const now = this.#clock.elapsed();
    before?.forget();
    this.#looking.delete(clientId);
    if (before !== undefined && before.gaze !== gaze) this.#remember(before.gaze, now);
    if (gaze !== null) {
      const forget = this.#clock.after(staleMs, () => this.lose(clientId));
      this.#looking.set(clientId, { gaze, at: now, forget });
    }
    if (before?.gaze !== gaze) this.#tell();
  }

  isLookedAt(sessionId: SessionId): boolean {
    return this.#lookingAt(sessionId).length > 0;
  }

  lastSeen(sessionId: SessionId): number {
    const never = Number.NEGATIVE_INFINITY;
    const before = [this.#last.get(sessionId) ?? never, this.#last.get('all') ?? never];
    return Math.max(...before, ...this.#lookingAt(sessionId));
  }

  #lookingAt(sessionId: SessionId): number[] {
    return [...this.#looking.values()].flatMap(({ gaze, at }) =>
      gaze === 'all' || gaze === sessionId ? [at] : [],
    );
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** It is gone, or silent for too long: what it looked at was seen when it last said so, and of the time since then nobody knows. */
  lose(clientId: string): void {
    const looking = this.#looking.get(clientId);
    if (looking === undefined) return;
    looking.forget();
    this.#looking.delete(clientId);
    this.#remember(looking.gaze, looking.at);
    this.#tell();
  }

  #remember(gaze: Gaze, at: number): void {
    const last = Math.max(at, this.#last.get(gaze) ?? at);
    this.#last.delete(gaze);
    this.#last.set(gaze, last);
    const [oldest] = this.#last.size > mostRemembered ? this.#last.keys() : [];
    if (oldest !== undefined) this.#last.delete(oldest);
  }

  #tell(): void {
    this.#listeners.tell();
  }
}
