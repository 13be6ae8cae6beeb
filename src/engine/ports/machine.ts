import type { MachineLoad } from '../../protocol/machine.ts';
import type { Runner } from './runner.ts';
import type { SharedTools } from './tool-calls.ts';

/** Another machine that agents of this server run on. */
export interface Machine {
  readonly name: string;
  readonly runner: Runner;
  /** How it is right now. */
  readonly condition: MachineCondition;
}

export interface MachineCondition {
  readonly isReachable: boolean;
  /**
   * Since when that is so. A machine whose program was started anew has another moment here, also if nobody noticed that it was
   * away: its runs are attached to again then.
   */
  readonly since: string;
  /** Why it is not served though it was heard of, in a sentence. */
  readonly problem?: string | undefined;
  /** Of Beckon there, where it is known. */
  readonly version?: string | undefined;
  readonly load?: MachineLoad | undefined;
}

/** The other machines of this server. */
export interface MachineSource {
  /** All that belong to it, whether or not they are there. */
  current(): readonly Machine[];
  /** Calls at each change: one was added or removed, came, went, or told how it is. Returns what ends this. */
  listen(listener: () => void): () => void;
  /** What agents on these machines may call; told once, before any of them is reached. */
  readonly offerTools?: (tools: SharedTools) => void;
}

/** Thrown by a runner whose machine could not be asked. That it is silent says nothing about what runs there. */
export class UnreachableError extends Error {
  override readonly name: string = 'UnreachableError';
}
