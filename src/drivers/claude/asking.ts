import type { Ask, Decision } from '../../protocol/interaction.ts';
import type { AgentFact } from '../../runner/ports/agent-driver.ts';
import type { WriteFailure, WriteOutcome } from '../../runner/ports/process-host.ts';
import { AnswersUnderWay } from '../answers-under-way.ts';
import { textAt } from '../fields.ts';
import { answerTo } from './answer.ts';
import {
  asHookAnswer,
  heldBy,
  heldFor,
  holdQuestion,
  later,
  neverAsks,
  standsAlone,
} from './held-questions.ts';
import type { IncomingRequest } from './incoming.ts';
import type { ProtocolPeer } from './peer.ts';
import { askOf } from './translate/ask.ts';
import type { Memory } from './translate/memory.ts';

/** The line to the program that runs now. */
export interface Line {
  readonly peer: ProtocolPeer;
  readonly closed: Promise<void>;
}

/** What a program asks for, and the answers on their way to it. A question may be held back at its hook, and is answered further on. */
export class Asking {
  readonly #memory: Memory;
  readonly #line: () => Line;
  readonly #answers = new AnswersUnderWay();
  /** Answers that wait for their question to ask for permission, by its call. */
  readonly #expected = new Map<string, PromiseWithResolvers<string | WriteFailure>>();

  constructor(memory: Memory, line: () => Line) {
    this.#memory = memory;
    this.#line = line;
  }

  /** What is to be told of a request; one that is not understood, or needs nobody, is answered at once. */
  read(request: IncomingRequest): readonly AgentFact[] {
    const { peer } = this.#line();
    if (request.subtype === 'hook_callback') {
      const question = this.#hookQuestion(request);
      if (question) return [{ type: 'asked', ask: question }];
      void peer.respond(request.requestId, {});
      return [];
    }
    if (this.#isHeld(request)) return [];
    const ask = askOf(this.#memory, request);
    if (ask?.kind === 'form') this.#memory.openForms.add(ask.agentRequestId);
    if (ask) return [{ type: 'asked', ask }];
    void peer.respondError(request.requestId, 'The request was not understood');
    return [];
  }

  cancelled(requestId: string): AgentFact {
    this.#memory.openForms.delete(requestId);
    const [toolCallId, held] = heldBy(this.#memory, requestId) ?? [];
    if (toolCallId !== undefined) this.#memory.held.delete(toolCallId);
    return { type: 'withdrawn', agentRequestId: held?.hookId ?? requestId };
  }

  /** In a mode in which the program decides by itself, a question may end without the permission that its answer waits for. */
  callEnded(toolCallId: string): void {
    this.#memory.held.delete(toolCallId);
    this.#expected.get(toolCallId)?.resolve(unwritten('The agent went on without asking for permission'));
  }

  answer(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    return this.#answers.give(ask.agentRequestId, () => this.#give(ask, decision));
  }

  /** Settles when it is known of every answer whether it was written. */
  settled(): Promise<void> {
    return this.#answers.settled();
  }

  defer(ask: Ask): Promise<WriteOutcome> {
    const held = heldFor(this.#memory, ask.toolCallId);
    // It was left by the process before; this one was started to ask again.
    if (!held) return Promise.resolve({ ok: true });
    if (held.hookId !== ask.agentRequestId || !standsAlone(this.#memory, ask.toolCallId))
      return Promise.resolve(unwritten('This cannot be left for later'));
    return this.#line().peer.respond(held.hookId, later);
  }

  async #give(ask: Ask, decision: Decision): Promise<WriteOutcome> {
    this.#memory.openForms.delete(ask.agentRequestId);
    const answer = answerTo(ask, decision);
    const held = heldFor(this.#memory, ask.toolCallId);
    if (held?.hookId === ask.agentRequestId && neverAsks(this.#memory)) {
      return this.#line().peer.respond(held.hookId, asHookAnswer(answer));
    }
    const requestId = await this.#requestFor(ask);
    return typeof requestId === 'string' ? this.#line().peer.respond(requestId, answer) : requestId;
  }

  /** A question that was held back at its hook goes on to ask for permission, and gets its answer there. */
  async #requestFor(ask: Ask): Promise<string | WriteFailure> {
    const held = heldFor(this.#memory, ask.toolCallId);
    if (ask.toolCallId === undefined || held?.hookId !== ask.agentRequestId) return ask.agentRequestId;
    const goesOn = await this.#line().peer.respond(held.hookId, {});
    if (!goesOn.ok) return unwritten(goesOn.message);
    const requestId = held.requestId ?? (await this.#permissionAsked(ask.toolCallId));
    this.#memory.held.delete(ask.toolCallId);
    return requestId;
  }

  #permissionAsked(toolCallId: string): Promise<string | WriteFailure> {
    const asked = Promise.withResolvers<string | WriteFailure>();
    this.#expected.set(toolCallId, asked);
    void this.#line().closed.then(() => asked.resolve(unwritten('The agent has ended')));
    return asked.promise.finally(() => this.#expected.delete(toolCallId));
  }

  #hookQuestion(request: IncomingRequest): Ask | undefined {
    try {
      return holdQuestion(this.#memory, request);
    } catch {
      return undefined;
    }
  }

  /** Whoever was shown the question at its hook need not be shown it again. */
  #isHeld({ requestId, request }: IncomingRequest): boolean {
    const toolCallId = textAt(request, 'tool_use_id');
    const held = heldFor(this.#memory, toolCallId);
    if (!held || toolCallId === undefined) return false;
    held.requestId = requestId;
    this.#expected.get(toolCallId)?.resolve(requestId);
    return true;
  }
}

const unwritten = (message: string): WriteFailure => ({ ok: false, code: 'not-asked', message });
