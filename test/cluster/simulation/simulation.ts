import { setImmediate as turn } from 'node:timers/promises';
import { Incoming } from '../../../src/cluster/channel.ts';
import type { RoomMessage, RunnerMessage } from '../../../src/cluster/message.ts';
import { RoomSide } from '../../../src/cluster/room-side.ts';
import { RunnerSide } from '../../../src/cluster/runner-side.ts';
import { isPassing } from '../../../src/engine/ports/runner.ts';
import { AgentFact } from '../../../src/model/agent-fact.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type Fault, SimMachine, type World } from './machine.ts';
import { SimRoom, StoredSession } from './room.ts';

const machineCount = 2;
const calmSteps = 6_000;

interface Carried {
  readonly to: 'room' | 'runner';
  readonly machine: number;
  readonly text: string;
}

/**
 * A room, runners on two machines, their agents, the link and the disks in one process, moved step by step by a seed: messages are
 * lost, doubled and reordered, processes killed between any two steps, the carrier comes back empty. Then all is calm, everything is
 * started again, and in the end the promises are checked from outside. Returns what was broken.
 */
export async function simulate(seed: number, fault?: Fault): Promise<readonly string[]> {
  const simulation = new Simulation(seed, fault);
  await simulation.run();
  return simulation.violations();
}

class Simulation {
  readonly #world: World;
  readonly #machines: readonly SimMachine[];
  readonly #disk: readonly StoredSession[];
  readonly #carried: Carried[] = [];
  readonly #runners: (RunnerSide | undefined)[] = [];
  #room: { readonly sim: SimRoom; readonly sides: readonly RoomSide[] } | undefined;
  /** The machine that was broken into, if any. */
  readonly #hostile: number | undefined;
  readonly #isCut: boolean[] = [];
  /** The frame by which each order was said on each connection. */
  readonly #said = new Map<string, number>();
  /** What is done a moment later. */
  readonly #moments: (() => void)[] = [];
  readonly #inAMoment = (work: () => void): void => void this.#moments.push(work);
  #starts = 0;
  #isCalm = false;

  constructor(seed: number, fault: Fault | undefined) {
    const random = seededRandom(seed);
    const agent = (runId: string) =>
      this.#machines.map(({ agents }) => agents.get(runId)).find((found) => found !== undefined);
    this.#world = { random, fault, step: 0, violations: [], decisions: new Map(), agent };
    this.#hostile = random() < 0.2 ? 0 : undefined;
    this.#machines = Array.from({ length: machineCount }, () => new SimMachine(this.#world, random() < 0.8));
    this.#disk = [0, 1, 1].map((machine, index) => new StoredSession(`s${index}`, machine));
  }

