import type { SessionState } from '../model/state.ts';
import type { Event, EventOf } from '../protocol/event.ts';
import type { InteractionId, SessionId } from '../protocol/ids.ts';
import type { AgentConnection, AgentDriver, AgentFact, OutgoingMessage } from './ports/agent-driver.ts';
import type { Clock } from './ports/clock.ts';
import type { EventLog } from './ports/event-log.ts';
import type { Logger } from './ports/logger.ts';
import type { SessionEnv } from './ports/session-env.ts';
import type { Commit, SessionRunner } from './session-runner.ts';

export interface EffectsOptions {
  readonly runner: SessionRunner;
  readonly driver: (name: string) => AgentDriver | undefined;
  readonly log: EventLog;
  readonly env: SessionEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onFacts: (processId: string, facts: readonly AgentFact[]) => void;
}

const INTERRUPT_LIMIT_MS = 3000;

/** Does what stored events call for: starts, writes, interrupts, ends. Nothing is done here that is not on record first. */
export class SessionEffects {
  readonly #options: EffectsOptions;
  #connection: AgentConnection | null = null;
  #closed: Promise<void> = Promise.resolve();
  #timers = new Map<string, (() => void)[]>();

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
  }

  #react(event: Event, state: SessionState, final: SessionState): void {
    switch (event.type) {
      case 'process.starting':
        this.#start(event, state);
        break;
      case 'process.closing':
        this.close();
        break;
      case 'process.exited':
        this.#connection = null;
        break;
      case 'message.sending':
        // Given back or taken out in the same breath: then it must not reach the agent.
        if (final.queue.some((item) => item.queued.messageId === event.messageId)) this.#send(event, state);
        break;
      case 'interaction.requested':
        if (final.interactions[event.interactionId]?.decided === null) this.#watch(event);
        break;
      case 'interaction.decided':
        this.#clear(event.interactionId);
        // Settled otherwise in the same breath: then nothing is on record as delivered, and nothing is.
        if (final.interactions[event.interactionId] !== undefined) this.#answer(event, state);
        if (event.decision.type === 'deny' && event.decision.interrupt) this.#expectEnd(state.turn?.id);
        break;
      case 'interaction.resolved':
        this.#clear(event.interactionId);
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

  #start(event: EventOf<'process.starting'>, state: SessionState): void {
    const { processId } = event;
    try {
      this.#connection = this.#driver(state.agent).start(
        {
          processId,
          sessionId: state.id,
          cwd: state.cwd,
          env: this.#options.env.load(state.id),
          permissionMode: state.permissionMode,
          model: state.model,
          resume: event.resume,
        },
        (facts) => this.#options.onFacts(processId, facts),
      );
    } catch (error) {
      // A start is on record: without an end it would be awaited for ever.
      const startError = wordsOf(error);
      this.#options.onFacts(processId, [
        { type: 'exited', code: null, signal: null, startError, stderr: [] },
      ]);
    }
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

  #send(event: EventOf<'message.sending'>, state: SessionState): void {
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

  #answer(event: EventOf<'interaction.decided'>, state: SessionState): void {
    const live = state.interactions[event.interactionId];
    if (live === undefined) return;
    const report = (ok: boolean): void => {
      void this.#options.runner.insist({ type: 'delivered', interactionId: event.interactionId, ok });
    };
    if (this.#connection === null) {
      report(false);
      return;
    }
    this.#connection.answer(live.requested.ask, event.decision).then(
      () => report(true),
      (error: unknown) => {
        this.#note(error, 'An answer could not be written to the agent');
        report(false);
      },
    );
  }

  #interrupt(turnId: string): void {
    this.#connection
      ?.interrupt()
      .catch((error: unknown) => this.#note(error, 'The agent did not acknowledge the interrupt'));
    this.#expectEnd(turnId);
  }

  #expectEnd(turnId: string | undefined): void {
    if (turnId === undefined) return;
    this.#arm(turnId, INTERRUPT_LIMIT_MS, () => {
      void this.#options.runner.insist({ type: 'interrupt-overdue', turnId });
    });
  }

  #watch(event: EventOf<'interaction.requested'>): void {
    const { interactionId, parksAt, expiresAt } = event;
    const at = (type: 'park' | 'expire', moment: string): void => {
      const left = Date.parse(moment) - Date.parse(this.#options.clock.now());
      this.#arm(interactionId, left, () => void this.#options.runner.insist({ type, interactionId }));
    };
    if (parksAt !== undefined) at('park', parksAt);
    if (expiresAt !== undefined) at('expire', expiresAt);
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

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
