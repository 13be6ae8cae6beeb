import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { failingLog } from '../support/failing-log.ts';
import { memoryLog } from '../support/memory-log.ts';
import type { ScriptedAgent } from '../support/scripted-driver.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';
import { bashAsk } from '../support/session-states.ts';
import { type TestMachine, TestMachines } from '../support/test-machines.ts';

endRoomsAfterEach();

const ROUNDS = times(40);
const MOVES = 25;
const seed = testSeed();

test(`[CLU21] [ASK5] whenever a machine is cut off, is missed, comes back or its server dies: no ask is lost, no answer given twice, nothing told twice (seed ${seed})`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) await play(seed + round);
});

async function play(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const story = await Story.begin();
  for (let move = 0; move < MOVES; move += 1) {
    await story.move(random);
    for (let turns = Math.floor(random() * 8); turns > 0; turns -= 1) await turn();
  }
  expect({ seed, ...(await story.end()) }).toEqual({ seed, ...story.expected() });
}

/** One agent on another machine, and the servers that come and go. */
class Story {
  readonly #log = memoryLog();
  readonly #machines = new TestMachines();
  readonly #gpu: TestMachine = this.#machines.add('gpu-1');
  readonly #asked: { id: string; isWithdrawn: boolean }[] = [];
  readonly #texts: string[] = [];
  #offset = 1000;
  #servers = 0;
  #disk = failingLog(this.#log);
  #room: EngineRoom | undefined;
  #id = '';

  static async begin(): Promise<Story> {
    const story = new Story();
    await story.#serve();
    const { room } = story;
    await story.#isServed();
    const { id } = await room.create({ machine: 'gpu-1', prompt: 'go on' });
    story.#id = id;
    const agent = await room.until('it is started', () => story.#gpu.driver.agents.at(-1));
    agent.ready();
    await room.until('it is sent', () => agent.sent().length > 0);
    agent.begin();
    await room.event(id, 'turn.started');
    return story;
  }

  get room(): EngineRoom {
    if (this.#room === undefined) throw new Error('No server was started');
    return this.#room;
  }

  get #agent(): ScriptedAgent {
    return this.#gpu.driver.agent(this.#id);
  }

  async move(random: () => number): Promise<void> {
    const chance = random();
    if (chance < 0.1) this.#gpu.cut();
    else if (chance < 0.25) this.#gpu.away();
    else if (chance < 0.45) this.#gpu.back();
    else if (chance < 0.55) this.#say();
    else if (chance < 0.7) this.#ask();
    else if (chance < 0.77) this.#withdraw(random);
    else if (chance < 0.93) await this.#answer(random);
    else await this.#kill();
  }

  /** Everything is back, and everything is answered: what each ask came to, and what the agent was told and has said. */
  async end() {
    const { room } = this;
    this.#gpu.away();
    this.#gpu.back();
    await this.#isServed();
    await this.#all('all is told', () => this.#requested().length === this.#asked.length);
    for (const { interactionId } of room.snapshot(this.#id).pending) await this.#allow(interactionId);
    const ends = () => room.all(this.#id, 'interaction.resolved');
    await this.#all('all is settled', () => ends().length === this.#asked.length);
    const outcome = (interactionId: string) =>
      ends().flatMap((end) => (end.interactionId === interactionId ? [end.outcome] : []));
    const requested = this.#requested();
    const written = this.#agent.answers().map(({ ask }) => ask.agentRequestId);
    await this.#all('all is said', () => room.all(this.#id, 'agent.text').length >= this.#texts.length);
    const result = {
      asks: requested.map(({ ask, interactionId }) => ({
        id: ask.agentRequestId,
        ends: outcome(interactionId).map((one) => (one === 'withdrawn' ? 'withdrawn' : one)),
        answers: written.filter((id) => id === ask.agentRequestId).length,
      })),
      texts: room.all(this.#id, 'agent.text').map(({ text }) => text),
    };
    this.#machines.forgetListeners();
    return result;
  }

  /** An ask that was taken back may have been answered just before; any other is allowed, and the agent told once. */
  expected() {
    const either = (one: string, other: string) =>
      expect.toSatisfy((value: string) => [one, other].includes(value));
    return {
      asks: this.#asked.map(({ id, isWithdrawn }) =>
        isWithdrawn
          ? {
              id,
              ends: [either('withdrawn', 'allowed')],
              answers: expect.toSatisfy((count: number) => count <= 1),
            }
          : { id, ends: ['allowed'], answers: 1 },
      ),
      texts: this.#texts,
    };
  }

  #say(): void {
    const text = `text ${this.#texts.length}`;
    this.#texts.push(text);
    this.#report({ type: 'said', event: { type: 'agent.text', agentMessageId: 'm', block: 0, text } });
  }

  #ask(): void {
    const id = `r${this.#asked.length}`;
    this.#asked.push({ id, isWithdrawn: false });
    this.#report({ type: 'asked', ask: bashAsk(id, `ls ${id}`) });
  }

  #withdraw(random: () => number): void {
    const written = new Set(this.#agent.answers().map(({ ask }) => ask.agentRequestId));
    const open = this.#asked.filter(({ id, isWithdrawn }) => !isWithdrawn && !written.has(id));
    const ask = open[Math.floor(random() * open.length)];
    if (ask === undefined) return;
    ask.isWithdrawn = true;
    this.#report({ type: 'withdrawn', agentRequestId: ask.id });
  }

  #report(fact: Parameters<ScriptedAgent['report']>[0]): void {
    this.#offset += 1;
    this.#agent.reportAt(this.#offset, fact);
  }

  async #answer(random: () => number): Promise<void> {
    const { pending } = this.room.snapshot(this.#id);
    const one = pending[Math.floor(random() * pending.length)];
    if (one !== undefined) await this.#allow(one.interactionId);
  }

  /** Refused only where it was taken back in between. */
  async #allow(requestId: string): Promise<void> {
    const input = { session: this.#id, requestId, decision: 'allow' };
    const result = await this.room.engine.dispatch('approve', input, { actor: { kind: 'person' } });
    if (!result.ok) expect(result.refusal.code).toBe('interaction_gone');
  }

  /** It hears, tells and stores nothing more; what the disk was given by then it has. */
  async #kill(): Promise<void> {
    this.room.abandon();
    this.#machines.forgetListeners();
    this.#disk.full = true;
    await this.#log.append({ parts: [] });
    await this.#serve();
  }

  async #serve(): Promise<void> {
    const log: EventLog & { full: boolean } = failingLog(this.#log);
    this.#disk = log as ReturnType<typeof failingLog>;
    this.#servers += 1;
    const room = await openRoom({ log, machines: this.#machines, run: `server${this.#servers}` });
    this.#gpu.driver.onChange = () => room.look();
    this.#room = room;
  }

  async #isServed(): Promise<void> {
    const { room } = this;
    await room.until('gpu-1 is served', () => room.engine.overview().machines?.at(-1)?.state === 'reachable');
  }

  async #all(what: string, isSo: () => boolean): Promise<void> {
    await this.room.until(what, isSo);
  }

  #requested() {
    return this.room.all(this.#id, 'interaction.requested');
  }
}
