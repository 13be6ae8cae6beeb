import type { CountedFact } from '../model/agent-fact.ts';
import { asleep } from '../model/deferred-asks.ts';
import { timeLeft } from '../model/limits.ts';
import { valuesOf } from '../model/ordered-map.ts';
import type { LiveInteraction, SessionState } from '../model/state.ts';
import { interactionOf } from '../model/status.ts';
import { messageOf } from '../protocol/errors.ts';
import type { Event, EventOf } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { InteractionId, SessionId } from '../protocol/ids.ts';
import { DiagnosticCounts, FactIntake } from './fact-intake.ts';
import type { Clock } from './ports/clock.ts';
import type { EventLog } from './ports/event-log.ts';
import type { Logger } from './ports/logger.ts';
import type {
  AttachOrder,
  Checkpoint,
  FactBatch,
  Order,
  Report,
  Run,
  Runner,
  StartOrder,
  ToolAccess,
} from './ports/runner.ts';
import type { SessionEnv } from './ports/session-env.ts';
import type { Commit, SessionWriter } from './session-writer.ts';
import type { AskDesk } from './tool-desk.ts';

export interface EffectsOptions {
  readonly writer: SessionWriter;
  readonly runner: Runner;
  readonly log: EventLog;
  readonly env: SessionEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tools: Pick<AskDesk, 'decided' | 'ended' | 'runEnded'>;
  /** Asked at each start, so that an agent always gets what is offered now. */
  readonly toolAccess: (sessionId: SessionId) => ToolAccess | null;
  /** The directories in which agents may work; empty for anywhere. */
  readonly roots: readonly string[];
  readonly onFacts: (runId: string, facts: readonly CountedFact[], checkpoint?: Checkpoint) => void;
}

const INTERRUPT_LIMIT_MS = 3000;
const ASKED_AGAIN_LIMIT_MS = 30_000;

/** Does what stored events call for: starts, writes, interrupts, ends. Nothing is done here that is not on record first. */
export class SessionEffects {
  readonly #options: EffectsOptions;
  #run: Run | null = null;
  /** Of the run, by whoever attached last. */
  #intake: FactIntake | null = null;
  #diagnostics = new DiagnosticCounts();
  #stored: Checkpoint | undefined;
  /** How far the last report went, if it said so. */
  #reported: Checkpoint | undefined;
  #closed: Promise<void> = Promise.resolve();
  #timers = new Map<string, (() => void)[]>();
  /** What was on record when the agent was taken up; what came after it has been done by this server. */
  #takenUpAt = 0;

  constructor(options: EffectsOptions) {
    this.#options = options;
  }

  get run(): Run | null {
    return this.#run;
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
        this.#run = null;
        this.#intake = null;
        this.#stored = undefined;
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
        this.#putOff(interactionOf(final, event.interactionId), state);
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

  #start(runId: string, resume: string | null, state: SessionState): void {
    this.#diagnostics = new DiagnosticCounts();
    try {
      const order = this.#startOf(runId, resume, state);
      this.#serve(0, (report) => this.#options.runner.start(order, report));
    } catch (error) {
      // A start is on record: without an end it would be awaited for ever.
      this.#options.onFacts(runId, [exited({ startError: messageOf(error) })]);
    }
  }

  /** For a start that is on record and was never made: the last server died in between. Under the same id, so that there is one. */
  startAgain(): void {
    const { state } = this.#options.writer;
    const { process: run } = state;
    if (run === null || this.#run !== null) return;
    if (run.phase === 'starting') this.#start(run.id, run.resume, state);
    // It was asked to end before it began.
    else this.#options.onFacts(run.id, [exited()]);
  }

  /** Takes up the run that an earlier server left, from what is stored of it. */
  attach(state: SessionState, checkpoint: Checkpoint | undefined): void {
    this.#takenUpAt = state.lastSeq;
    this.#stored = checkpoint;
    this.#diagnostics = new DiagnosticCounts(state.process?.diagnostics);
    this.#attach(state, checkpoint?.number ?? 0);
  }

  #attach(state: SessionState, last: number): void {
    const { process: run } = state;
    if (run === null) return;
    try {
      const order = this.#attachOf(run, state, last);
      this.#serve(last, (report) => this.#options.runner.attach(order, report));
    } catch (error) {
      void this.#options.runner.end(run.id);
      this.#options.onFacts(run.id, [exited({ hostLost: messageOf(error) })]);
    }
  }

