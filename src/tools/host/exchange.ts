import { z } from 'zod';
import type { AskEnd, LateAnswer } from '../../engine/ports/tool-desk.ts';
import { actionOf, valuesIn } from '../../model/completed-view.ts';
import type { InteractionId } from '../../protocol/ids.ts';
import type { Decision } from '../../protocol/interaction.ts';
import type { FieldValue } from '../sdk/field.ts';
import type {
  InteractionOutcome,
  InteractionResponse,
  Pending,
  QueuedResult,
  Reprompt,
} from '../sdk/interaction.ts';
import { ToolError } from '../sdk/tool-error.ts';
import { type AnyRequest, askAgain, readRequest, type Shown } from './request.ts';
import { textOf, wordsOf } from './result.ts';
import { NoAnswer, type OpenAsk, type ToolRun } from './tool-run.ts';

const MOST_REPROMPTS = 10;

/**
 * One `requestInteraction`: asks, hears the answer or the clock, lets the tool say what follows, and asks again where it wants to.
 * The asks of one exchange follow each other in one place on the screen.
 */
export class Exchange {
  readonly #run: ToolRun;
  readonly #request: AnyRequest;
  #shown: Shown;
  #attempt = 0;
  #reprompts = 0;
  #last: InteractionId | undefined;
  /** What was filled in last. */
  #typed: Readonly<Record<string, unknown>> | undefined;
  /** The last ask stays open while the call ends. */
  #isLeft = false;

  constructor(run: ToolRun, request: AnyRequest) {
    this.#run = run;
    this.#request = request;
    this.#shown = readRequest(request, run.call.toolName);
  }

  /** Gives the tool's result. */
  async result(): Promise<unknown> {
    try {
      let outcome = this.#withoutAnyone() ?? (await this.#askAndHear());
      while (!('complete' in outcome)) {
        if ('reprompt' in outcome) {
          this.#change(outcome.reprompt);
          outcome = await this.#askAndHear();
        } else {
          const answer = await this.#setAside(outcome.pending);
          if (answer === undefined) return queuedResult(outcome.pending);
          outcome = await this.#heard(answer);
        }
      }
      return outcome.complete;
    } catch (error) {
      if (error instanceof NoAnswer) this.#cancelled(error.message);
      throw error;
    }
  }

  /** What follows where nobody is there to answer; undefined where someone is. */
  #withoutAnyone(): InteractionOutcome | undefined {
    const { desk, call } = this.#run;
    if (desk.available(call.sessionId)) return undefined;
    if (this.#request.whenNobody === 'leave open') return { pending: { message: nobodyYet } };
    throw new ToolError('interaction_unavailable', `${nobody}.`);
  }

