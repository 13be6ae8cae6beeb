import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Ask } from '../../protocol/interaction.ts';
import type { AgentFact, ToolAccess } from '../../runner/ports/agent-driver.ts';
import type { EarlierWrites, WriteOutcome } from '../../runner/ports/process-host.ts';
import { diagnosticFact } from '../diagnostics.ts';
import { canBeWritten, type JsonObject } from '../fields.ts';
import { nameToAgents } from '../tool-server.ts';
import { asObject, errorCodes, RequestError } from './json-rpc.ts';
import type { AgentRequest, Peer } from './peer.ts';
import { cancelled, permissionReply } from './reply.ts';
import { answerName, cancelledName } from './sent-names.ts';
import { type PermissionAsk, permissionAsk } from './translate/ask.ts';
import { elicitationAsk } from './translate/elicitation.ts';
import type { Memory } from './translate/memory.ts';

/** A request of the agent that waits for a person. */
export const OpenAsk = z.object({
  agentRequestId: z.string(),
  requestId: z.union([z.string(), z.number(), z.null()]),
  at: z.number(),
  /** Of what was asked: an agent may send the same again, or something else under the same id. */
  fingerprint: z.string(),
  /** What is said when nobody decides any more. */
  cancelled: z.record(z.string(), z.unknown()),
});
type OpenAsk = z.infer<typeof OpenAsk>;

export interface AskingParts {
  readonly memory: Memory;
  readonly tools: ToolAccess | null;
  peer(): Pick<Peer, 'respond' | 'respondError'>;
  /** Who asks is at work. */
  showWork(): readonly AgentFact[];
  report(facts: readonly AgentFact[]): void;
}

