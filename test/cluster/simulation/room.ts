import type {
  AttachOrder,
  Checkpoint,
  FactBatch,
  OrderOutcome,
  Run,
  Runner,
  StartOrder,
} from '../../../src/engine/ports/runner.ts';
import { isPassing } from '../../../src/engine/ports/runner.ts';
import type { AgentFact } from '../../../src/model/agent-fact.ts';
import { MessageId, SessionId } from '../../../src/protocol/ids.ts';
import type { Ask, Decision } from '../../../src/protocol/interaction.ts';
import type { World } from './machine.ts';

const scriptLength = 3;

interface StoredAsk {
  readonly ask: Ask;
  decision?: Decision;
  /** The step at which the decision came to the disk. */
  decidedAt?: number;
  outcome?: 'delivered' | 'lost' | 'unknown' | 'withdrawn';
}

/** What the room has on its disk of a session. */
export class StoredSession {
  readonly id: SessionId;
  readonly machine: number;
  readonly runId: string;
  phase: 'starting' | 'ready' | 'closing' | 'over' = 'starting';
  readonly facts: AgentFact[] = [];
  number = 0;
  checkpoint: Checkpoint | undefined;
  readonly asks = new Map<string, StoredAsk>();
  readonly messages: { readonly id: string; state: 'queued' | 'sending' | 'taken' }[] = [];
  turns = 0;
  /** Whether what was said here lets everything be done unasked: a person grants nothing. */
  hasGrant = false;

  constructor(id: string, machine: number) {
    this.id = SessionId.parse(id);
    this.machine = machine;
    this.runId = `run of ${id}`.replaceAll(' ', '_');
  }

  add(fact: AgentFact): void {
    this.facts.push(fact);
    switch (fact.type) {
      case 'ready':
        if (this.phase === 'starting') this.phase = 'ready';
        break;
      case 'message-taken': {
        const message = this.messages.find(({ id }) => id === fact.messageId);
        if (message) message.state = 'taken';
        break;
      }
      case 'asked':
        this.asks.set(fact.ask.agentRequestId, { ask: fact.ask });
        break;
      case 'withdrawn': {
        const asked = this.asks.get(fact.agentRequestId);
        if (asked) asked.outcome ??= 'withdrawn';
        break;
      }
      case 'turn-ended':
        this.turns += 1;
        break;
      case 'exited':
        this.lose();
        break;
      case 'said':
        // As a log does: what is said is stored as it is, and read back by its type.
        if ((fact.event.type as string) === 'grant.created') this.hasGrant = true;
        break;
      default:
    }
  }

  lose(): void {
    this.phase = 'over';
    for (const asked of this.asks.values()) asked.outcome ??= asked.decision ? 'unknown' : 'lost';
  }
}

interface Transaction {
  readonly apply: (stored: StoredSession) => void;
  readonly after?: () => void;
}

/** As much of an engine as it takes, on a disk that stays when it is killed. What it does follows from what it has stored. */
export class SimRoom {
  readonly sessions: readonly SimSession[];
  readonly #disk: readonly StoredSession[];
  isKilled = false;

  constructor(world: World, disk: readonly StoredSession[], machines: readonly Runner[]) {
    this.#disk = disk;
    this.sessions = disk.flatMap((stored) => {
      const runner = machines[stored.machine];
      return runner ? [new SimSession(world, stored, runner, this)] : [];
    });
  }

  /** One set of grants for all sessions. */
  get hasGrant(): boolean {
    return this.#disk.some(({ hasGrant }) => hasGrant);
  }
}

export class SimSession {
  readonly stored: StoredSession;
  readonly #world: World;
  readonly #runner: Runner;
  readonly #room: SimRoom;
  #transactions: Transaction[] = [];
  #run: Run | undefined;
  #serving = 0;
  #last = 0;
  /** Decided in this room's life: its end of the run keeps them until they are confirmed. */
  readonly #given = new Set<string>();
  #isAsking = false;
  #isOpen = false;

  constructor(world: World, stored: StoredSession, runner: Runner, room: SimRoom) {
    this.#world = world;
    this.stored = stored;
    this.#runner = runner;
    this.#room = room;
  }

