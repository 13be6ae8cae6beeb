import { findKeyGrant } from '../model/grants.ts';
import { lateAnswerText } from '../model/late-answer.ts';
import { valueAt, valuesOf } from '../model/ordered-map.ts';
import type { LiveInteraction, SessionState } from '../model/state.ts';
import { interactionOf } from '../model/status.ts';
import { accept, messageOf, type Result, refuse } from '../protocol/errors.ts';
import { askReference } from '../protocol/event.ts';
import { GrantId, InteractionId, MessageId, type SessionId } from '../protocol/ids.ts';
import type { Actor, Outcome } from '../protocol/interaction.ts';
import type { GrantBook } from './grant-book.ts';
import type { Clock } from './ports/clock.ts';
import type { Clients } from './ports/control-room.ts';
import type { EventLog } from './ports/event-log.ts';
import type { Ids } from './ports/ids.ts';
import type { Logger } from './ports/logger.ts';
import type { AskEnd, LateAnswer, ToolApproval, ToolAsk, ToolDesk } from './ports/tool-desk.ts';
import type { SessionWriter } from './session-writer.ts';

export interface ToolDeskOptions {
  readonly writer: (sessionId: SessionId) => SessionWriter | undefined;
  readonly clients: Clients;
  readonly book: GrantBook;
  readonly log: Pick<EventLog, 'findByReference'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

type Listener = (end: AskEnd) => Promise<LateAnswer | null>;

interface Waiting {
  readonly listener: Listener;
  /** While the tool's host waits for a reply of the desk about this ask: what happens meanwhile is told after it. */
  held: Promise<unknown> | null;
}

/** Knows which tool waits for which answer, and sees to it that each hears of the end of its ask once. */
export class AskDesk implements ToolDesk {
  readonly #options: ToolDeskOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #onRunEnd = new Set<(sessionId: SessionId, reason: string) => void>();

  constructor(options: ToolDeskOptions) {
    this.#options = options;
  }

  available(sessionId: SessionId): boolean {
    return this.#options.clients.count(sessionId).enabled > 0;
  }

  ask(sessionId: SessionId, ask: ToolAsk, listener: Listener): Promise<Result<InteractionId>> {
    const interactionId = InteractionId.parse(this.#options.ids.interaction());
    this.#waiting.set(interactionId, { listener, held: null });
    const asking = this.#ask(sessionId, interactionId, ask);
    this.#hold(interactionId, asking);
    return asking;
  }

  async #ask(sessionId: SessionId, interactionId: InteractionId, given: ToolAsk) {
    const { expiresAt, ...ask } = given;
    const limit = expiresAt === undefined ? {} : { expiresAt };
    const writer = this.#options.writer(sessionId);
    const asked = await writer?.command({
      type: 'tool-ask',
      interactionId,
      ask: { ...ask, ...callerOf(ask, writer.state) },
      ...limit,
    });
    if (asked?.ok === true) return accept(interactionId);
    this.#waiting.delete(interactionId);
    return asked ?? refuse('session_not_found');
  }

  end(
    sessionId: SessionId,
    interactionId: InteractionId,
    how: { readonly outcome: 'expired' | 'withdrawn'; readonly reason: string },
  ): Promise<Result<undefined>> {
    const ending = this.#done(
      this.#options.writer(sessionId)?.command({ type: 'end-ask', interactionId, ...how }),
    );
    this.#hold(interactionId, ending);
    return ending;
  }

