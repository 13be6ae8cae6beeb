import { z } from 'zod';
import { SessionId } from './ids.ts';
import { Agent } from './session.ts';

export { localMachine } from './local-machine.ts';

/** How busy a machine is, as it told last. */
export const MachineLoad = z.object({
  /** Of all its processors, from 0 to 1 and above where more wants to run than can. */
  processors: z.number(),
  /** In bytes. */
  memoryFree: z.number(),
  memoryTotal: z.number(),
});
export type MachineLoad = z.infer<typeof MachineLoad>;

/** Whether a machine can be reached, and since when that is so. What every client is told when it changes. */
export const MachineState = z.object({
  name: z.string(),
  state: z.enum(['reachable', 'unreachable']),
  since: z.string(),
  /** Why it is not served though it was heard of, in a sentence. */
  problem: z.string().optional(),
});
export type MachineState = z.infer<typeof MachineState>;

/** An agent on a machine that no session of this server has. */
export const UnclaimedRun = z.object({
  runId: z.string(),
  sessionId: SessionId,
  /** Of the session, where this server knows it. */
  title: z.string().optional(),
  isRunning: z.boolean(),
  /** Whether its session can go on with it or its conversation or, where this server does not know that, a new one. */
  canBeTaken: z.boolean(),
  /** It would be ended, and the conversation gone on with: what it said and was told is not all on record here. */
  endsWhenTaken: z.boolean().optional(),
  /** Of a session that this server does not know, as its machine tells. */
  agent: z.string().optional(),
  cwd: z.string().optional(),
});
export type UnclaimedRun = z.infer<typeof UnclaimedRun>;

export const Machine = MachineState.extend({
  /** Of Beckon there, where it is known. */
  version: z.string().optional(),
  load: MachineLoad.optional(),
  /** Those that were found there; none while it cannot be reached. */
  agents: z.array(Agent),
  /** How many of its sessions are neither stopped nor failed. */
  sessions: z.number(),
  /** What is asked in them. */
  pending: z.number(),
  unclaimed: z.array(UnclaimedRun),
});
export type Machine = z.infer<typeof Machine>;
