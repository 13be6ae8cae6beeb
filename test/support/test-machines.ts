import type { Machine, MachineCondition, MachineSource } from '../../src/engine/ports/machine.ts';
import type { Runner } from '../../src/engine/ports/runner.ts';
import { carriedRunner } from './carried-runner.ts';
import { runnerOf } from './runner-of.ts';
import { ScriptedDriver } from './scripted-driver.ts';

/** Machines beside that of the server; they are there as long as the test, whatever becomes of servers. */
export class TestMachines implements MachineSource {
  readonly #machines = new Map<string, TestMachine>();
  readonly #listeners = new Set<() => void>();

  /** One that can be reached, or will be once it is `back`. */
  add(
    name: string,
    { isReachable = true, runner }: { isReachable?: boolean; runner?: Runner } = {},
  ): TestMachine {
    const machine = new TestMachine(name, isReachable, () => this.#tell(), runner);
    this.#machines.set(name, machine);
    this.#tell();
    return machine;
  }

  remove(name: string): void {
    this.#machines.delete(name);
    this.#tell();
  }

  current(): readonly Machine[] {
    return [...this.#machines.values()];
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whoever listened is dead. */
  forgetListeners(): void {
    this.#listeners.clear();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** A machine that only JSON gets to, in its own time, and that can be cut off. */
export class TestMachine implements Machine {
  readonly name: string;
  readonly driver = new ScriptedDriver();
  readonly runner: Runner;
  readonly #tell: () => void;
  condition: MachineCondition;
  isCut: boolean;
  #moment = 0;

  constructor(name: string, isReachable: boolean, tell: () => void, runner?: Runner) {
    this.name = name;
    this.isCut = !isReachable;
    this.#tell = tell;
    this.condition = { isReachable, since: this.#next(), version: '1.2.3' };
    this.runner = carriedRunner(runner ?? runnerOf([this.driver]), { isCut: () => this.isCut });
  }

  /** Nothing gets through any more; nobody has noticed yet. */
  cut(): void {
    this.isCut = true;
  }

  /** It is noticed that nothing gets through. */
  away(change: Partial<MachineCondition> = {}): void {
    this.isCut = true;
    this.#set({ ...this.condition, ...change, isReachable: false, since: this.#next() });
  }

  back(): void {
    this.isCut = false;
    this.#set({ ...this.condition, isReachable: true, since: this.#next() });
  }

  told(change: Partial<MachineCondition>): void {
    this.#set({ ...this.condition, ...change });
  }

  #set(condition: MachineCondition): void {
    this.condition = condition;
    this.#tell();
  }

  /** Each state has a moment of its own. */
  #next(): string {
    this.#moment += 1;
    return new Date(Date.UTC(2026, 0, 1) + this.#moment * 1000).toISOString();
  }
}