  leaveOpen(
    sessionId: SessionId,
    interactionId: InteractionId,
    message: string | undefined,
  ): Promise<Result<undefined>> {
    const leaving = this.#done(
      this.#options
        .writer(sessionId)
        ?.command({ type: 'leave-open', interactionId, ...(message === undefined ? {} : { message }) }),
    );
    this.#hold(interactionId, leaving);
    return leaving;
  }

  /** Read from the log: an answer that was given since the start, or under a server between, has left nothing in the state. */
  leftOpen(sessionId: SessionId, callId: string): 'open' | 'answered' | undefined {
    const { log } = this.#options;
    const last = log
      .findByReference(sessionId, askReference(callId))
      .findLast((event) => event.type === 'interaction.requested' && event.ask.tool !== undefined);
    if (last?.type !== 'interaction.requested') return undefined;
    const types = new Set(log.findByReference(sessionId, last.interactionId).map(({ type }) => type));
    if (!types.has('interaction.left-open')) return undefined;
    if (types.has('interaction.decided')) return 'answered';
    return types.has('interaction.resolved') ? undefined : 'open';
  }

  approval(sessionId: SessionId, toolName: string, key: string): 'session' | 'always' | undefined {
    const { book, clock, writer } = this.#options;
    const at = clock.now();
    if (findKeyGrant(book.grants, { toolName, key }, at) !== undefined) return 'always';
    const own = writer(sessionId)?.state.grants ?? [];
    return findKeyGrant(own, { toolName, key }, at) === undefined ? undefined : 'session';
  }

  setApproval(sessionId: SessionId, approval: ToolApproval): Promise<Result<undefined>> {
    const { toolName, key, by, scope } = approval;
    const kept = { grantId: GrantId.parse(this.#options.ids.grant()), toolName, key, by };
    return scope === 'session'
      ? this.#done(this.#options.writer(sessionId)?.command({ type: 'keep-approval', ...kept }))
      : this.#options.book.keep(kept);
  }

  clearApprovals(sessionId: SessionId, toolName: string, by: Actor): Promise<Result<undefined>> {
    return this.#done(this.#options.writer(sessionId)?.command({ type: 'forget-approvals', toolName, by }));
  }

  onRunEnd(listener: (sessionId: SessionId, reason: string) => void): () => void {
    this.#onRunEnd.add(listener);
    return () => this.#onRunEnd.delete(listener);
  }

  /** A decision on a tool's ask is on record: the tool hears it, or, where none is left to hear it, the agent. */
  decided(writer: SessionWriter, live: LiveInteraction): void {
    const { interactionId } = live.requested;
    const waiting = this.#waiting.get(interactionId);
    this.#waiting.delete(interactionId);
    if (waiting === undefined) this.#passOn(writer, live);
    else void this.#handOver(writer, live, waiting);
  }

  /** A tool's ask has ended, and nobody decided. */
  ended(interactionId: InteractionId, outcome: Outcome, reason: string): void {
    const waiting = this.#waiting.get(interactionId);
    if (waiting === undefined) return;
    this.#waiting.delete(interactionId);
    void this.#tell(waiting, { kind: 'ended', outcome, reason });
  }

  runEnded(sessionId: SessionId, reason: string): void {
    for (const listener of this.#onRunEnd) {
      try {
        listener(sessionId, reason);
      } catch (error) {
        this.#note(error, 'A listener for the end of a run failed');
      }
    }
  }

  /** The tools of an earlier server are gone: what was answered and did not reach them goes to the agent as it was given. */
  takeUp(writer: SessionWriter): void {
    for (const live of valuesOf(writer.state.interactions)) {
      if (live.requested.ask.tool !== undefined && live.decided !== null) this.decided(writer, live);
    }
  }

  close(): void {
    this.#waiting.clear();
    this.#onRunEnd.clear();
  }

  /** How many asks somebody waits for. */
  get size(): number {
    return this.#waiting.size;
  }

  async #handOver(writer: SessionWriter, live: LiveInteraction, waiting: Waiting): Promise<void> {
    const { decided, requested, leftOpen } = live;
    if (decided === null) return;
    const { interactionId } = requested;
    const { decision, outcome, by } = decided;
    while (waiting.held !== null) await waiting.held;
    try {
      const answer = waiting.listener({ kind: 'decided', decision, outcome, by });
      if (leftOpen === null) {
        void writer.insist({ type: 'delivered', interactionId, ok: true });
        await answer;
        return;
      }
      // However long the tool takes: nothing else waits for it, and what it never says is passed on after a restart.
      const late = await answer;
      if (late === null) void writer.insist({ type: 'delivered', interactionId, ok: true });
      else this.#passOn(writer, live, late.text);
    } catch (error) {
      this.#note(error, 'A tool failed when it was given an answer');
      this.#passOn(writer, live);
    }
  }

  /** Sends the answer to the agent as a message. An ask that is over by then has been told otherwise, and nothing is sent. */
  #passOn(writer: SessionWriter, { requested, decided }: LiveInteraction, said?: string): void {
    if (decided === null) return;
    const { interactionId, ask } = requested;
    const text = said === undefined || said.trim() === '' ? lateAnswerText(ask, decided.decision) : said;
    const messageId = MessageId.parse(this.#options.ids.message());
    void writer.insist({ type: 'deliver-late', interactionId, messageId, text });
  }

  async #tell(waiting: Waiting, end: AskEnd): Promise<void> {
    while (waiting.held !== null) await waiting.held;
    try {
      await waiting.listener(end);
    } catch (error) {
      this.#note(error, 'A tool failed when it was told of the end of its ask');
    }
  }

  /** Whoever called hears our reply first, and knows by it what the end of the ask means. */
  #hold(interactionId: InteractionId, reply: Promise<unknown>): void {
    const waiting = this.#waiting.get(interactionId);
    if (waiting === undefined) return;
    const heard = Promise.allSettled([waiting.held, reply]).then(nextTurn);
    waiting.held = heard;
    void heard.then(() => {
      if (waiting.held === heard) waiting.held = null;
    });
  }

  async #done(command: Promise<Result<unknown>> | undefined): Promise<Result<undefined>> {
    const done = await command;
    if (done === undefined) return refuse('session_not_found');
    return done.ok ? accept(undefined) : done;
  }

  #note(error: unknown, what: string): void {
    const reason = messageOf(error);
    this.#options.logger.error({ reason }, what);
  }
}

/** The sub-agent that called the tool, by the call that started it. A call that is over is known no more, but by what it asked before. */
function callerOf(
  { toolCallId, tool }: Pick<ToolAsk, 'toolCallId' | 'tool'>,
  state: SessionState,
): Pick<ToolAsk, 'parentToolCallId'> {
  const replaced = tool.replaces === undefined ? undefined : interactionOf(state, tool.replaces);
  const call = toolCallId === undefined ? undefined : valueAt(state.tools, toolCallId);
  const parentToolCallId = call?.parentToolCallId ?? replaced?.requested.ask.parentToolCallId;
  return parentToolCallId === undefined ? {} : { parentToolCallId };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