  get hasToCommit(): boolean {
    return this.#transactions.length > 0;
  }

  /** The disk takes what waits, or the first of it. */
  commit(): void {
    const count = 1 + Math.floor(this.#world.random() * this.#transactions.length);
    const transactions = this.#transactions.splice(0, count);
    for (const { apply } of transactions) apply(this.stored);
    for (const { after } of transactions) after?.();
    this.#goOn();
  }

  /** Starts or takes up the agent. */
  async open(): Promise<void> {
    if (this.#isOpen || this.#isAsking || this.stored.phase === 'over') return;
    this.#isAsking = true;
    const left = await this.#runner.left().catch(() => undefined);
    this.#isAsking = false;
    if (left === undefined || this.#room.isKilled) return;
    this.#isOpen = true;
    if (left.some(({ runId }) => runId === this.stored.runId)) this.#attach(this.stored.number);
    else if (this.stored.phase === 'starting')
      this.#serve(0, (report) => this.#runner.start(this.#order(), report));
    else this.#store({ apply: (stored) => stored.lose() });
  }

  /** A person says something, or answers what is asked and on the disk. */
  person(): void {
    const { messages, asks, phase } = this.stored;
    const waiting = this.#transactions.length > 0;
    if (phase === 'over' || waiting) return;
    const open = [...asks.values()].find(({ decision, outcome }) => !decision && !outcome);
    if (open) {
      const isAllowed = this.#room.hasGrant || this.#world.random() < 0.5;
      const decision: Decision = isAllowed
        ? { type: 'allow', scope: 'once' }
        : { type: 'deny', message: 'no', interrupt: false };
      if (!this.#room.hasGrant) this.#world.decisions.set(open.ask.agentRequestId, decision);
      this.#decide(open, decision);
      return;
    }
    if (messages.length >= scriptLength) return;
    const id = `${this.stored.id} m${messages.length}`;
    this.#store({ apply: (stored) => stored.messages.push({ id, state: 'queued' }) });
  }

  #decide(open: StoredAsk, decision: Decision): void {
    const id = open.ask.agentRequestId;
    if (this.#world.fault === 'answer-before-commit') this.#answer(id, open.ask, decision, false);
    this.#store({
      apply: (stored) => {
        const asked = stored.asks.get(id);
        if (asked === undefined || asked.outcome) return;
        asked.decision = decision;
        asked.decidedAt = this.#world.step;
      },
      after: () => {
        const asked = this.stored.asks.get(id);
        if (asked?.decision && !asked.outcome) this.#answer(id, asked.ask, decision, false);
      },
    });
  }

  #answer(id: string, ask: Ask, decision: Decision, again: boolean): void {
    this.#given.add(id);
    void this.#run?.give({ kind: 'answer', id, ask, decision }).then((outcome) => {
      if (this.#room.isKilled) return;
      this.#checkOutcome(id, outcome, again);
      this.#store({
        apply: (stored) => {
          const asked = stored.asks.get(id);
          if (asked)
            asked.outcome ??= outcome.ok ? 'delivered' : outcome.uncertain || again ? 'unknown' : 'lost';
        },
      });
    });
  }

  /** What is told of an answer, held against what became of it. */
  #checkOutcome(id: string, outcome: OrderOutcome, again: boolean): void {
    if (outcome.ok || outcome.uncertain || again) return;
    const { id: session, runId } = this.stored;
    const received = this.#world.agent(runId)?.received ?? [];
    if (received.some((each) => each.kind === 'answer' && each.id === id))
      this.#world.violations.push(`${session}: ${id} is told as not done for certain, and was`);
  }

  #goOn(): void {
    const { phase, messages, turns, asks } = this.stored;
    if (this.#run === undefined || phase !== 'ready' || this.#transactions.length > 0) return;
    const taken = messages.filter(({ state }) => state === 'taken').length;
    const next = messages.find(({ state }) => state === 'queued');
    const isSending = messages.some(({ state }) => state === 'sending');
    const isSettled = [...asks.values()].every(({ outcome }) => outcome);
    if (taken === scriptLength && turns === scriptLength && isSettled)
      this.#store({
        apply: (stored) => {
          stored.phase = 'closing';
        },
        after: () => this.#end(),
      });
    else if (next && !isSending && turns === taken)
      this.#store({
        apply: () => {
          next.state = 'sending';
        },
        after: () => this.#send(next.id),
      });
  }

  #send(id: string): void {
    void this.#run?.give({ kind: 'message', id: MessageId.parse(id), text: 'x', images: [], how: 'turn' });
  }

  #end(): void {
    void this.#run?.give({ kind: 'end', id: this.stored.runId });
  }

  #doAgain(): void {
    const { phase, messages, asks } = this.stored;
    if (phase === 'closing') this.#end();
    for (const { id, state } of messages) if (state === 'sending') this.#send(id);
    for (const [id, { ask, decision, outcome }] of asks)
      if (decision && !outcome && !this.#given.has(id)) this.#answer(id, ask, decision, true);
    this.#goOn();
  }

  #store(transaction: Transaction): void {
    this.#transactions.push(transaction);
  }

  #attach(last: number): void {
    const { checkpoint, phase, asks, messages } = this.stored;
    const order: AttachOrder = {
      ...this.#order(),
      checkpoint,
      last,
      ready: phase !== 'starting',
      openAsks: [...asks].filter(([, { outcome }]) => !outcome).map(([id]) => id),
      inFlight: messages
        .filter(({ state }) => state === 'sending')
        .map(({ id }) => ({ messageId: MessageId.parse(id), how: 'turn' })),
    };
    this.#serve(last, (report) => this.#runner.attach(order, report));
  }

  #serve(last: number, begin: (report: (batch: FactBatch) => void) => Run): void {
    this.#serving += 1;
    const serving = this.#serving;
    this.#last = last;
    this.#run = begin((batch) => {
      if (serving === this.#serving && !this.#room.isKilled) this.#take(batch);
    });
  }

  #take({ first, facts, mark }: FactBatch): void {
    if (first > this.#last + 1) {
      this.#attach(this.#last);
      return;
    }
    const numbered = facts.filter((fact) => !isPassing(fact)).slice(this.#last + 1 - first);
    this.#last = Math.max(this.#last, first - 1 + facts.filter((fact) => !isPassing(fact)).length);
    const checkpoint = mark && { number: this.#last, mark };
    if (numbered.length > 0) this.#storeFacts(numbered, this.#last, checkpoint);
    if (facts.some(({ type }) => type === 'caught-up')) {
      const { saidBefore = 0 } = this.#world.agent(this.stored.runId) ?? {};
      if (this.#last < saidBefore)
        this.#world.violations.push(`${this.stored.id}: caught up at ${this.#last} of ${saidBefore} facts`);
      this.#caughtUp(this.#last);
    }
  }

  /** What is done again follows from what is stored: all that was told before must be. */
  #caughtUp(told: number): void {
    const goOn = (): void => {
      const { id, number } = this.stored;
      if (number < told)
        this.#world.violations.push(`${id}: caught up with ${number} of ${told} facts on the disk`);
      this.#doAgain();
    };
    if (this.#world.fault === 'caught-up-early') goOn();
    else this.#store({ apply: () => {}, after: goOn });
  }

  #storeFacts(facts: readonly AgentFact[], number: number, checkpoint: Checkpoint | undefined): void {
    const setNumber = (stored: StoredSession): void => {
      stored.number = number;
      stored.checkpoint = checkpoint ?? stored.checkpoint;
    };
    const after = (): void => void (checkpoint && this.#run?.stored(checkpoint));
    const isBehind = this.#world.fault === 'number-behind-events';
    this.#store({
      apply: (stored) => {
        for (const fact of facts) stored.add(fact);
        if (!isBehind) setNumber(stored);
      },
      ...(!isBehind && { after }),
    });
    if (isBehind) this.#store({ apply: setNumber, after });
  }

  #order(): StartOrder {
    const { runId, id: sessionId } = this.stored;
    return {
      runId,
      sessionId,
      agent: 'sim',
      cwd: '/',
      realCwd: null,
      roots: [],
      env: {},
      permissionMode: null,
      model: null,
      resume: null,
      tools: null,
    };
  }
}