  /** Asks, and gives what the tool makes of the answer or, at the time limit, of silence. */
  async #askAndHear(): Promise<InteractionOutcome> {
    const ask = await this.#put(this.#shown.timeoutMs);
    const limit = this.#limit();
    try {
      const isLeft = this.#run.patienceOver.then(() => 'leave' as const);
      const end = await this.#run.during(Promise.race([ask.ended, limit.reached, isLeft]));
      if (end === 'leave') return await this.#outlasting(ask);
      return end === undefined ? await this.#timedOut(ask) : await this.#heard(end);
    } catch (error) {
      await this.#run.withdraw(ask, wordsOf(error));
      throw error;
    } finally {
      limit.cancel();
    }
  }

  async #put(timeoutMs: number): Promise<OpenAsk> {
    this.#attempt += 1;
    const place = { attempt: this.#attempt, replaces: this.#last, timeoutMs };
    const ask = await this.#run.put(this.#shown, place);
    this.#last = ask.id;
    return ask;
  }

  #limit(): { readonly reached: Promise<undefined>; cancel(): void } {
    const { timeoutMs } = this.#shown;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const cancel = timeoutMs === 0 ? () => {} : this.#run.clock.after(timeoutMs, () => resolve(undefined));
    return { reached: promise, cancel };
  }

  async #heard(end: AskEnd): Promise<InteractionOutcome> {
    return this.#run.during(this.#respond(this.#said(end)));
  }

  #said(end: AskEnd): Said {
    if (end.kind === 'ended') throw new NoAnswer('run_ended', end.reason);
    const said = responseTo(this.#shown.kind, end.decision);
    this.#run.by = end.by;
    this.#typed = said.values;
    return said;
  }

  async #respond({ response }: Said): Promise<InteractionOutcome> {
    const onResponse = this.#request.onResponse as (said: Said['response']) => unknown;
    return checkOutcome('onResponse', await this.#run.asAuthor(() => onResponse(response)));
  }

  /** The agent is about to give up on the call, and would never hear the answer: it is told that it will be a message. */
  async #outlasting(ask: OpenAsk): Promise<InteractionOutcome> {
    const answer = await this.#leave(ask, stillOpen);
    return answer === undefined ? { pending: { message: stillOpen } } : this.#heard(answer);
  }

  async #timedOut(ask: OpenAsk): Promise<InteractionOutcome> {
    const words = `Nobody answered within ${spanOf(this.#shown.timeoutMs)}.`;
    const wish = await this.#run.during(Promise.race([ask.ended, this.#wishAtLimit()]));
    if (wish.kind === 'decided' || wish.kind === 'ended') return this.#heard(wish);
    const answer =
      wish.kind === 'outcome' && isQueued(wish.outcome)
        ? await this.#leave(ask, wish.outcome.pending.message)
        : await ask.close('expired', words);
    if (answer !== undefined) return this.#heard(answer);
    this.#typed = undefined;
    switch (wish.kind) {
      case 'outcome':
        return wish.outcome;
      case 'none':
        throw new NoAnswer('interaction_expired', words);
      case 'failed':
        throw wish.error;
    }
  }

  /** What the tool wants done at its limit. A value also where it throws: an answer that comes first must win over that, too. */
  async #wishAtLimit(): Promise<Wish> {
    const { onTimeout } = this.#request;
    if (onTimeout === undefined) return { kind: 'none' };
    try {
      const outcome = await this.#run.asAuthor(() => onTimeout());
      return { kind: 'outcome', outcome: checkOutcome('onTimeout', outcome) };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  /** A person who is asked an eleventh time would rather be left alone. */
  #change(reprompt: Reprompt): void {
    this.#reprompts += 1;
    if (this.#reprompts > MOST_REPROMPTS) {
      const words = `It was asked again ${MOST_REPROMPTS} times in a row, and no answer would do.`;
      throw new ToolError('too_many_reprompts', words);
    }
    this.#shown = askAgain(this.#shown, this.#typed, reprompt);
  }

  /**
   * Leaves an ask open while the call ends. One that was answered is over, so a new one takes its place.
   * Gives an answer that came in between.
   */
  async #setAside({ message, queued }: Partial<Pending>): Promise<AskEnd | undefined> {
    if (queued === false || this.#isLeft) return undefined;
    return this.#leave(await this.#put(0), message);
  }

  async #leave(ask: OpenAsk, message: string | undefined): Promise<AskEnd | undefined> {
    const answer = await ask.leaveOpen(message, (end) => this.#late(end));
    this.#isLeft = answer === undefined;
    return answer;
  }

  /** An answer after the call: what the tool makes of it becomes a message to the agent. */
  async #late(end: AskEnd): Promise<LateAnswer | null> {
    this.#isLeft = false;
    if (end.kind === 'ended') {
      this.#cancelled(end.reason);
      return null;
    }
    const outcome = await this.#respond(this.#said(end)).catch((error: unknown) => {
      this.#run.log.error('A late answer could not be worked on', { reason: wordsOf(error) });
      throw error;
    });
    if ('complete' in outcome) return this.#lateMessage(textOf(outcome.complete));
    try {
      if ('reprompt' in outcome) this.#change(outcome.reprompt);
      const answer = await this.#setAside('pending' in outcome ? outcome.pending : {});
      return answer === undefined ? null : await this.#late(answer);
    } catch (error) {
      const why = 'reprompt' in outcome ? (outcome.reprompt.error ?? '') : '';
      return this.#lateMessage(
        `The answer will not do. ${why} It could not be asked again: ${wordsOf(error)}`,
      );
    }
  }

  #lateMessage(text: string): LateAnswer {
    return { text: `Result of your earlier call of the tool "${this.#run.call.toolName}":\n\n${text}` };
  }

  #cancelled(reason: string): void {
    const { onCancel } = this.#request;
    if (onCancel === undefined) return;
    this.#run
      .asAuthor(async () => onCancel(reason))
      .catch((error: unknown) => this.#run.log.error('onCancel failed', { reason: wordsOf(error) }));
  }
}

