import type { Result } from '../../protocol/errors.ts';

/** A program of the person's that goes on by itself: nobody speaks to it, and it outlives the server. */
export interface ProgramStart {
  /** Its whole path. */
  readonly program: string;
  /** As they are: no shell sees them. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A folder of ours. */
  readonly folder: string;
  /** How long it is watched. */
  readonly waitMs: number;
  /** Nobody waits any longer. */
  readonly signal: AbortSignal;
}

/** Accepted once it runs and has not failed for a while, or has ended well. */
export type StartProgram = (start: ProgramStart) => Promise<Result<null>>;
