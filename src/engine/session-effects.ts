import { asleep } from '../model/deferred-asks.ts';
import { timeLeft } from '../model/limits.ts';
import { valuesOf } from '../model/ordered-map.ts';
import type { LiveInteraction, SessionState } from '../model/state.ts';
import { interactionOf } from '../model/status.ts';
import type { Event, EventOf } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { InteractionId, SessionId } from '../protocol/ids.ts';
import type { Clock } from './ports/clock.ts';
import type { EventLog } from './ports/event-log.ts';
import type { Order, Run } from './ports/runner.ts';
import { howOf, SessionRun, type SessionRunOptions } from './session-run.ts';
import type { Commit, SessionWriter } from './session-writer.ts';
import { Timers } from './timers.ts';
import type { AskDesk } from './tool-desk.ts';
import { TurnRecorder, type TurnRecorderOptions } from './turn-recorder.ts';

export interface EffectsOptions extends SessionRunOptions {
  readonly writer: SessionWriter;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly tools: Pick<AskDesk, 'decided' | 'ended' | 'runEnded'>;
  readonly machines: SessionRunOptions['machines'] & TurnRecorderOptions['machines'];
  readonly undos: TurnRecorderOptions['undos'];
  readonly recordingMs: TurnRecorderOptions['recordingMs'];
}

const INTERRUPT_LIMIT_MS = 3000;
const ASKED_AGAIN_LIMIT_MS = 30_000;
const TURN_BEGINS_WITHIN_MS = 2000;

const isHandingOver = ({ turn, queue }: SessionState): boolean =>
  turn === null && queue.some(({ sending }) => sending !== null);

/** Does what stored events call for: starts, writes, interrupts, ends. Nothing is done here that is not on record first. */
export class SessionEffects {
  readonly #options: EffectsOptions;
  readonly agent: SessionRun;
  readonly recorder: TurnRecorder;
  readonly #timers: Timers;
  #closed: Promise<void> = Promise.resolve();
  /** A message waits until the files are recorded; settles when it was handed over. */
  #held: Promise<void> | undefined;
  /** Told when a turn begins, or the message that it was to begin with is gone. */
  readonly #awaitingTurn = new Set<() => void>();

  constructor(options: EffectsOptions) {
    this.#options = options;
    this.agent = new SessionRun(options);
    this.recorder = new TurnRecorder(options);
    this.#timers = new Timers(options.clock);
  }

  get run(): Run | null {
    return this.agent.current;
  }

