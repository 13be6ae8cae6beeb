import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type ClientRequestContext, type JsonRpcId, RequestError } from '@agentclientprotocol/sdk';
import type { AgentFact, ToolAccess } from '../../engine/ports/agent-driver.ts';
import type { Ask } from '../../protocol/interaction.ts';
import { DiagnosticCounter, diagnosticFact } from '../diagnostics.ts';
import { isObject, type JsonObject } from '../fields.ts';
import { canBeWritten } from '../nesting.ts';
import { nameToAgents } from '../tool-server.ts';
import { OpenAsks } from './open-asks.ts';
import { cancelled, permissionReply } from './permission-options.ts';
import { type PermissionAsk, permissionAsk } from './translate/ask.ts';
import { elicitationAsk } from './translate/elicitation.ts';
import type { Memory } from './translate/memory.ts';

export interface AskingParts {
  readonly memory: Memory;
  readonly tools: ToolAccess | null;
  /** Who asks is at work. */
  showWork(): readonly AgentFact[];
  /** Kept until the next report. */
  note(facts: readonly AgentFact[]): void;
  report(facts: readonly AgentFact[]): void;
  /** From then on the exit of the agent tells what became of its asks. */
  isClosed(): boolean;
}

/** What the agent asks of a person. Each ask waits for its answer without holding up another. */
export class Asking {
  readonly #parts: AskingParts;
  readonly #open = new OpenAsks();
  readonly #diagnostics = new DiagnosticCounter((diagnostic) =>
    this.#parts.note([diagnosticFact(diagnostic)]),
  );

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  readonly handlers: Readonly<Record<string, (context: RequestContext) => Promise<JsonObject>>> = {
    'session/request_permission': (context) => this.#askPermission(context),
    'elicitation/create': (context) =>
      this.#ask(
        elicitationAsk(this.#parts.memory, randomUUID(), context.params),
        { action: 'cancel' },
        context,
      ),
  };

  get isEmpty(): boolean {
    return this.#open.isEmpty;
  }

  has(agentRequestId: string): boolean {
    return this.#open.has(agentRequestId);
  }

  /** The id under which the reply goes out. */
  settle(agentRequestId: string, reply: JsonObject): JsonRpcId | undefined {
    return this.#open.settle(agentRequestId, reply);
  }

  /** Nobody decides any more: the agent is told so, and the person. */
  withdrawAll(): readonly AgentFact[] {
    return this.#open.cancelAll().map((agentRequestId) => ({ type: 'withdrawn', agentRequestId }));
  }

  /** An ask that can be neither shown nor stored would keep the agent waiting for ever. */
  read(params: unknown): JsonObject {
    if (canBeWritten(params)) return isObject(params) ? params : {};
    const text = 'The agent asked for something that is nested too deeply to be shown; it was refused';
    this.#parts.note([{ type: 'diagnostic', code: 'malformed-request', text }]);
    throw RequestError.invalidParams(undefined, 'it is nested too deeply');
  }

  #askPermission(context: RequestContext): Promise<JsonObject> {
    const { memory, note, showWork } = this.#parts;
    note(showWork());
    const asked = permissionAsk(memory, randomUUID(), context.params);
    note(asked.facts);
    const unasked = this.#unaskedReply(asked);
    if (unasked) return Promise.resolve(unasked);
    return this.#ask(asked.ask, { outcome: cancelled.outcome }, context);
  }

  /** A tool of ours that asks by itself would else be asked about twice. */
  #unaskedReply({ ask, calledName }: PermissionAsk): JsonObject | undefined {
    const unasked = this.#parts.tools?.unasked ?? [];
    if (!unasked.some((name) => calledName === nameToAgents(name))) return undefined;
    const { outcome } = permissionReply(ask, { type: 'allow', scope: 'once' });
    return ask.requiresPerson || outcome.outcome === 'cancelled' ? undefined : { outcome };
  }

  #ask(ask: Ask, nothingDecided: JsonObject, context: RequestContext): Promise<JsonObject> {
    const { showWork, report, isClosed } = this.#parts;
    const { requestId, params, signal } = context;
    const { agentRequestId } = ask;
    const earlier = this.#open.under(requestId);
    if (earlier && isDeepStrictEqual(earlier.params, params)) {
      this.#diagnostics.count('repeated-request', JSON.stringify(params));
      this.#withdrawOn(signal, earlier.agentRequestId);
      return unanswered;
    }
    if (earlier) {
      // The agent could take an answer to the one for an answer to the other: only the newer can be answered.
      this.#diagnostics.count('reused-request-id', JSON.stringify(params));
      this.#open.drop(earlier.agentRequestId);
      report([{ type: 'withdrawn', agentRequestId: earlier.agentRequestId }]);
    }
    const reply = this.#open.add({ agentRequestId, requestId, params, cancelled: nothingDecided });
    if (!isClosed()) report([...showWork(), { type: 'asked', ask }]);
    this.#withdrawOn(signal, agentRequestId);
    return reply;
  }

  #withdrawOn(signal: AbortSignal, agentRequestId: string): void {
    const { report, isClosed } = this.#parts;
    const withdraw = () => {
      if (!isClosed() && this.#open.cancel(agentRequestId)) report([{ type: 'withdrawn', agentRequestId }]);
    };
    if (signal.aborted) withdraw();
    else signal.addEventListener('abort', withdraw, { once: true });
  }
}

/** What was sent twice is answered once. */
const unanswered = new Promise<never>(() => {});

type RequestContext = ClientRequestContext<JsonObject>;