/** What the agent asks of a person. Each ask waits for its answer without holding up another. */
export class Asking {
  readonly #parts: AskingParts;
  readonly #open = new Map<string, OpenAsk>();
  /** Those whose answer an earlier server wrote, or was about to write: they are not taken back. */
  readonly #answered = new Set<string>();

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  readonly handlers: Readonly<Record<string, (request: AgentRequest, params: JsonObject) => void>> = {
    'session/request_permission': (request, params) => this.#askPermission(request, params),
    'elicitation/create': (request, params) =>
      this.#ask(elicitationAsk(this.#parts.memory, this.#idOf(request), params), request, {
        action: 'cancel',
      }),
  };

  get isEmpty(): boolean {
    return this.#open.size === this.#answered.size;
  }

  has(agentRequestId: string): boolean {
    return this.#open.has(agentRequestId);
  }

  kept(): OpenAsk[] {
    return [...this.#open.values()];
  }

  /** Goes on with what an earlier server was asked. `isOpen` tells what the log says of it. */
  takeUp(
    asks: readonly OpenAsk[],
    { written, doubtful }: EarlierWrites,
    isOpen: (agentRequestId: string) => boolean,
  ): void {
    for (const ask of asks) {
      this.#open.set(ask.agentRequestId, ask);
      const answer = answerName(ask.at);
      if (written.has(answer) || doubtful.has(answer)) this.#answered.add(ask.agentRequestId);
      else if (!isOpen(ask.agentRequestId)) this.#cancel(ask);
      else if (written.has(cancelledName(ask.at))) this.#withdraw(ask);
      if (!isOpen(ask.agentRequestId)) this.#forget(ask.agentRequestId);
    }
  }

  take(request: AgentRequest): void {
    // An ask that can be neither shown nor stored would keep the agent waiting for ever.
    if (canBeWritten(request.params)) {
      this.handlers[request.method]?.(request, asObject(request.params));
      return;
    }
    const text = 'The agent asked for something that is nested too deeply to be shown; it was refused';
    this.#parts.report([{ type: 'diagnostic', code: 'malformed-request', text }]);
    const error = new RequestError(errorCodes.invalidParams, 'Invalid params: it is nested too deeply');
    void this.#parts.peer().respondError(request, error);
  }

  /** Settles when the reply is in the pipe. */
  async answer(agentRequestId: string, reply: JsonObject): Promise<WriteOutcome> {
    const open = this.#open.get(agentRequestId);
    if (!open)
      return { ok: false, code: 'not-open', message: 'The agent does not wait for this answer any more' };
    this.#forget(agentRequestId);
    return this.#parts.peer().respond({ id: open.requestId }, reply, answerName(open.at));
  }

  /** The agent takes its question back. */
  takeBack(requestId: unknown): void {
    const open = this.#waitingUnder(requestId);
    if (open) this.#withdraw(open);
  }

  /** Nobody decides any more: the agent is told so, and the person. */
  withdrawAll(): readonly AgentFact[] {
    const open = [...this.#open.values()].filter(({ agentRequestId }) => !this.#answered.has(agentRequestId));
    for (const ask of open) this.#cancel(ask);
    return open.map(({ agentRequestId }) => ({ type: 'withdrawn', agentRequestId }));
  }

  #withdraw(ask: OpenAsk): void {
    this.#cancel(ask);
    this.#parts.report([{ type: 'withdrawn', agentRequestId: ask.agentRequestId }]);
  }

  #cancel(ask: OpenAsk): void {
    this.#forget(ask.agentRequestId);
    void this.#parts.peer().respond({ id: ask.requestId }, ask.cancelled, cancelledName(ask.at));
  }

  #forget(agentRequestId: string): void {
    this.#open.delete(agentRequestId);
    this.#answered.delete(agentRequestId);
  }

  #askPermission(request: AgentRequest, params: JsonObject): void {
    const { memory, report, showWork, peer } = this.#parts;
    report(showWork());
    const asked = permissionAsk(memory, this.#idOf(request), params);
    report(asked.facts);
    const unasked = this.#unaskedReply(asked);
    if (unasked) void peer().respond(request, unasked, answerName(request.at));
    else this.#ask(asked.ask, request, { outcome: cancelled.outcome });
  }

  /** A tool of ours that asks by itself would else be asked about twice. */
  #unaskedReply({ ask, calledName }: PermissionAsk): JsonObject | undefined {
    const unasked = this.#parts.tools?.unasked ?? [];
    if (!unasked.some((name) => calledName === nameToAgents(name))) return undefined;
    const { outcome } = permissionReply(ask, { type: 'allow', scope: 'once' });
    return ask.requiresPerson || outcome.outcome === 'cancelled' ? undefined : { outcome };
  }

  #ask(ask: Ask, { id, at, params }: AgentRequest, nothingDecided: Record<string, unknown>): void {
    const { agentRequestId } = ask;
    const asked = JSON.stringify(params);
    const fingerprint = createHash('sha256').update(asked).digest('base64');
    const earlier = this.#waitingUnder(id);
    if (earlier?.fingerprint === fingerprint) {
      this.#parts.report([diagnosticFact('repeated-request', asked)]);
      return;
    }
    if (earlier) {
      // The agent could take an answer to the one for an answer to the other: only the newer can be answered.
      this.#parts.report([diagnosticFact('reused-request-id', asked)]);
      this.#forget(earlier.agentRequestId);
      this.#parts.report([{ type: 'withdrawn', agentRequestId: earlier.agentRequestId }]);
    }
    this.#open.set(agentRequestId, {
      agentRequestId,
      requestId: id,
      at,
      fingerprint,
      cancelled: nothingDecided,
    });
    this.#parts.report([...this.#parts.showWork(), { type: 'asked', ask }]);
  }

  #waitingUnder(requestId: unknown): OpenAsk | undefined {
    return [...this.#open.values()].find(
      (ask) => ask.requestId === requestId && !this.#answered.has(ask.agentRequestId),
    );
  }

  /** The same for the same line, whoever reads it. */
  #idOf({ at }: AgentRequest): string {
    return `${this.#parts.memory.prefix}-ask-${at}`;
  }
}
