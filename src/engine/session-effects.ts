import { asleep } from '../model/deferred-asks.ts';
import { timeLeft } from '../model/limits.ts';
import { valuesOf } from '../model/ordered-map.ts';
import type { LiveInteraction, SessionState } from '../model/state.ts';
import { interactionOf } from '../model/status.ts';
import type { Result } from '../protocol/errors.ts';
import type { Event, EventOf } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { InteractionId, SessionId } from '../protocol/ids.ts';
import type {
  AgentConnection,
  AgentDriver,
  AgentFact,
  AgentStart,
  OutgoingMessage,
  ToolAccess,
} from './ports/agent-driver.ts';
import type { Clock } from './ports/clock.ts';
import type { EventLog, ReadingMark } from './ports/event-log.ts';
import type { Logger } from './ports/logger.ts';
import type { KeptProcess } from './ports/process-host.ts';
import type { SessionEnv } from './ports/session-env.ts';
import type { Commit, SessionRunner } from './session-runner.ts';
import type { AskDesk } from './tool-desk.ts';

export interface EffectsOptions {
  readonly runner: SessionRunner;
  readonly driver: (name: string) => AgentDriver | undefined;
  readonly log: EventLog;
  readonly env: SessionEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tools: Pick<AskDesk, 'decided' | 'ended' | 'runEnded'>;
  /** Asked at each start, so that an agent always gets what is offered now. */
  readonly toolAccess: (sessionId: SessionId) => ToolAccess | null;
  /** Where the agent may be started, looked at anew each time: links may have been turned since the session was made. */
  readonly directory: (state: SessionState) => Result<string>;
  readonly onFacts: (processId: string, facts: readonly AgentFact[], mark?: ReadingMark) => void;
}

const INTERRUPT_LIMIT_MS = 3000;
const ASKED_AGAIN_LIMIT_MS = 30_000;

/** Does what stored events call for: starts, writes, interrupts, ends. Nothing is done here that is not on record first. */
export class SessionEffects {
  readonly #options: EffectsOptions;
  #connection: AgentConnection | null = null;
  #closed: Promise<void> = Promise.resolve();
  #timers = new Map<string, (() => void)[]>();
  /** What was on record when the agent was taken up; what came after it has been done by this server. */
  #takenUpAt = 0;

  constructor(options: EffectsOptions) {
    this.#options = options;
  }

  get connection(): AgentConnection | null {
    return this.#connection;
  }