  async run(): Promise<void> {
    const unwilling = planted[this.#world.fault ?? '']?.();
    this.#startRoom();
    for (let machine = 0; machine < machineCount; machine += 1) this.#startRunner(machine);
    const steps = 200 + Math.floor(this.#world.random() * 300);
    for (let step = 0; step < steps; step += 1) await this.#step();
    this.#isCalm = true;
    this.#isCut.fill(false);
    for (let step = 0; step < calmSteps && !this.#isOver; step += 1) await this.#step();
    unwilling?.();
  }

  violations(): readonly string[] {
    const { violations } = this.#world;
    if (this.#disk.some(({ hasGrant }) => hasGrant)) violations.push('a runner has granted something');
    for (const stored of this.#disk) if (stored.machine !== this.#hostile) this.#check(stored);
    return violations;
  }

  get #isOver(): boolean {
    return this.#disk.every(({ phase, machine }) => phase === 'over' || machine === this.#hostile);
  }

  #check(stored: StoredSession): void {
    const { violations } = this.#world;
    const say = (what: string): void => void violations.push(`${stored.id}: ${what}`);
    const machine = this.#machines[stored.machine];
    const agent = machine?.agents.get(stored.runId);
    if (stored.phase !== 'over') say(`not over but ${stored.phase}`);
    const said = agent?.said.filter((fact) => !isPassing(fact)) ?? [];
    // Of an agent that went with its runner, what it said last may be lost; its exit is told in words.
    const isAll = machine?.agentsOutlive === true && agent !== undefined;
    const facts = isAll ? stored.facts : stored.facts.filter(({ type }) => type !== 'exited');
    const expected = isAll ? said : said.slice(0, facts.length);
    if (JSON.stringify(facts) !== JSON.stringify(expected))
      say(`stored ${types(facts)} of what was said: ${types(said)}`);
    for (const { id, state } of stored.messages) {
      const count = agent?.received.filter((each) => each.id === id).length ?? 0;
      if (count > 1) say(`message ${id} reached its agent ${count} times`);
      if (state === 'taken' && count === 0) say(`message ${id} was taken and never given`);
    }
    for (const [id, { decision, decidedAt, outcome }] of stored.asks) {
      const answers = agent?.received.filter((each) => each.kind === 'answer' && each.id === id) ?? [];
      const [answer] = answers;
      if (answers.length > 1) say(`the answer to ${id} reached its agent ${answers.length} times`);
      if (outcome === undefined) say(`what became of ${id} is not known`);
      if (outcome === 'delivered' && !answer) say(`${id} is told as delivered, and is not`);
      if (outcome === 'lost' && answer) say(`${id} is told as lost, and was delivered`);
      if (answer && (decidedAt === undefined || decidedAt > answer.step))
        say(`the answer to ${id} left before it was on the disk`);
      if (answer && JSON.stringify(answer.decision) !== JSON.stringify(decision))
        say(`${id} was answered otherwise than decided`);
      const byPerson = this.#world.decisions.get(id);
      if (answer && JSON.stringify(answer.decision) !== JSON.stringify(byPerson))
        say(`${id} was answered, and not by a person`);
    }
  }

  async #step(): Promise<void> {
    this.#world.step += 1;
    const { random } = this.#world;
    this.#choose(random())();
    await turn();
    for (const { id, number, facts } of this.#disk)
      if (number !== facts.length && this.#room === undefined && this.#world.violations.length === 0)
        this.#world.violations.push(`${id}: ${facts.length} facts are on the disk with the number ${number}`);
  }

  #choose(chance: number): () => void {
    if (this.#isCalm) {
      if (this.#room === undefined) return () => this.#startRoom();
      const missing = this.#runners.indexOf(undefined);
      if (missing !== -1 || this.#runners.length < machineCount)
        return () => this.#startRunner(missing === -1 ? this.#runners.length : missing);
    } else if (chance < 0.035) return () => this.#disturb();
    if (chance < 0.1) return () => this.#tick();
    if (chance < 0.5) return () => this.#carry();
    if (chance < 0.65) return () => this.#agentsWork();
    if (chance < 0.75) return () => this.#read();
    if (chance < 0.9) return () => this.#commit();
    return () => this.#personActs();
  }

  #disturb(): void {
    const chance = this.#world.random();
    const machine = Math.floor(this.#world.random() * machineCount);
    if (this.#room === undefined && chance < 0.5) this.#startRoom();
    else if (this.#runners[machine] === undefined) this.#startRunner(machine);
    else if (this.#isCut[machine]) this.#isCut[machine] = false;
    else if (chance < 0.25) this.#killRoom();
    else if (chance < 0.6) this.#killRunner(machine);
    else if (chance < 0.7) this.#carried.length = 0;
    else if (chance < 0.93) this.#isCut[machine] = true;
    else this.#one([...(this.#machines[machine]?.agents.values() ?? [])])?.exit();
  }

  #killRoom(): void {
    if (this.#room === undefined) return;
    this.#room.sim.isKilled = true;
    for (const side of this.#room.sides) silence(side);
    this.#room = undefined;
  }

  #startRoom(): void {
    this.#starts += 1;
    const id = `room${this.#starts}`;
    const sides = this.#machines.map(
      (_, machine): RoomSide =>
        new RoomSide({
          name: `machine${machine}`,
          id,
          inAMoment: this.#inAMoment,
          send: (message) => {
            if (this.#room?.sides[machine] !== sides[machine]) return;
            this.#noteOrders(message);
            this.#carried.push({ to: 'runner', machine, text: JSON.stringify(message) });
          },
          seal: JSON.stringify,
          onState: () => {},
          onOdd: () => {},
        }),
    );
    this.#room = { sim: new SimRoom(this.#world, this.#disk, sides), sides };
  }

  /** An order is said once on a connection: what failed for certain must not be tried anew behind the back of who was told so. */
  #noteOrders(message: RoomMessage): void {
    if (message.type !== 'frames') return;
    for (const { number, text } of message.frames) {
      if (!text.startsWith('{"type":"give"')) continue;
      const { runId, give } = JSON.parse(text) as { runId: string; give: string };
      const order = `${message.connection} ${runId} ${give}`;
      const known = this.#said.get(order) ?? number;
      this.#said.set(order, known);
      if (known !== number) this.#world.violations.push(`order ${order} was said twice on one connection`);
    }
  }

  #startRunner(machine: number): void {
    const place = this.#machines[machine];
    if (place === undefined) return;
    this.#starts += 1;
    const id = `runner${machine}-${this.#starts}`;
    const side: RunnerSide = new RunnerSide({
      runner: place.open(),
      id,
      earlier: [...place.starts],
      left: place.left,
      version: '1',
      inAMoment: this.#inAMoment,
      send: (message) => {
        if (this.#runners[machine] === side) this.#fromRunner(machine, message);
      },
      unseal: (sealed) => JSON.parse(sealed),
      onRefused: () => {},
      onOdd: (what) => void this.#world.violations.push(`not understood: ${what}`),
    });
    place.starts.push(id);
    this.#runners[machine] = side;
  }

  #killRunner(machine: number): void {
    this.#machines[machine]?.kill();
    this.#runners[machine] = undefined;
  }

  #fromRunner(machine: number, message: RunnerMessage): void {
    const isForged = machine === this.#hostile && message.type === 'frames' && this.#world.random() < 0.3;
    const text = JSON.stringify(
      isForged ? forged(message, this.#disk[0]?.runId ?? '', this.#disk[1]?.runId ?? '') : message,
    );
    this.#carried.push({ to: 'room', machine, text });
  }

  #carry(): void {
    if (this.#world.random() < 0.5) for (const work of this.#moments.splice(0)) work();
    for (let count = 0; count < 4; count += 1) this.#carryOne();
  }

  #carryOne(): void {
    const { random } = this.#world;
    const at = random() < 0.6 ? 0 : Math.floor(random() * this.#carried.length);
    const [carried] = this.#carried.splice(at, 1);
    if (carried === undefined || this.#isCut[carried.machine]) return;
    const chance = this.#isCalm ? 1 : random();
    if (chance < 0.08) return;
    if (chance < 0.2) this.#carried.splice(Math.floor(random() * this.#carried.length), 0, carried);
    const { to, machine, text } = carried;
    if (to === 'runner') this.#runners[machine]?.heard(JSON.parse(text));
    else this.#room?.sides[machine]?.heard(JSON.parse(text));
  }

  #tick(): void {
    for (const runner of this.#runners) if (this.#world.random() < 0.7) runner?.tick();
    for (const side of this.#room?.sides ?? []) if (this.#world.random() < 0.7) side.tick();
    for (const session of this.#room?.sim.sessions ?? []) void session.open();
  }

  #agentsWork(): void {
    for (const { agents } of this.#machines) {
      const agent = this.#one([...agents.values()].filter(({ isBusy }) => isBusy));
      agent?.work();
      if (this.#world.random() < 0.02) this.#one([...agents.values()])?.withdraw();
    }
  }

  #read(): void {
    for (const { readers } of this.#machines) this.#one(readers)?.work();
  }

  #commit(): void {
    for (const session of this.#room?.sim.sessions ?? []) if (session.hasToCommit) session.commit();
  }

  #personActs(): void {
    this.#one(this.#room?.sim.sessions ?? [])?.person();
  }

  #one<T>(things: readonly T[]): T | undefined {
    return things[Math.floor(this.#world.random() * things.length)];
  }
}

/** What was broken into says what it likes, to have more than it may. */
function forged(
  message: Extract<RunnerMessage, { type: 'frames' }>,
  ownRun: string,
  otherRun: string,
): object {
  const batch = (facts: object[]) => ({ type: 'facts', batch: { runId: otherRun, first: 1, facts } });
  const grant = { type: 'said', event: { type: 'grant.created', grant: { id: 'g', pattern: '*' } } };
  // As many as it takes to be beyond what is stored of its own run.
  const grants = { runId: ownRun, first: 1, facts: Array.from({ length: 40 }, () => grant) };
  const items = [
    { type: 'grant', grant: { id: 'g', pattern: '*' } },
    { type: 'facts', batch: grants },
    batch([{ type: 'interaction.decided', decision: { type: 'allow' } }]),
    batch([{ type: 'exited', code: 0, signal: null, stderr: [] }]),
    { type: 'outcome', runId: otherRun, give: '1', outcome: { ok: true } },
  ];
  const frames = message.frames.map((frame, index) => ({
    ...frame,
    isLast: true,
    text: JSON.stringify(items[(frame.number + index) % items.length]),
  }));
  return { ...message, frames };
}

/** The room is gone: whatever it still had to say is not said. */
function silence(side: RoomSide): void {
  side.heard = () => {};
}

/** Faults in the program itself. Each returns what takes it out again. */
const planted: Readonly<Record<string, () => () => void>> = {
  'fact-skipped': skipWhatIsMissing,
  'grant-from-runner': takeEveryFact,
};

/** What a machine tells as a fact is one, whatever it is. */
function takeEveryFact(): () => void {
  const { safeParse } = AgentFact;
  AgentFact.safeParse = ((data: unknown) => ({ success: true, data })) as typeof safeParse;
  return () => {
    AgentFact.safeParse = safeParse;
  };
}

/** The receiving end goes on behind what it did not get. */
function skipWhatIsMissing(): () => void {
  const { take } = Incoming.prototype;
  Incoming.prototype.take = function (this: Incoming, frame) {
    while (this.taken + 1 < frame.number)
      take.call(this, { number: this.taken + 1, text: 'null', isLast: true });
    return take.call(this, frame);
  };
  return () => {
    Incoming.prototype.take = take;
  };
}

const types = (facts: readonly { readonly type: string }[]): string =>
  facts.map(({ type }) => type).join(' ');
