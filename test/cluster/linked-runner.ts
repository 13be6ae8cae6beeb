import { randomUUID } from 'node:crypto';
import { RoomSide } from '../../src/cluster/room-side.ts';
import { RunnerSide } from '../../src/cluster/runner-side.ts';
import type { Runner } from '../../src/engine/ports/runner.ts';

const tickMs = 20;

/** Chance decides what the link between the two does with a message; by default it carries everything, in order. */
export interface LinkChances {
  readonly random?: () => number;
}

/** A runner with its end of the link, and the room's ends that come and go. */
export class LinkedRunner {
  readonly #side: RunnerSide;
  readonly #random: () => number;
  #toRoom: (text: string) => void = () => {};
  #timer: NodeJS.Timeout;

  constructor(runner: Runner, { random = () => 1 }: LinkChances = {}) {
    this.#random = random;
    this.#side = new RunnerSide({
      runner,
      id: randomUUID(),
      earlier: [],
      left: [],
      version: 'test',
      inAMoment: setImmediate,
      send: (message) => this.#carry(JSON.stringify(message), (text) => this.#toRoom(text)),
      unseal: (sealed) => JSON.parse(sealed),
      onRefused: (reason) => expectNothing(reason),
      onOdd: expectNothing,
    });
    this.#timer = setInterval(() => this.#side.tick(), tickMs);
  }

  /** A room that takes the place of the one before. */
  room(onLeft: (how: 'close' | 'detach') => Promise<void> = async () => {}): Runner {
    const side = new RoomSide({
      name: 'far',
      id: randomUUID(),
      inAMoment: setImmediate,
      send: (message) => this.#carry(JSON.stringify(message), (text) => this.#side.heard(JSON.parse(text))),
      seal: JSON.stringify,
      onState: () => {},
      onOdd: expectNothing,
    });
    this.#toRoom = (text) => side.heard(JSON.parse(text));
    const timer = setInterval(() => side.tick(), tickMs);
    const leave = async (how: 'close' | 'detach'): Promise<void> => {
      await RoomSide.prototype[how].call(side);
      clearInterval(timer);
      await onLeft(how);
    };
    return Object.assign(side, { close: () => leave('close'), detach: () => leave('detach') });
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#side.detach();
  }

  #carry(text: string, bring: (text: string) => void): void {
    // The contract waits for fragments; that they are left out after a gap has a test of its own.
    const chance = text.includes('"type":"passing"') ? 1 : this.#random();
    if (chance < 0.1) return;
    if (chance < 0.2) setImmediate(bring, text);
    if (chance < 0.4) setImmediate(() => setImmediate(bring, text));
    else setImmediate(bring, text);
  }
}

function expectNothing(what: string): never {
  throw new Error(`Not understood, or refused: ${what}`);
}