  /** Settles when the process that was last asked to end has ended. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  after(commit: Commit): void {
    for (const { event, after } of commit.steps) this.#react(event, after, commit.after);
    const reason = endOfRuns(commit);
    if (reason !== undefined) this.#options.tools.runEnded(commit.after.id, reason);
  }

  #react(event: Event, state: SessionState, final: SessionState): void {
    switch (event.type) {
      case 'process.starting':
        this.#start(event.processId, event.resume, state);
        break;
      case 'process.ready':
        for (const { requested } of asleep(state)) this.#expectAgain(requested.interactionId);
        break;
      case 'process.closing':
        this.close();
        break;
      case 'process.exited':
        this.#connection = null;
        for (const { requested } of asleep(state)) this.#clear(askingAgain(requested));
        break;
      case 'message.sending':
        // Given back or taken out in the same breath: then it must not reach the agent.
        if (final.queue.some((item) => item.queued.messageId === event.messageId)) this.#send(event, state);
        break;
      case 'interaction.requested':
        if (interactionOf(final, event.interactionId)?.decided === null) this.#watch(event);
        break;
      case 'interaction.decided':
        this.#clear(event.interactionId);
        // Settled otherwise in the same breath: then nothing is on record as delivered, and nothing is.
        if (interactionOf(final, event.interactionId) !== undefined) this.#answer(event, state);
        if (event.decision.type === 'deny' && event.decision.interrupt) this.#endTurn(event, state);
        break;
      case 'interaction.deferred':
        this.#defer(interactionOf(final, event.interactionId));
        break;
      case 'interaction.raised': {
        this.#clear(askingAgain(event));
        const live = interactionOf(final, event.interactionId);
        if (live?.decided != null) this.#answer(live.decided, final);
        break;
      }
      case 'interaction.left-open':
        this.#clear(event.interactionId);
        if (event.leftOpen.cause === 'server-ended') {
          this.#options.tools.ended(event.interactionId, 'lost', 'The server ended while the tool waited.');
        }
        break;
      case 'interaction.resolved':
        this.#clear(event.interactionId);
        this.#clear(askingAgain(event));
        this.#options.tools.ended(event.interactionId, event.outcome, event.reason ?? '');
        break;
      case 'grant.created':
        this.#watchGrant(event.grant);
        break;
      case 'grant.ended':
        this.#clear(event.grantId);
        break;
      case 'turn.interrupting':
        this.#interrupt(event.turnId);
        break;
      case 'turn.ended':
        this.#clear(event.turnId);
        break;
      default:
    }
  }

  #start(processId: string, resume: string | null, state: SessionState): void {
    try {
      const directory = this.#options.directory(state);
      if (!directory.ok) throw new Error(directory.refusal.message);
      this.#connection = this.#driver(state.agent).start(
        { ...this.#startOf(processId, resume, state), cwd: directory.value },
        (facts, mark) => this.#options.onFacts(processId, facts, mark),
      );
      if (!this.#options.runner.reads) this.#connection.pause();
    } catch (error) {
      // A start is on record: without an end it would be awaited for ever.
      const startError = wordsOf(error);
      this.#options.onFacts(processId, [
        { type: 'exited', code: null, signal: null, startError, stderr: [] },
      ]);
    }
  }

  /** For a start that is on record and was never made: the last server died in between. Under the same id, so that there is one. */
  startAgain(): void {
    const { state } = this.#options.runner;
    const { process: run } = state;
    if (run === null || this.#connection !== null) return;
    if (run.phase === 'starting') this.#start(run.id, run.resume, state);
    // It was asked to end before it began.
    else this.#options.onFacts(run.id, [{ type: 'exited', code: null, signal: null, stderr: [] }]);
  }

  /** Takes up the agent that an earlier server left running. False when it is gone. */
  attach(
    state: SessionState,
    left: { readonly mark: ReadingMark | undefined; readonly kept: readonly KeptProcess[] },
  ): boolean {
    const { process: run } = state;
    if (run === null) return false;
    const live = valuesOf(state.interactions).filter(({ requested }) => requested.ask.tool === undefined);
    const connection = this.#options.driver(state.agent)?.attach?.(
      this.#startOf(run.id, run.resume, state),
      {
        ...left,
        ready: run.phase !== 'starting',
        openAsks: live
          .filter(({ requested }) => requested.processId === run.id)
          .map(({ requested }) => requested.ask.agentRequestId),
        inFlight: state.queue.flatMap(({ queued, sending }) =>
          sending === null
            ? []
            : [{ messageId: queued.messageId, how: sending === 'steer' ? 'steer' : 'turn' }],
        ),
      },
      (facts, mark) => this.#options.onFacts(run.id, facts, mark),
    );
    if (connection === undefined) return false;
    this.#connection = connection;
    if (!this.#options.runner.reads) connection.pause();
    this.#takenUpAt = state.lastSeq;
    return true;
  }

  /** The limits of what is open, and of grants, go on, also where nobody runs who could be asked. */
  watchOpen(state: SessionState): void {
    for (const grant of state.grants) this.#watchGrant(grant);
    for (const { requested, decided } of valuesOf(state.interactions)) {
      if (decided === null && requested.ask.tool === undefined) this.#watch(requested);
    }
  }

  /** What the last server had on record and may not have got to. Done twice, it reaches the agent once. */
  doAgain(state: SessionState): void {
    if (state.process?.phase === 'closing') {
      this.close();
      return;
    }
    for (const { queued, sending } of state.queue) {
      if (sending !== null) this.#send({ messageId: queued.messageId, applied: sending }, state);
    }
    for (const live of valuesOf(state.interactions)) {
      if (live.deferred === 'asleep') this.#leaveAgain(live, state);
      else if (live.decided !== null && live.decided.seq <= this.#takenUpAt)
        this.#answer(live.decided, state, true);
    }
    if (state.turn !== null && state.turn.interrupting !== null) this.#interrupt(state.turn.id);
  }

  /** Lets go of an agent that can live on by itself. */
  detach(): void {
    this.#connection?.detach?.();
  }

  #startOf(processId: string, resume: string | null, state: SessionState): AgentStart {
    return {
      processId,
      sessionId: state.id,
      cwd: state.cwd,
      env: this.#options.env.load(state.id),
      permissionMode: state.permissionMode,
      model: state.model,
      resume,
      tools: this.#options.toolAccess(state.id),
    };
  }

  #driver(name: string): AgentDriver {
    const driver = this.#options.driver(name);
    if (driver === undefined) throw new Error(`There is no agent called "${name}" here.`);
    return driver;
  }

  /** Ends the agent, if there is one. */
  close(): void {
    this.#closed = this.#connection?.close() ?? Promise.resolve();
  }