const stillOpen =
  'Nobody has answered yet, and this call cannot wait longer. The question stays open: the answer will reach you as a message. Do not ask again; go on with what does not depend on it, or end your turn.';
const nobody = 'Nobody is connected who can and wants to answer';
const nobodyYet = `${nobody} now. The question stays open: the answer will reach you as a message. Do not ask again.`;

interface Said {
  readonly response: InteractionResponse;
  /** What was filled in, where something could be. */
  readonly values: Readonly<Record<string, unknown>> | undefined;
}

/** A person's decision, as a tool hears it. */
function responseTo(kind: Shown['kind'], decision: Decision): Said {
  const values = valuesIn(decision);
  // Checked against the form before it was stored.
  const input = { ...values } as Record<string, FieldValue>;
  switch (decision.type) {
    case 'allow':
      return { response: { action: 'approve', approvalScope: decision.scope, input }, values };
    case 'submit':
      return { response: { action: 'submit', input }, values };
    case 'deny':
    case 'dismiss': {
      const action = actionOf(kind, decision) === 'deny' ? 'deny' : 'cancel';
      return { response: { action, reason: decision.message }, values };
    }
    case 'answer':
      throw new ToolError('tool_failed', 'The answer was one to a question, and a tool asks none.');
  }
}

/** A tool that forgets to say what follows must not leave a person, or the agent, waiting. */
function checkOutcome(handler: 'onResponse' | 'onTimeout', outcome: unknown): InteractionOutcome {
  const wrong = (what: string) => new ToolError('invalid_outcome', `${handler} ${what}.`);
  const given = outcomes.filter(
    (key) => typeof outcome === 'object' && outcome !== null && Object.hasOwn(outcome, key),
  );
  const [key, ...others] = given;
  if (key === undefined || others.length > 0) {
    throw wrong('must give exactly one of {complete}, {reprompt} and {pending}');
  }
  const { reprompt, pending } = outcome as Record<string, unknown>;
  if (key === 'reprompt' && !z.looseObject({}).safeParse(reprompt).success) {
    throw wrong('gave a reprompt that is no object');
  }
  if (key === 'pending' && !PendingSchema.safeParse(pending).success) {
    throw wrong('gave a pending that is not {message} or {message, queued}');
  }
  return outcome as InteractionOutcome;
}

const outcomes = ['complete', 'reprompt', 'pending'] as const;
const PendingSchema = z.strictObject({ message: z.string(), queued: z.boolean().optional() });

type Wish =
  | { readonly kind: 'outcome'; readonly outcome: InteractionOutcome }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'none' };

const isQueued = (outcome: InteractionOutcome): outcome is { readonly pending: Pending } =>
  'pending' in outcome && outcome.pending.queued !== false;

const queuedResult = ({ message, queued }: Pending): QueuedResult => ({
  status: queued === false ? 'pending' : 'queued',
  message,
});

function spanOf(milliseconds: number): string {
  const isShort = milliseconds < 120_000;
  const amount = Number((milliseconds / (isShort ? 1000 : 60_000)).toFixed(1));
  const unit = isShort ? 'second' : 'minute';
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
