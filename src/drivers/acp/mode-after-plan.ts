import { z } from 'zod';
import type { AgentFact } from '../../runner/ports/agent-driver.ts';
import { notice } from '../facts.ts';
import { type JsonObject, textAt } from '../fields.ts';
import { wordsOf } from './json-rpc.ts';
import type { Memory } from './translate/memory.ts';

export interface ModeAfterPlanOptions {
  readonly memory: Memory;
  setMode(mode: string): Promise<void>;
  report(facts: readonly AgentFact[]): void;
}

export const WantedMode = z.object({
  mode: z.string(),
  toolCallId: z.string().optional(),
  /** The mode that was told last. */
  told: z.string().nullable(),
});
type WantedMode = z.infer<typeof WantedMode>;

/**
 * The mode to go on in once an approved plan is left. The options of a plan name no modes that we know, and an agent sets
 * one of its own at that moment; so the plan is approved, and the mode is asked for after it.
 */
export class ModeAfterPlan {
  readonly #options: ModeAfterPlanOptions;
  #wanted: WantedMode | undefined;
  #isAsked = false;

  constructor(options: ModeAfterPlanOptions, wanted?: WantedMode) {
    this.#options = options;
    this.#wanted = wanted;
  }

  get wanted(): WantedMode | undefined {
    return this.#wanted;
  }

  want(mode: string, toolCallId: string | undefined): void {
    this.#wanted = { mode, toolCallId, told: this.#options.memory.permissionMode };
    this.#isAsked = false;
  }

  /** The mode that an agent passes through on its way out of a plan is no news, unless it stays in it. */
  isOnTheWay(fact: AgentFact): boolean {
    const wanted = this.#wanted;
    return fact.type === 'mode-changed' && wanted !== undefined && fact.permissionMode !== wanted.mode;
  }

  isLeftBy(update: JsonObject): boolean {
    const isDone = update.status === 'completed' && textAt(update, 'toolCallId') === this.#wanted?.toolCallId;
    return isDone || update.sessionUpdate === 'current_mode_update';
  }

  async goOn(): Promise<void> {
    const wanted = this.#wanted;
    if (!wanted || this.#isAsked) return;
    this.#isAsked = true;
    const { memory, setMode } = this.#options;
    const isThere = wanted.mode === memory.permissionMode;
    const error = isThere ? undefined : await setMode(wanted.mode).then(() => undefined, wordsOf);
    if (this.#wanted === wanted) this.#wanted = undefined;
    if (error !== undefined) this.#tellRefused(wanted, error);
  }

  #tellRefused({ mode, told }: WantedMode, error: string): void {
    const { memory, report } = this.#options;
    const { permissionMode } = memory;
    const text = `The plan is approved, but the agent does not go on in the mode "${mode}": ${error}`;
    const stays = permissionMode !== null && permissionMode !== told;
    report([
      ...(stays ? [{ type: 'mode-changed' as const, permissionMode }] : []),
      notice('warning', 'mode-refused', text),
    ]);
  }
}
