import type { Readable } from 'node:stream';
import type { SessionId } from '../../protocol/ids.ts';

/** `out` is what the agent printed, `in` what it was told, `err` its stderr. */
export type RawDirection = 'out' | 'in' | 'err';

/**
 * What went over the wire, byte for byte, for those who must find out what an agent really said.
 * It is bounded and best effort: when the disk is slow or refuses, bytes are dropped and counted, and nobody waits.
 */
export interface RawLog {
  /** Never throws and never waits. The chunk must not be changed afterwards. */
  append(sessionId: SessionId, direction: RawDirection, chunk: Buffer): void;
  /** What is kept at this moment, oldest first. */
  read(sessionId: SessionId): Readable;
  remove(sessionId: SessionId): Promise<void>;
  /** Writes what still waits. Later chunks are dropped. */
  close(): Promise<void>;
}
