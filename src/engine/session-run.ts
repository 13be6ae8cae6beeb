import type { CountedFact } from '../model/agent-fact.ts';
import { valuesOf } from '../model/ordered-map.ts';
import type { AgentRun, SessionState } from '../model/state.ts';
import { messageOf } from '../protocol/errors.ts';
import type { EventOf } from '../protocol/event.ts';
import type { SessionId } from '../protocol/ids.ts';
import { DiagnosticCounts, FactIntake } from './fact-intake.ts';
import type { Machines } from './machines.ts';
import type { Logger } from './ports/logger.ts';
import type {
  AttachOrder,
  Checkpoint,
  FactBatch,
  Report,
  Run,
  Runner,
  StartOrder,
  ToolAccess,
} from './ports/runner.ts';
import type { SessionEnv } from './ports/session-env.ts';
import type { SessionWriter } from './session-writer.ts';

export interface SessionRunOptions {
  readonly writer: Pick<SessionWriter, 'id' | 'state' | 'reads'>;
  readonly machines: Pick<Machines, 'runner' | 'away'>;
  readonly env: SessionEnv;
  readonly logger: Logger;
  /** Asked at each start, so that an agent always gets what is offered now. */
  readonly toolAccess: (sessionId: SessionId) => ToolAccess | null;
  /** The directories in which agents of the server's own machine may work; empty for anywhere. Each other one has its own. */
  readonly roots: readonly string[];
  readonly onFacts: (runId: string, facts: readonly CountedFact[], checkpoint?: Checkpoint) => void;
}

/** A session's end of the run of its agent: starts it or attaches to it, and takes what it reports, each fact once and in order. */
export class SessionRun {
  readonly #options: SessionRunOptions;
  #run: Run | null = null;
  /** Of the run, by whoever attached last. */
  #intake: FactIntake | null = null;
  #diagnostics = new DiagnosticCounts();
  #stored: Checkpoint | undefined;
  /** How far the last report went, if it said so. */
  #reported: Checkpoint | undefined;
  #takenUpAt = 0;
  #isAwaited = false;
  #isCatchingUp = false;

  constructor(options: SessionRunOptions) {
    this.#options = options;
  }

  get current(): Run | null {
    return this.#run;
  }

  /** What was on record when the agent was taken up; what came after it has been done by this server. */
  get takenUpAt(): number {
    return this.#takenUpAt;
  }

  /** Its machine has not been there since the server was started: the run is attached to when it comes. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  /** What is told now was said before it was attached to. */
  get isCatchingUp(): boolean {
    return this.#isCatchingUp;
  }

  caughtUp(): void {
    this.#isCatchingUp = false;
  }

  await(state: SessionState, checkpoint: Checkpoint | undefined): void {
    this.#isAwaited = true;
    this.#stored = checkpoint;
    this.#diagnostics = new DiagnosticCounts(state.process?.diagnostics);
  }

  start(runId: string, from: Beginning, state: SessionState): void {
    this.#diagnostics = new DiagnosticCounts();
    try {
      const order = this.#startOf(runId, from, state);
      const runner = this.#runner(state);
      this.#serve(0, (report) => runner.start(order, report));
    } catch (error) {
      // A start is on record: without an end it would be awaited for ever.
      this.#options.onFacts(runId, [exited({ startError: messageOf(error) })]);
    }
  }

  /** For a start that is on record and was never made: the last server died in between. Under the same id, so that there is one. */
  startAgain(): void {
    const { state } = this.#options.writer;
    const { process: run } = state;
    if (run === null || (this.#run !== null && state.machine === null)) return;
    if (run.phase === 'starting') this.start(run.id, run, state);
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

  /**
   * Its machine is back, and has the run: what was said since is told, and what was ordered since is ordered again. Done twice, it
   * reaches the agent once.
   */
  attachAgain(state: SessionState): void {
    this.#takenUpAt = state.lastSeq;
    this.#attach(state, this.#intake?.last ?? this.#stored?.number ?? 0);
  }

  stored(checkpoint: Checkpoint): void {
    this.#stored = checkpoint;
    this.#run?.stored(checkpoint);
  }

  /** It has exited, and that is on record. */
  forget(): void {
    this.#run = null;
    this.#isAwaited = false;
    this.#isCatchingUp = false;
    this.#intake = null;
    this.#stored = undefined;
    this.#reported = undefined;
  }

  /** Lets go of an agent that can live on by itself. What was counted goes on record with the place up to which it was. */
  detach(): void {
    const untold = this.#reported === undefined ? [] : this.#diagnostics.untold();
    if (this.#run !== null && untold.length > 0) this.#options.onFacts(this.#run.id, untold, this.#reported);
    this.#run?.detach?.();
  }

  #attach(state: SessionState, last: number): void {
    const { process: run } = state;
    if (run === null) return;
    this.#isCatchingUp = true;
    try {
      const order = this.#attachOf(run, state, last);
      const runner = this.#runner(state);
      this.#serve(last, (report) => runner.attach(order, report));
    } catch (error) {
      void this.#options.machines.runner(state.machine)?.end(run.id);
      this.#options.onFacts(run.id, [exited({ hostLost: messageOf(error) })]);
    }
  }

  #runner({ machine }: SessionState): Runner {
    const runner = this.#options.machines.runner(machine);
    if (runner === undefined) throw new Error(`There is no machine called "${machine}" any more.`);
    return runner;
  }

  #startOf(runId: string, { resume, fork }: Beginning, state: SessionState): StartOrder {
    return {
      runId,
      sessionId: state.id,
      agent: state.agent,
      cwd: state.cwd,
      realCwd: state.realCwd,
      roots: state.machine === null ? this.#options.roots : [],
      env: this.#options.env.load(state.id),
      permissionMode: state.permissionMode,
      model: state.model,
      resume,
      ...(fork && { fork }),
      costUsd: state.usage.costUsd,
      tools: this.#options.toolAccess(state.id),
    };
  }

  #attachOf(run: AgentRun, state: SessionState, last: number): AttachOrder {
    const asked = valuesOf(state.interactions).map(({ requested }) => requested);
    return {
      ...this.#startOf(run.id, run, state),
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
    this.#isAwaited = false;
    const intake = new FactIntake(last, this.#diagnostics);
    this.#intake = intake;
    // Facts of an earlier attach may be on their way.
    this.#run = begin((batch) => this.#intake === intake && this.#take(batch, intake));
    if (!this.#options.writer.reads) this.#run.hold();
  }

  #take(batch: FactBatch, intake: FactIntake): void {
    const taken = intake.take(batch);
    if (taken === 'gap') {
      const { writer, logger } = this.#options;
      // Something was lost on its way here: all that came after what is stored is asked for once more.
      logger.warn({ sessionId: writer.id, reason: 'facts are missing' }, 'The run is attached to again');
      this.#attach(writer.state, intake.last);
      return;
    }
    const { facts, last } = taken;
    this.#reported = batch.mark && { number: last, mark: batch.mark };
    if (facts.length > 0) this.#options.onFacts(batch.runId, facts, this.#reported);
  }
}

/** What an agent goes on with. */
interface Beginning extends Pick<StartOrder, 'resume'> {
  readonly fork?: StartOrder['fork'] | undefined;
}

/** How a message is handed over. */
export const howOf = (applied: EventOf<'message.sending'>['applied']): 'turn' | 'steer' =>
  applied === 'steer' ? 'steer' : 'turn';

const exited = (words: { readonly startError?: string; readonly hostLost?: string } = {}): CountedFact => ({
  type: 'exited',
  code: null,
  signal: null,
  stderr: [],
  ...words,
});
