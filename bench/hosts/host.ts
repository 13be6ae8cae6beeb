import type { ChildProcess } from 'node:child_process';
import type { Frame } from '../http-client.ts';
import type { AskTimes } from './ask-times.ts';

/** What runs the agents and lets clients talk with them: Beckon, or a relay it is held against. */
export interface Host {
  readonly name: 'relay' | 'durable' | 'beckon';
  readonly process: ChildProcess;
  readonly sessions: readonly string[];
  /** Begins a turn. */
  say(session: string, text: string): Promise<void>;
  /** Follows all sessions by one stream and allows every ask the moment it is seen. */
  answerAll(): Promise<Answering>;
  /** What the agent measured of the asks of its last turn, oldest first. */
  pings(session: string): Promise<readonly Ping[]>;
  /** What the client measured. */
  readonly asks: AskTimes;
  /** Where one stream tells everything of all sessions. */
  readonly watching: Watching;
  close(): Promise<void>;
}

/** By the agent's own clock. */
export interface Ping {
  readonly askedAt: number;
  /** Until it read the answer. */
  readonly milliseconds: number;
}

interface Answering {
  /** Settles when the session's running turn has ended; rejects when an answer was refused. */
  turnEnd(session: string): Promise<void>;
  close(): void;
}

/** Plain data: it is handed to other processes. */
export interface Watching {
  readonly dialect: 'relay' | 'beckon';
  readonly base: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a watcher reads out of a frame. */
interface Sighting {
  readonly pieces: number;
  readonly endOf?: string;
  /** The number of a stored event, which must follow on the one before. */
  readonly stored?: { readonly session: string; readonly seq: number };
}

export type ReadSighting = (frame: Frame) => Sighting;

/** One promise for each turn under way. */
export class TurnEnds {
  readonly #open = new Map<string, PromiseWithResolvers<void>>();

  begin(session: string): void {
    const turn = Promise.withResolvers<void>();
    turn.promise.catch(() => undefined);
    this.#open.set(session, turn);
  }

  end(session: string): void {
    this.#open.get(session)?.resolve();
  }

  /** An answer did not get through: the turns that wait for it would wait for ever. */
  fail(reason: unknown): void {
    for (const turn of this.#open.values()) turn.reject(reason);
  }

  of(session: string): Promise<void> {
    return this.#open.get(session)?.promise ?? Promise.resolve();
  }
}
