import { z } from 'zod';
import { MessageId } from '../../protocol/ids.ts';
import type { AgentFact } from '../../runner/ports/agent-driver.ts';
import type { Memory } from './translate/memory.ts';
import { closeTurn } from './translate/update.ts';

const ownTurnQuietMs = 2_000;

export const Turn = z.object({
  /** None for a turn that the agent began by itself. */
  prompt: z.object({ messageId: MessageId, requestId: z.number() }).optional(),
  begunAt: z.number(),
  isTaken: z.boolean(),
  isCancelled: z.boolean(),
  /** Messages that it was given on its way, and of which it has shown nothing yet. */
  steered: z.array(MessageId).default([]),
});
export type Turn = z.output<typeof Turn>;

export interface TurnsOptions {
  readonly memory: Memory;
  /** Whether the agent waits for a person. */
  isAsking(): boolean;
  report(facts: readonly AgentFact[]): void;
}

/** The turn that runs, if one does. A prompt's ends with its reply; one that the agent began by itself, when it falls silent. */
export class Turns {
  readonly #options: TurnsOptions;
  #running: Turn | undefined;
  #untoldId: string | undefined;
  #quiet: NodeJS.Timeout | undefined;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get running(): Turn | undefined {
    return this.#running;
  }

  get untoldId(): string | undefined {
    return this.#untoldId;
  }

  /** Told with the first message: a session without one cannot be taken up again. */
  identify(agentSessionId: string | undefined): void {
    this.#untoldId = agentSessionId;
  }

  begin(prompt: NonNullable<Turn['prompt']>): Turn {
    this.endOwn('completed');
    this.#running = newTurn(prompt);
    return this.#running;
  }

  /** Goes on with the turn that ran when an earlier server ended. */
  takeUp(turn: Turn): Turn {
    this.#running = { ...turn };
    return this.#running;
  }

  /** Forgets a turn whose prompt never left. */
  drop(turn: Turn): void {
    if (this.#running === turn) this.#running = undefined;
  }

  cancel(): void {
    if (this.#running) this.#running.isCancelled = true;
  }

  /** The first sign of work shows that the message was taken; work without a message is a turn of the agent's own. */
  showWork(): readonly AgentFact[] {
    this.#running ??= newTurn(undefined);
    return [...this.#taken(this.#running), ...steeredIn(this.#running)];
  }

  /** What is told before a turn's end; undefined when it does not run any more. */
  finish(turn: Turn): readonly AgentFact[] | undefined {
    if (this.#running !== turn) return undefined;
    this.#running = undefined;
    // Interrupted, it did nothing with what it was given last.
    return [...this.#taken(turn), ...(turn.isCancelled ? [] : steeredIn(turn))];
  }

  /** The protocol has no end for a turn of the agent's own: it is over when nothing more comes and nobody is asked. */
  watchOwn(): void {
    clearTimeout(this.#quiet);
    if (!this.#running || this.#running.prompt || this.#options.isAsking()) return;
    this.#quiet = setTimeout(() => this.endOwn('completed'), ownTurnQuietMs);
  }

  endOwn(outcome: 'completed' | 'interrupted'): void {
    clearTimeout(this.#quiet);
    const turn = this.#running;
    if (!turn || turn.prompt) return;
    this.#running = undefined;
    const ended: AgentFact = { type: 'turn-ended', outcome, durationMs: sinceBegun(turn) };
    this.#options.report([...closeTurn(this.#options.memory), ended]);
  }

  close(): void {
    clearTimeout(this.#quiet);
  }

  #taken(turn: Turn): readonly AgentFact[] {
    if (turn.isTaken) return [];
    turn.isTaken = true;
    if (!turn.prompt) return [{ type: 'turn-started', messageIds: [] }];
    const agentSessionId = this.#untoldId;
    this.#untoldId = undefined;
    const { messageId } = turn.prompt;
    return [
      { type: 'message-taken', messageId },
      ...(agentSessionId === undefined ? [] : [{ type: 'identified' as const, agentSessionId }]),
      { type: 'turn-started', messageIds: [messageId] },
    ];
  }
}

/** By the clock on the wall, for the next server has another. */
export const sinceBegun = ({ begunAt }: Turn): number => Math.max(0, Date.now() - begunAt);

const newTurn = (prompt: Turn['prompt']): Turn => ({
  prompt,
  begunAt: Date.now(),
  isTaken: false,
  isCancelled: false,
  steered: [],
});

/** The agent goes on, or has ended, with what it was given on the way. */
const steeredIn = ({ steered }: Turn): readonly AgentFact[] =>
  steered.splice(0).map((messageId) => ({ type: 'message-taken', messageId }));
