import type { Away } from '../model/command.ts';
import { type Result, refuse } from '../protocol/errors.ts';
import { localMachine, type MachineLoad, type MachineState } from '../protocol/machine.ts';
import type { Clock } from './ports/clock.ts';
import { type Machine, type MachineSource, UnreachableError } from './ports/machine.ts';
import type { LeftRun, Runner } from './ports/runner.ts';
import type { EngineSettings } from './settings.ts';

const RETRY_MS = 1000;

export interface MachinesOptions {
  readonly local: Runner;
  /** The others; none for most. */
  readonly source?: MachineSource | undefined;
  readonly clock: Clock;
  /** How busy the server's own is. */
  readonly localLoad?: (() => MachineLoad | undefined) | undefined;
  /** Machines that sessions name, whether or not they still belong to this server. */
  readonly named: () => Iterable<string>;
}

/** What the engine does about other machines. */
export interface MachineEvents {
  /** It can be reached, and says what runs there. `away` holds until then. */
  onBack(name: string, left: readonly LeftRun[]): void;
  /** Of what runs there, what no session has. */
  unclaimed(name: string, left: readonly LeftRun[]): readonly LeftRun[];
  /** It was taken up, and `away` says so. */
  onServed(name: string): void;
  onAway(name: string): void;
  /** What `states` tells has changed. */
  onChange(): void;
  onFailure(name: string, error: unknown): void;
}

interface Known {
  readonly name: string;
  machine: Machine | undefined;
  isReachable: boolean;
  since: string;
  /** Counted up at each coming and going, so that what was begun before is not finished after. */
  visit: number;
  /** Whether its runs have been taken up since it came. */
  isServed: boolean;
  /** The runs there that no session has, as they were last found. */
  unclaimed: readonly LeftRun[];
  /** Of those who wait for something there: told when it goes away. */
  readonly waiting: Set<() => void>;
}

/**
 * The machines that agents run on. That of the server itself is always there and costs nothing; each other one comes and goes, and
 * is served once it was asked what runs there. A machine that sessions name and nobody has heard of is one that cannot be reached.
 */
export class Machines {
  readonly local: Runner;
  readonly #options: MachinesOptions;
  readonly #openedAt: string;
  readonly #known = new Map<string, Known>();
  #events: MachineEvents | undefined;
  #forget: (() => void) | undefined;

  constructor(options: MachinesOptions) {
    this.local = options.local;
    this.#options = options;
    this.#openedAt = options.clock.now();
  }

  /** From now on machines that come are taken up. */
  open(events: MachineEvents): void {
    this.#events = events;
    this.#forget = this.#options.source?.listen(() => this.#look());
    this.#look();
  }

