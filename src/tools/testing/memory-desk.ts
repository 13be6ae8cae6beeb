import type { AskEnd, LateAnswer, ToolApproval, ToolAsk, ToolDesk } from '../../engine/ports/tool-desk.ts';
import type { Response } from '../../model/command.ts';
import { decisionOn } from '../../model/interactions.ts';
import { lateAnswerText } from '../../model/late-answer.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { GrantId, InteractionId, type SessionId } from '../../protocol/ids.ts';
import type { Actor, ApprovalScope, Decision, Outcome } from '../../protocol/interaction.ts';

/** What a person says, as a page sends it. */
export type PersonResponse =
  | {
      readonly action: 'approve';
      /** `once` when left out. */
      readonly approvalScope?: ApprovalScope;
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | { readonly action: 'deny'; readonly reason?: string }
  | { readonly action: 'submit'; readonly input: Readonly<Record<string, unknown>> }
  | { readonly action: 'cancel'; readonly reason?: string };

/** An ask on the desk, and how it ended. */
export interface Put {
  readonly id: InteractionId;
  readonly sessionId: SessionId;
  readonly ask: ToolAsk;
  leftOpen: { readonly message: string | undefined } | undefined;
  outcome: Outcome | undefined;
}

type Listener = (end: AskEnd) => Promise<LateAnswer | null>;

const person: Actor = { kind: 'person', where: 'test' };

/** The desk without a server: keeps what is asked in memory, and does with an answer what the server would. */
export class MemoryDesk implements ToolDesk {
  readonly puts: Put[] = [];
  /** What the agent was told after the call, in order. */
  readonly lateMessages: string[] = [];
  readonly approvals = new Map<string, Omit<ToolApproval, 'by'>>();
  isAvailable: () => boolean = () => true;
  /** Called when an ask is before the person. */
  onPut: (put: Put) => void = () => {};
  readonly #listeners = new Map<InteractionId, Listener>();
  readonly #onRunEnd = new Set<(sessionId: SessionId, reason: string) => void>();

  available(): boolean {
    return this.isAvailable();
  }

  async ask(sessionId: SessionId, ask: ToolAsk, listener: Listener): Promise<Result<InteractionId>> {
    const id = InteractionId.parse(`int_${this.puts.length + 1}`);
    const replaced = this.puts.find((put) => put.id === ask.tool.replaces);
    const put: Put = { id, sessionId, ask, leftOpen: replaced?.leftOpen, outcome: undefined };
    this.puts.push(put);
    this.#listeners.set(id, listener);
    // Whoever asked hears the id first.
    setImmediate(() => {
      if (put.outcome === undefined) this.onPut(put);
    });
    return accept(id);
  }

  /** A person answers. Settles when the tool has heard it and, where it was left open, has said what it makes of it. */
  async respond(id: InteractionId, response: PersonResponse): Promise<Result<LateAnswer | null>> {
    const put = this.#waiting(id);
    if (!put.ok) return put;
    const decided = decisionOn({ capabilities: null }, put.value.ask, responseOf(response));
    if (!decided.ok) return decided;
    put.value.outcome = decided.value.outcome;
    return accept(await this.#handOver(put.value, decided.value));
  }

  async end(
    _sessionId: SessionId,
    id: InteractionId,
    how: { readonly outcome: 'expired' | 'withdrawn'; readonly reason: string },
  ): Promise<Result<undefined>> {
    const put = this.#waiting(id);
    if (!put.ok) return put;
    if (put.value.leftOpen !== undefined) return refuse('interaction_gone');
    this.#settle(put.value, how.outcome, how.reason);
    return accept(undefined);
  }

  async leaveOpen(
    _sessionId: SessionId,
    id: InteractionId,
    message: string | undefined,
  ): Promise<Result<undefined>> {
    const put = this.#waiting(id);
    if (!put.ok) return put;
    put.value.leftOpen = { message: message ?? put.value.leftOpen?.message };
    return accept(undefined);
  }

  leftOpen(sessionId: SessionId, callId: string): 'open' | 'answered' | undefined {
    const last = this.puts.findLast((put) => put.sessionId === sessionId && put.ask.tool.callId === callId);
    if (last?.leftOpen === undefined) return undefined;
    if (last.outcome === undefined) return 'open';
    return decided.has(last.outcome) ? 'answered' : undefined;
  }

  approval(_sessionId: SessionId, toolName: string, key: string): 'session' | 'always' | undefined {
    return this.approvals.get(nameOf(toolName, key))?.scope;
  }

  async setApproval(_: SessionId, { toolName, key, scope }: ToolApproval): Promise<Result<undefined>> {
    const name = nameOf(toolName, key);
    if (this.approvals.get(name)?.scope !== 'always') this.approvals.set(name, { toolName, key, scope });
    return accept(undefined);
  }

  async clearApprovals(_sessionId: SessionId, toolName: string): Promise<Result<undefined>> {
    for (const [name, kept] of this.approvals) {
      if (kept.scope === 'session' && kept.toolName === toolName) this.approvals.delete(name);
    }
    return accept(undefined);
  }

  onRunEnd(listener: (sessionId: SessionId, reason: string) => void): () => void {
    this.#onRunEnd.add(listener);
    return () => this.#onRunEnd.delete(listener);
  }

  /** The turn is interrupted: what tools wait for ends, and so do they. What was left open stays. */
  interrupt(sessionId: SessionId): void {
    this.#endRuns(sessionId, 'The turn was interrupted.', (put) => put.leftOpen === undefined);
  }

  /** The session is stopped: everything ends. */
  stop(sessionId: SessionId): void {
    this.#endRuns(sessionId, 'The session was stopped.', () => true);
  }

  #endRuns(sessionId: SessionId, reason: string, ends: (put: Put) => boolean): void {
    for (const put of this.puts) {
      if (put.sessionId === sessionId && put.outcome === undefined && ends(put)) {
        this.#settle(put, 'interrupted', reason);
      }
    }
    for (const listener of this.#onRunEnd) listener(sessionId, reason);
  }

  #waiting(id: InteractionId): Result<Put> {
    const put = this.puts.find((one) => one.id === id);
    if (put === undefined) return refuse('interaction_not_found');
    if (put.outcome === undefined) return accept(put);
    return refuse(decided.has(put.outcome) ? 'interaction_already_resolved' : 'interaction_gone');
  }

  #settle(put: Put, outcome: Outcome, reason: string): void {
    put.outcome = outcome;
    setImmediate(() => void this.#tell(put.id, { kind: 'ended', outcome, reason }));
  }

  async #handOver(
    put: Put,
    { decision, outcome }: { readonly decision: Decision; readonly outcome: Outcome },
  ): Promise<LateAnswer | null> {
    const isLate = put.leftOpen !== undefined;
    const told = this.#tell(put.id, { kind: 'decided', decision, outcome, by: person });
    if (!isLate) return null;
    const late = await told.catch(() => ({ text: lateAnswerText(put.ask, decision) }));
    if (late !== null) this.lateMessages.push(late.text);
    return late;
  }

  async #tell(id: InteractionId, end: AskEnd): Promise<LateAnswer | null> {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    return listener?.(end) ?? null;
  }
}

const decided: ReadonlySet<Outcome> = new Set(['allowed', 'denied', 'submitted', 'dismissed']);

const nameOf = (toolName: string, key: string): string => `${toolName}\n${key}`;

function responseOf(said: PersonResponse): Response {
  switch (said.action) {
    case 'approve': {
      const { approvalScope: scope = 'once', input: values = {} } = said;
      return { type: 'allow', grantId: GrantId.parse('grant_none'), scope, values };
    }
    case 'deny':
      return {
        type: 'deny',
        interrupt: false,
        ...(said.reason === undefined ? {} : { reason: said.reason }),
      };
    case 'submit':
      return { type: 'submit', values: said.input };
    case 'cancel':
      return { type: 'cancel', ...(said.reason === undefined ? {} : { reason: said.reason }) };
  }
}