  #send(event: Pick<EventOf<'message.sending'>, 'messageId' | 'applied'>, state: SessionState): void {
    const item = state.queue.find((other) => other.queued.messageId === event.messageId);
    if (item === undefined || this.#connection === null) return;
    const message: OutgoingMessage = {
      messageId: event.messageId,
      text: item.text,
      images: item.queued.images.flatMap((image) => this.#image(state.id, image.imageId)),
    };
    // A failed write is followed by the agent's exit, which puts the message back into the queue.
    this.#connection
      .send(message, event.applied === 'steer' ? 'steer' : 'turn')
      .catch((error: unknown) => this.#note(error, 'A message could not be written to the agent'));
  }

  #image(sessionId: SessionId, imageId: string): { mediaType: string; data: string }[] {
    const blob = this.#options.log.blob(sessionId, imageId);
    return blob === undefined
      ? []
      : [{ mediaType: blob.mediaType, data: Buffer.from(blob.data).toString('base64') }];
  }

  /** `again`: the last server may have written it, whatever becomes of it now. */
  #answer(event: EventOf<'interaction.decided'>, state: SessionState, again = false): void {
    const live = interactionOf(state, event.interactionId);
    if (live === undefined) return;
    if (live.requested.ask.tool !== undefined) {
      this.#options.tools.decided(this.#options.runner, live);
      return;
    }
    // The agent sleeps, or is about to: it is told when it asks again.
    if (live.deferred === 'asleep') return;
    const { interactionId } = event;
    const report = (ok: boolean, uncertain: boolean): void => {
      this.#options.runner.note({ type: 'delivered', interactionId, ok, uncertain });
    };
    if (this.#connection === null) {
      report(false, again);
      return;
    }
    this.#connection.answer(live.requested.ask, event.decision).then(
      (outcome) => {
        if (!outcome.ok) this.#note(outcome.message, 'An answer could not be written to the agent');
        report(outcome.ok, !outcome.ok && (again || outcome.uncertain === true));
      },
      (error: unknown) => {
        this.#note(error, 'An answer may not have been written to the agent');
        report(false, true);
      },
    );
  }

  /** The agent ends its turn by itself when it is denied so; for a tool that asked, it must be told. */
  #endTurn({ interactionId }: EventOf<'interaction.decided'>, state: SessionState): void {
    if (state.turn === null) return;
    if (interactionOf(state, interactionId)?.requested.ask.tool === undefined) this.#expectEnd(state.turn.id);
    else this.#interrupt(state.turn.id);
  }

  /** To the process that asked; one that was started since is about to ask again. */
  #leaveAgain(live: LiveInteraction, { process: run }: SessionState): void {
    if (live.requested.processId === run?.id) this.#defer(live);
    else if (run?.phase === 'ready') this.#expectAgain(live.requested.interactionId);
  }

  #defer(live: LiveInteraction | undefined): void {
    if (live === undefined) return;
    const { interactionId, ask } = live.requested;
    const refused = (error: unknown): void => {
      this.#note(error, 'An ask could not be left for later');
      void this.#options.runner.insist({ type: 'not-deferred', interactionId });
    };
    this.#connection?.defer?.(ask).then(() => this.#expectAgain(interactionId), refused);
  }

  #expectAgain(interactionId: InteractionId): void {
    this.#arm(askingAgain({ interactionId }), ASKED_AGAIN_LIMIT_MS, () => {
      void this.#options.runner.insist({ type: 'deferred-missing', interactionId });
    });
  }

  #interrupt(turnId: string): void {
    this.#connection
      ?.interrupt()
      .catch((error: unknown) => this.#note(error, 'The agent did not acknowledge the interrupt'));
    this.#expectEnd(turnId);
  }

  #expectEnd(turnId: string): void {
    this.#arm(turnId, INTERRUPT_LIMIT_MS, () => {
      void this.#options.runner.insist({ type: 'interrupt-overdue', turnId });
    });
  }

  #watch(event: EventOf<'interaction.requested'>): void {
    const { interactionId, parksAt, expiresAt, ask } = event;
    const at = (type: 'park' | 'expire', moment: string): void => {
      const left = timeLeft(event.at, moment, this.#options.clock.now());
      this.#arm(interactionId, left, () => void this.#options.runner.insist({ type, interactionId }));
    };
    if (parksAt !== undefined) at('park', parksAt);
    // A tool has a clock of its own.
    if (expiresAt !== undefined && ask.tool === undefined) at('expire', expiresAt);
  }

  #watchGrant({ id: grantId, createdAt, expiresAt }: Grant): void {
    if (expiresAt === undefined) return;
    const left = timeLeft(createdAt, expiresAt, this.#options.clock.now());
    this.#arm(grantId, left, () => void this.#options.runner.insist({ type: 'expire-grant', grantId }));
  }

  #arm(owner: InteractionId | string, milliseconds: number, callback: () => void): void {
    const cancel = this.#options.clock.after(milliseconds, callback);
    this.#timers.set(owner, [...(this.#timers.get(owner) ?? []), cancel]);
  }

  #clear(owner: string): void {
    for (const cancel of this.#timers.get(owner) ?? []) cancel();
    this.#timers.delete(owner);
  }

  /** Releases every timer; for the end of the server. */
  dispose(): void {
    for (const owner of [...this.#timers.keys()]) this.#clear(owner);
  }

  #note(error: unknown, what: string): void {
    this.#options.logger.warn({ sessionId: this.#options.runner.id, reason: wordsOf(error) }, what);
  }
}

/** The timer of an ask that is to come again, apart from those of its limits. */
const askingAgain = ({ interactionId }: { readonly interactionId: InteractionId }): string =>
  `again ${interactionId}`;

/** Why whatever tools do for this session must end, if it must. The last reason is the widest. */
function endOfRuns({ steps }: Commit): string | undefined {
  let reason: string | undefined;
  for (const { event } of steps) {
    if (event.type === 'turn.ended' && event.outcome === 'interrupted') reason = 'The turn was interrupted.';
    if (event.type === 'process.exited') reason = event.reason ?? 'The agent has ended.';
    if (event.type === 'session.stopped') reason = 'The session was stopped.';
  }
  return reason;
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
