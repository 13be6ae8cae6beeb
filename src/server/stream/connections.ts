import type { ControlRoom, Overview } from '../../engine/ports/control-room.ts';
import type { PartialBlock } from '../../protocol/announcement.ts';
import type { ClientId, SessionId } from '../../protocol/ids.ts';
import type { Unlock } from '../../protocol/unlock.ts';
import type { Broadcast } from './broadcast.ts';
import type { StreamLimits } from './outbox.ts';

/** What every stream shares. */
export interface StreamContext {
  readonly room: ControlRoom;
  readonly broadcast: Broadcast;
  readonly connections: Connections;
  readonly limits: StreamLimits;
  /** The terminals that decide, or want to. */
  readonly unlocks: () => readonly Unlock[];
  readonly onError: (error: unknown) => void;
}

/** All that is now, with what is being said right now in the sessions that the client follows. */
export function overviewFor(
  { room, unlocks }: StreamContext,
  clientId: ClientId,
  followed: Iterable<SessionId>,
): Overview & {
  readonly clientId: ClientId;
  readonly unlocks: readonly Unlock[];
  readonly partials: Record<string, readonly PartialBlock[]>;
} {
  const partials: Record<string, readonly PartialBlock[]> = {};
  const overview = room.overview();
  const sessions = new Map(overview.sessions.map((session) => [session.id, session]));
  for (const sessionId of followed) {
    const now = room.snapshot(sessionId);
    if (!now.ok) continue;
    partials[sessionId] = now.value.partial;
    sessions.set(sessionId, now.value.session);
  }
  return { clientId, ...overview, sessions: [...sessions.values()], unlocks: unlocks(), partials };
}

/** A stream or socket that stays open. */
export interface Connection {
  /** The device or the unlock that it was let in by; it is closed when that ends. */
  readonly accessId: string | undefined;
  /** Called at the keep-alive's pace: shows signs of life, and ends what shows none. */
  sweep(now: number): void;
  /** Ends it in a way the client understands, as soon as it has read what was sent. */
  close(): void;
  destroy(): void;
}

/** All that is open, with one timer for all. */
export class Connections {
  readonly #open = new Set<Connection>();
  readonly #timer: NodeJS.Timeout;
  #whenEmpty: (() => void) | undefined;

  constructor(keepAliveMs: number) {
    this.#timer = setInterval(() => this.#sweep(), keepAliveMs);
    this.#timer.unref();
  }

  add(connection: Connection): void {
    this.#open.add(connection);
  }

  delete(connection: Connection): void {
    this.#open.delete(connection);
    if (this.#open.size === 0) this.#whenEmpty?.();
  }

  closeAccess(accessId: string): void {
    for (const connection of this.#open) if (connection.accessId === accessId) connection.destroy();
  }

  /** Ends everything; what does not end by itself within the grace is cut off. */
  async close(graceMs: number): Promise<void> {
    clearInterval(this.#timer);
    if (this.#open.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    const cutOff = setTimeout(() => {
      for (const connection of this.#open) connection.destroy();
    }, graceMs);
    for (const connection of this.#open) connection.close();
    await empty;
    clearTimeout(cutOff);
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#open) connection.sweep(now);
  }
}