  close(): void {
    this.#forget?.();
    this.#events = undefined;
    for (const known of this.#known.values()) letGo(known);
  }

  /** Whether there is any beside the server's own. */
  get areSeveral(): boolean {
    return this.#known.size > 0;
  }

  /** The runner of a session; undefined for a machine that nobody has heard of. */
  runner(machine: string | null): Runner | undefined {
    return machine === null ? this.local : this.#known.get(machine)?.machine?.runner;
  }

  /** Why nothing can be expected of this machine right now; undefined when something can. */
  away(machine: string | null): Away | undefined {
    if (machine === null) return undefined;
    const known = this.#of(machine);
    return known.isServed ? undefined : { machine, since: known.since };
  }

  /** What is waited for, or undefined as soon as its machine is away; the server's own never is. */
  async whileThere<T>(
    machine: string | null,
    waited: Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    if (machine === null) return { value: await waited };
    const known = this.#of(machine);
    if (!known.isServed) return undefined;
    const gone = Promise.withResolvers<undefined>();
    const leave = (): void => gone.resolve(undefined);
    known.waiting.add(leave);
    try {
      return await Promise.race([waited.then((value) => ({ value })), gone.promise]);
    } finally {
      known.waiting.delete(leave);
    }
  }

  /** What a machine says to a question; a refusal where it cannot be asked, or goes away before it answers. */
  async ask<T>(machine: string | null, question: (runner: Runner) => Promise<Result<T>>): Promise<Result<T>> {
    if (machine === null) return question(this.local);
    const runner = this.runner(machine);
    if (runner === undefined || this.away(machine) !== undefined) return this.unreachable(machine);
    try {
      const answer = await this.whileThere(machine, question(runner));
      return answer?.value ?? this.unreachable(machine);
    } catch (error) {
      if (error instanceof UnreachableError) return this.unreachable(machine);
      throw error;
    }
  }

  unreachable(machine: string): Result<never> {
    const { since, machine: known } = this.#of(machine);
    const problem = known?.condition.problem;
    const why = problem === undefined ? '' : ` ${problem}`;
    return refuse('machine_unreachable', `The machine "${machine}" cannot be reached.${why}`, {
      machine,
      since,
    });
  }

  /** The machine that a caller names; null for the server's own. */
  find(name: string | undefined): Result<string | null> {
    if (name === undefined || name === localMachine) return { ok: true, value: null };
    return this.#known.has(name)
      ? { ok: true, value: name }
      : refuse('machine_not_found', `There is no machine called "${name.slice(0, 100)}".`, {
          field: 'machine',
          machines: [localMachine, ...this.#known.keys()],
        });
  }

  /** Those beside the server's own, by name. */
  names(): readonly string[] {
    for (const name of this.#options.named()) this.#of(name);
    return [...this.#known.keys()].sort();
  }

  /** All of them, as every client is told; nothing where there is only the server's own. */
  states(): readonly MachineState[] {
    const others = this.names().map((name) => this.state(name));
    return others.length === 0 ? [] : [this.#localState(), ...others];
  }

  state(name: string): MachineState {
    if (name === localMachine) return this.#localState();
    const { isServed, since, machine } = this.#of(name);
    const problem = machine?.condition.problem;
    return {
      name,
      state: isServed ? 'reachable' : 'unreachable',
      since,
      ...(problem !== undefined && { problem }),
    };
  }

  condition(name: string): Pick<Machine['condition'], 'version' | 'load'> {
    if (name === localMachine) return { load: this.#options.localLoad?.() };
    return this.#known.get(name)?.machine?.condition ?? {};
  }

  unclaimed(name: string): readonly LeftRun[] {
    return this.#known.get(name)?.unclaimed ?? [];
  }

  /** A session there has lost its run, which may go on by itself. */
  async findUnclaimed(name: string): Promise<void> {
    const known = this.#known.get(name);
    if (known?.isServed !== true) return;
    const { visit, machine } = known;
    const left = await machine?.runner.left().catch(() => undefined);
    // What was not told now is told when the machine comes back.
    if (left === undefined || known.visit !== visit || this.#events === undefined) return;
    known.unclaimed = this.#events.unclaimed(name, left);
    this.#events.onChange();
  }

  /** It was ended, or a session has it. */
  forgetRun(name: string, runId: string): void {
    const known = this.#of(name);
    known.unclaimed = known.unclaimed.filter((run) => run.runId !== runId);
  }

  /** A machine without sessions that no longer belongs to this server is not shown any more. */
  forget(name: string): void {
    const known = this.#known.get(name);
    if (known !== undefined && known.machine === undefined) this.#known.delete(name);
  }

  #look(): void {
    const current = new Map((this.#options.source?.current() ?? []).map((each) => [each.name, each]));
    for (const known of this.#known.values()) {
      if (!current.has(known.name)) this.#seen(known, undefined);
    }
    for (const [name, machine] of current) this.#seen(this.#of(name), machine);
    this.#events?.onChange();
  }

  #seen(known: Known, machine: Machine | undefined): void {
    known.machine = machine;
    const isReachable = machine?.condition.isReachable === true;
    const since = machine?.condition.since ?? (known.isReachable ? this.#options.clock.now() : known.since);
    const isSame = isReachable === known.isReachable && (!isReachable || since === known.since);
    known.since = since;
    if (isSame) return;
    known.visit += 1;
    known.isReachable = isReachable;
    this.#goes(known);
    if (isReachable) void this.#comes(known, known.visit);
  }

  #goes(known: Known): void {
    if (!known.isServed) return;
    known.isServed = false;
    letGo(known);
    this.#events?.onAway(known.name);
  }

  async #comes(known: Known, visit: number): Promise<void> {
    const { name, machine } = known;
    const isHere = (): boolean => known.visit === visit && this.#events !== undefined;
    try {
      const left = (await machine?.runner.left()) ?? [];
      if (!isHere()) return;
      this.#events?.onBack(name, left);
      known.unclaimed = this.#events?.unclaimed(name, left) ?? [];
      known.isServed = true;
      this.#events?.onServed(name);
      this.#events?.onChange();
    } catch (error) {
      if (!isHere()) return;
      this.#events?.onFailure(name, error);
      this.#options.clock.after(RETRY_MS, () => void (isHere() && this.#comes(known, visit)));
    }
  }

  #of(name: string): Known {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const unheardOf: Known = {
      name,
      machine: undefined,
      isReachable: false,
      since: this.#options.clock.now(),
      visit: 0,
      isServed: false,
      unclaimed: [],
      waiting: new Set(),
    };
    this.#known.set(name, unheardOf);
    return unheardOf;
  }

  /** The server's own is there as long as the server is. */
  #localState(): MachineState {
    return { name: localMachine, state: 'reachable', since: this.#openedAt };
  }
}

/** Whoever waits for something on this machine waits no longer. */
function letGo({ waiting }: Known): void {
  for (const leave of waiting) leave();
  waiting.clear();
}

/** Where agents begin and may work: the settings are about the server's own machine, each other one has its own. */
export const placeOn = (
  machine: string | null,
  { defaultCwd, roots }: Pick<EngineSettings, 'defaultCwd' | 'roots'>,
): { readonly cwd: string; readonly roots: readonly string[] } =>
  machine === null ? { cwd: defaultCwd, roots } : { cwd: '~', roots: [] };