  /** Settles when the process that was last asked to end has ended. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /**
   * Settles at once, but for a message that is held back until the files are recorded: then when its turn has begun, or it is clear
   * that none does. Whoever wants to end that turn, or to have a word in it, means the one that is about to begin.
   */
  async turnBegun(): Promise<void> {
    if (this.#held === undefined) return;
    await this.#held;
    if (!isHandingOver(this.#options.writer.state)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaitingTurn.add(resolve);
    const cancel = this.#options.clock.after(TURN_BEGINS_WITHIN_MS, resolve);
    await promise;
    cancel();
    this.#awaitingTurn.delete(resolve);
  }

  after(commit: Commit): void {
    for (const { event, after } of commit.steps) this.#react(event, after, commit.after);
    this.#record(commit);
    if (this.#awaitingTurn.size > 0 && !isHandingOver(commit.after))
      for (const settle of this.#awaitingTurn) settle();
    const reason = endOfRuns(commit);
    if (reason !== undefined) this.#options.tools.runEnded(commit.after.id, reason);
  }

  /** What is read of an agent that is being taken up, or was found to be gone, happened some time ago. */
  #record({ steps }: Commit): void {
    const isLate =
      this.agent.isCatchingUp ||
      steps.some(({ event }) => event.type === 'process.exited' && wasGone.has(event.cause));
    for (const { event } of steps) {
      if (event.type === 'turn.started') this.recorder.turnBegan(event.turnId);
      if (event.type === 'turn.ended') this.recorder.turnEnded(event.turnId, { isLate });
    }
  }

  #react(event: Event, state: SessionState, final: SessionState): void {
    switch (event.type) {
      case 'process.starting':
        this.agent.start(event.processId, event, state);
        break;
      case 'process.ready':
        for (const { requested } of asleep(state)) this.#expectAgain(requested.interactionId);
        break;
      case 'process.closing':
        this.close();
        break;
      case 'process.taken':
        this.agent.attach(state, this.#options.log.start(state.id)?.checkpoint);
        break;
      case 'process.exited':
        this.agent.forget();
        for (const { requested } of asleep(state)) this.#timers.clear(askingAgain(requested));
        break;
      case 'message.sending':
        // Given back or taken out in the same breath: then it must not reach the agent.
        if (final.queue.some((item) => item.queued.messageId === event.messageId)) this.#send(event, state);
        break;
      case 'interaction.requested':
        if (interactionOf(final, event.interactionId)?.decided === null) this.#watch(event);
        break;
      case 'interaction.decided':
        this.#timers.clear(event.interactionId);
        // Settled otherwise in the same breath: then nothing is on record as delivered, and nothing is.
        if (interactionOf(final, event.interactionId) !== undefined) this.#answer(event, state);
        if (event.decision.type === 'deny' && event.decision.interrupt) this.#endTurn(event, state);
        break;
      case 'interaction.deferred':
        this.#putOff(interactionOf(final, event.interactionId), state);
        break;
      case 'interaction.raised': {
        this.#timers.clear(askingAgain(event));
        const live = interactionOf(final, event.interactionId);
        if (live?.decided != null) this.#answer(live.decided, final);
        break;
      }
      case 'interaction.left-open':
        this.#timers.clear(event.interactionId);
        if (event.leftOpen.cause === 'server-ended') {
          this.#options.tools.ended(event.interactionId, 'lost', 'The server ended while the tool waited.');
        }
        break;
      case 'interaction.resolved':
        this.#timers.clear(event.interactionId);
        this.#timers.clear(askingAgain(event));
        this.#options.tools.ended(event.interactionId, event.outcome, event.reason ?? '');
        break;
      case 'grant.created':
        this.#watchGrant(event.grant);
        break;
      case 'grant.ended':
        this.#timers.clear(event.grantId);
        break;
      case 'turn.interrupting':
        this.#interrupt(event.turnId);
        break;
      case 'turn.ended':
        this.#timers.clear(event.turnId);
        break;
      default:
    }
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
    this.agent.caughtUp();
    this.recorder.catchUp();
    if (state.process?.phase === 'closing') {
      this.close();
      return;
    }
    for (const { queued, sending, turnId } of state.queue) {
      if (sending !== null)
        this.#send({ messageId: queued.messageId, applied: sending, turnId }, state, true);
    }
    for (const live of valuesOf(state.interactions)) {
      if (live.deferred === 'asleep') this.#putOff(live, state);
      else if (live.decided !== null && live.decided.seq <= this.agent.takenUpAt)
        this.#answer(live.decided, state, true);
    }
    if (state.turn !== null && state.turn.interrupting !== null) this.#interrupt(state.turn.id);
  }

  /** Ends the agent, if there is one. */
  close(): void {
    const { run } = this;
    this.#closed = Promise.resolve(run?.give({ kind: 'end', id: run.id })).then(() => {});
  }

  /** Before a turn begins its files are recorded. `again`: the agent may have had the message before. */
  #send(event: SentMessage, state: SessionState, again = false): void {
    const { turnId } = event;
    const recorded =
      turnId === undefined || this.#isAway(state)
        ? undefined
        : this.recorder.beforeTurn(turnId, { isLate: again });
    if (recorded === undefined) {
      this.#handOver(event, state);
      return;
    }
    const run = this.run;
    const held = recorded.then(() => {
      const { state: now } = this.#options.writer;
      const isStill = now.queue.some((item) => item.sending !== null && item.turnId === turnId);
      if (isStill && this.run === run) this.#handOver(event, now);
    });
    this.#held = held;
    void held.finally(() => {
      if (this.#held === held) this.#held = undefined;
    });
  }

  #handOver(event: SentMessage, state: SessionState): void {
    const item = state.queue.find((other) => other.queued.messageId === event.messageId);
    if (item === undefined || this.#isAway(state)) return;
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
    const { run } = this;
    if (this.#isAway(state)) return;
    if (run === null) {
      report(false, again);
      return;
    }
    const { ask } = live.requested;
    const { decision } = event;
    void run.give({ kind: 'answer', id: interactionId, ask, decision }).then((outcome) => {
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
    void this.run?.give({ kind: 'defer', id: interactionId, ask }).then((outcome) => {
      if (outcome.ok) {
        this.#expectAgain(interactionId);
        return;
      }
      this.#note(outcome.message, 'An ask could not be left for later');
      void this.#options.writer.insist({ type: 'not-deferred', interactionId });
    });
  }

  #expectAgain(interactionId: InteractionId): void {
    this.#timers.arm(askingAgain({ interactionId }), ASKED_AGAIN_LIMIT_MS, () => {
      void this.#options.writer.insist({ type: 'deferred-missing', interactionId });
    });
  }

  #interrupt(turnId: string): void {
    this.#give('The agent did not acknowledge the interrupt', { kind: 'interrupt', id: turnId });
    this.#expectEnd(turnId);
  }

  #expectEnd(turnId: string): void {
    this.#timers.arm(turnId, INTERRUPT_LIMIT_MS, () => {
      void this.#options.writer.insist({ type: 'interrupt-overdue', turnId });
    });
  }

  #watch(event: EventOf<'interaction.requested'>): void {
    const { interactionId, parksAt, expiresAt, ask } = event;
    const at = (type: 'park' | 'expire', moment: string): void => {
      const left = timeLeft(event.at, moment, this.#options.clock.now());
      this.#timers.arm(interactionId, left, () => void this.#options.writer.insist({ type, interactionId }));
    };
    if (parksAt !== undefined) at('park', parksAt);
    // A tool has a clock of its own.
    if (expiresAt !== undefined && ask.tool === undefined) at('expire', expiresAt);
  }

  #watchGrant({ id: grantId, createdAt, expiresAt }: Grant): void {
    if (expiresAt === undefined) return;
    const left = timeLeft(createdAt, expiresAt, this.#options.clock.now());
    this.#timers.arm(
      grantId,
      left,
      () => void this.#options.writer.insist({ type: 'expire-grant', grantId }),
    );
  }

  /** Releases every timer; for the end of the server. */
  dispose(): void {
    this.#timers.clearAll();
  }

  /** What is on record is done when the machine is back, once it is known what its agent did meanwhile. */
  #isAway({ machine }: SessionState): boolean {
    return this.agent.isAwaited || this.#options.machines.away(machine) !== undefined;
  }

  #give(failure: string, order: Order): void {
    void this.run?.give(order).then((outcome) => {
      if (!outcome.ok) this.#note(outcome.message, failure);
    });
  }

  #note(reason: string, what: string): void {
    this.#options.logger.warn({ sessionId: this.#options.writer.id, reason }, what);
  }
}

type SentMessage = Pick<EventOf<'message.sending'>, 'messageId' | 'applied' | 'turnId'>;

const wasGone: ReadonlySet<EventOf<'process.exited'>['cause']> = new Set([
  'server-ended',
  'host-ended',
  'given-up',
]);

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