  #attachOf(run: NonNullable<SessionState['process']>, state: SessionState, last: number): AttachOrder {
    const asked = valuesOf(state.interactions).map(({ requested }) => requested);
    return {
      ...this.#startOf(run.id, run.resume, state),
      checkpoint: this.#stored,
      last,
      ready: run.phase !== 'starting',
      openAsks: asked
        .filter(({ ask, processId }) => ask.tool === undefined && processId === run.id)
        .map(({ ask }) => ask.agentRequestId),
      inFlight: state.queue.flatMap(({ queued, sending }) =>
        sending === null ? [] : [{ messageId: queued.messageId, how: howOf(sending) }],
      ),
    };
  }

  #serve(last: number, begin: (report: Report) => Run): void {
    const intake = new FactIntake(last, this.#diagnostics);
    this.#intake = intake;
    // Facts of an earlier attach may be on their way.
    this.#run = begin((batch) => this.#intake === intake && this.#take(batch, intake));
    if (!this.#options.writer.reads) this.#run.hold();
  }

  #take(batch: FactBatch, intake: FactIntake): void {
    const taken = intake.take(batch);
    if (taken === 'gap') {
      this.#attachAgain(intake);
      return;
    }
    const { facts, last } = taken;
    this.#reported = batch.mark && { number: last, mark: batch.mark };
    if (facts.length > 0) this.#options.onFacts(batch.runId, facts, this.#reported);
  }

  /** Something was lost on its way here: all that came after what is stored is asked for once more. */
  #attachAgain({ last }: FactIntake): void {
    this.#note('facts are missing', 'The run is attached to again');
    this.#attach(this.#options.writer.state, last);
  }

  stored(checkpoint: Checkpoint): void {
    this.#stored = checkpoint;
    this.#run?.stored(checkpoint);
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
      if (live.deferred === 'asleep') this.#putOff(live, state);
      else if (live.decided !== null && live.decided.seq <= this.#takenUpAt)
        this.#answer(live.decided, state, true);
    }
    if (state.turn !== null && state.turn.interrupting !== null) this.#interrupt(state.turn.id);
  }

  /** Lets go of an agent that can live on by itself. What was counted goes on record with the place up to which it was. */
  detach(): void {
    const untold = this.#reported === undefined ? [] : this.#diagnostics.untold();
    if (this.#run !== null && untold.length > 0) this.#options.onFacts(this.#run.id, untold, this.#reported);
    this.#run?.detach?.();
  }

  #startOf(runId: string, resume: string | null, state: SessionState): StartOrder {
    return {
      runId,
      sessionId: state.id,
      agent: state.agent,
      cwd: state.cwd,
      realCwd: state.realCwd,
      roots: this.#options.roots,
      env: this.#options.env.load(state.id),
      permissionMode: state.permissionMode,
      model: state.model,
      resume,
      tools: this.#options.toolAccess(state.id),
    };
  }

  /** Ends the agent, if there is one. */
  close(): void {
    const run = this.#run;
    this.#closed = Promise.resolve(run?.give({ kind: 'end', id: run.id })).then(() => {});
  }

  #send(event: Pick<EventOf<'message.sending'>, 'messageId' | 'applied'>, state: SessionState): void {
    const item = state.queue.find((other) => other.queued.messageId === event.messageId);
    if (item === undefined) return;
    // A failed write is followed by the agent's exit, which puts the message back into the queue.
    this.#give('A message could not be written to the agent', {
      kind: 'message',
      id: event.messageId,
      text: item.text,
      images: item.queued.images.flatMap((image) => this.#image(state.id, image.imageId)),
      how: howOf(event.applied),
    });
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
      this.#options.tools.decided(this.#options.writer, live);
      return;
    }
    // The agent sleeps, or is about to: it is told when it asks again.
    if (live.deferred === 'asleep') return;
    const { interactionId } = event;
    const report = (ok: boolean, uncertain: boolean): void => {
      this.#options.writer.note({ type: 'delivered', interactionId, ok, uncertain });
    };
    if (this.#run === null) {
      report(false, again);
      return;
    }
    const { ask } = live.requested;
    const { decision } = event;
    void this.#run.give({ kind: 'answer', id: interactionId, ask, decision }).then((outcome) => {
      if (!outcome.ok) this.#note(outcome.message, 'An answer could not be written to the agent');
      report(outcome.ok, !outcome.ok && (again || outcome.uncertain === true));
    });
  }

  /** The agent ends its turn by itself when it is denied so; for a tool that asked, it must be told. */
  #endTurn({ interactionId }: EventOf<'interaction.decided'>, state: SessionState): void {
    if (state.turn === null) return;
    if (interactionOf(state, interactionId)?.requested.ask.tool === undefined) this.#expectEnd(state.turn.id);
    else this.#interrupt(state.turn.id);
  }

  /** To the process that asked; one that was started since is about to ask again. */
  #putOff(live: LiveInteraction | undefined, { process: run }: SessionState): void {
    if (live === undefined) return;
    if (live.requested.processId === run?.id) this.#defer(live);
    else if (run?.phase === 'ready') this.#expectAgain(live.requested.interactionId);
  }

  #defer({ requested: { interactionId, ask } }: LiveInteraction): void {
    void this.#run?.give({ kind: 'defer', id: interactionId, ask }).then((outcome) => {
      if (outcome.ok) {
        this.#expectAgain(interactionId);
        return;
      }
      this.#note(outcome.message, 'An ask could not be left for later');
      void this.#options.writer.insist({ type: 'not-deferred', interactionId });
    });
  }

  #expectAgain(interactionId: InteractionId): void {
    this.#arm(askingAgain({ interactionId }), ASKED_AGAIN_LIMIT_MS, () => {
      void this.#options.writer.insist({ type: 'deferred-missing', interactionId });
    });
  }

  #interrupt(turnId: string): void {
    this.#give('The agent did not acknowledge the interrupt', { kind: 'interrupt', id: turnId });
    this.#expectEnd(turnId);
  }

  #expectEnd(turnId: string): void {
    this.#arm(turnId, INTERRUPT_LIMIT_MS, () => {
      void this.#options.writer.insist({ type: 'interrupt-overdue', turnId });
    });
  }

  #watch(event: EventOf<'interaction.requested'>): void {
    const { interactionId, parksAt, expiresAt, ask } = event;
    const at = (type: 'park' | 'expire', moment: string): void => {
      const left = timeLeft(event.at, moment, this.#options.clock.now());
      this.#arm(interactionId, left, () => void this.#options.writer.insist({ type, interactionId }));
    };
    if (parksAt !== undefined) at('park', parksAt);
    // A tool has a clock of its own.
    if (expiresAt !== undefined && ask.tool === undefined) at('expire', expiresAt);
  }

  #watchGrant({ id: grantId, createdAt, expiresAt }: Grant): void {
    if (expiresAt === undefined) return;
    const left = timeLeft(createdAt, expiresAt, this.#options.clock.now());
    this.#arm(grantId, left, () => void this.#options.writer.insist({ type: 'expire-grant', grantId }));
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

  #give(failure: string, order: Order): void {
    void this.#run?.give(order).then((outcome) => {
      if (!outcome.ok) this.#note(outcome.message, failure);
    });
  }

  #note(reason: string, what: string): void {
    this.#options.logger.warn({ sessionId: this.#options.writer.id, reason }, what);
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

const howOf = (applied: EventOf<'message.sending'>['applied']): 'turn' | 'steer' =>
  applied === 'steer' ? 'steer' : 'turn';

const exited = (words: { readonly startError?: string; readonly hostLost?: string } = {}): CountedFact => ({
  type: 'exited',
  code: null,
  signal: null,
  stderr: [],
  ...words,
});
