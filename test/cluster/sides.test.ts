import { describe, expect, test } from 'vitest';
import { Incoming, Outgoing, type Way } from '../../src/cluster/channel.ts';
import type { Frame } from '../../src/cluster/message.ts';
import type { FactBatch } from '../../src/engine/ports/runner.ts';
import type { AgentFact } from '../../src/model/agent-fact.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';
import { pair, startOrder } from './pair.ts';

const text = (words: string): AgentFact => ({
  type: 'said',
  event: { type: 'agent.text', agentMessageId: 'm', block: 0, text: words },
});

/** What is asked of the machine takes turns of the event loop there. */
async function answered<T>(reply: Promise<T>, carry: () => Promise<void>): Promise<T> {
  let isThere = false;
  void reply.finally(() => {
    isThere = true;
  });
  while (!isThere) {
    await new Promise(setImmediate);
    await carry();
  }
  return reply;
}

interface Sent {
  readonly numbers: readonly number[];
  readonly way: Way;
}

/** An outgoing channel with what it sent, and what it does a moment later. */
function outgoingChannel() {
  const sent: Sent[] = [];
  const frames: Frame[] = [];
  const moments: (() => void)[] = [];
  const outgoing = new Outgoing(
    (together, way) => {
      frames.push(...together);
      sent.push({ numbers: together.map(({ number }) => number), way });
    },
    (work) => moments.push(work),
  );
  return { outgoing, sent, frames, moments };
}

describe('frames', () => {
  test('[CLU1] what is too long is cut, and comes whole and in order, also when it comes twice and backwards', () => {
    const { outgoing, frames, sent } = outgoingChannel();
    const long = 'ä'.repeat(300_000);
    outgoing.push(long);
    outgoing.push('short');
    const incoming = new Incoming();
    const got = [...frames.toReversed(), ...frames].flatMap((frame) => incoming.take(frame));
    expect(got).toEqual([long, 'short']);
    expect(Math.max(...frames.map((frame) => frame.text.length))).toBeLessThanOrEqual(128_000);
    expect(sent.map(({ numbers }) => numbers)).toEqual([[1], [2], [3], [4]]);
  });

  test('[CLU1] what is not confirmed is sent again, by both ways, but not while the other side is silent', () => {
    const { outgoing, sent } = outgoingChannel();
    outgoing.push('a');
    outgoing.push('b');
    for (let tick = 0; tick < 20; tick += 1) outgoing.tick(false);
    expect(sent).toEqual([
      { numbers: [1], way: 'direct' },
      { numbers: [2], way: 'direct' },
    ]);
    outgoing.confirmed(1);
    for (let tick = 0; tick < 4; tick += 1) outgoing.tick(true);
    expect(sent.slice(2)).toEqual([
      { numbers: [2], way: 'direct' },
      { numbers: [2], way: 'kept' },
    ]);
    outgoing.confirmed(99);
    expect(outgoing.size).toBe(0);
  });

  test('[CLU30] what is said to a side that is silent waits for it in the stream, and what is said to one that is heard does not', () => {
    const { outgoing, sent } = outgoingChannel();
    for (let tick = 0; tick < 2; tick += 1) outgoing.tick(false);
    outgoing.push('a');
    outgoing.tick(true);
    outgoing.push('b');
    expect(sent).toEqual([
      { numbers: [1], way: 'kept' },
      { numbers: [2], way: 'direct' },
    ]);
  });

  test('[CLU30] what nobody waits for goes with what is said next, a moment later, or at the next tick', () => {
    const { outgoing, sent, moments } = outgoingChannel();
    outgoing.push('a', 'later');
    outgoing.push('b', 'soon');
    expect(sent).toEqual([]);
    outgoing.push('c');
    outgoing.push('d', 'soon');
    for (const work of moments.splice(0)) work();
    outgoing.push('e', 'later');
    outgoing.tick(true);
    expect(sent.map(({ numbers }) => numbers)).toEqual([[1, 2, 3], [4], [5]]);
    for (let count = 0; count < 40; count += 1) outgoing.push('f', 'later');
    expect(sent.at(-1)?.numbers).toHaveLength(32);
  });
});

describe('a room and its runners', () => {
  test('[CLU7] a second runner of the same name is refused while the first is there', async () => {
    const { runner, meet, refused, states } = pair();
    const [first, second] = [runner('a'), runner('b')];
    await meet(first, second);
    expect(new Set(refused)).toEqual(new Set(['b: Another runner with the same name is at work. again']));
    expect(states).toEqual(['reachable']);
  });

  test('[CLU7] its next start takes its place at once, and so does another when the first is silent', async () => {
    const { runner, room, meet, refused, fromRoom, states } = pair();
    await meet(runner('a'));
    await meet(runner('b', ['a']));
    for (let tick = 0; tick < 9; tick += 1) room.tick();
    fromRoom.length = 0;
    expect(states).toEqual(['reachable', 'reachable', 'unreachable']);
    await meet(runner('c'));
    expect(refused).toEqual([]);
    expect(states.at(-1)).toBe('reachable');
  });

  test('[CLU13] a machine tells how busy it is, and only the one that is served', async () => {
    const { runner, meet, loads } = pair();
    const [first, second] = [runner('a'), runner('b')];
    await meet(first);
    await meet(second);
    expect(loads).toEqual([]);
    await meet(first, second);
    expect(loads).toEqual([{ processors: 0.5, memoryFree: 1, memoryTotal: 2 }]);
  });

  test('[CLU6] a runner of another version is refused in a sentence', async () => {
    const { runner, room, carry, refused, states } = pair();
    const future = runner('a');
    room.heard({
      type: 'here',
      runner: 'a',
      earlier: [],
      offers: 'a.1',
      serves: null,
      speaks: { from: 7, to: 9 },
      version: '9.0.0',
      isMore: true,
    });
    await carry(future);
    expect(refused).toEqual([
      'a: The runner speaks version 7 to 9 of the link and the room 1 to 3: the older one of the two must be updated.',
    ]);
    expect(states).toEqual(['refused']);
    expect(room.state).toMatchObject({ is: 'refused' });
  });

  test('[CHG63] a runner that knows no editor is told apart in a sentence, and is not asked', async () => {
    const { room, fromRoom } = pair();
    const meets = (runner: string, to: number): void => {
      for (let tick = 0; tick < 9; tick += 1) room.tick();
      const about = { runner, earlier: [], serves: null, speaks: { from: 1, to }, version: '1.0.0' };
      room.heard({ type: 'here', offers: `${runner}.1`, ...about });
      room.heard({ type: 'welcome', room: 'room1', connection: `${runner}.1` });
      fromRoom.length = 0;
    };
    meets('old', 2);
    expect(await room.workspace('editor', {})).toEqual({
      ok: false,
      refusal: { code: 'editor_not_available', message: 'The runner there is too old for this; update it.' },
    });
    expect(JSON.stringify(fromRoom)).not.toContain('editor');
    meets('new', 3);
    const asked = room.workspace('editor', {});
    expect(JSON.stringify(fromRoom)).toContain('editor');
    await room.detach();
    expect(await asked).toMatchObject({ ok: false, refusal: { code: 'machine_unreachable' } });
  });

  test('[CLU15] a runner remembers what it takes to go on with a conversation, until the run is over', async () => {
    const { driver, runner, room, meet, carry, notes } = pair();
    const far = runner('a');
    await meet(far);
    room.start(startOrder, () => {});
    await carry(far);
    driver.agent().reportAt(1, { type: 'identified', agentSessionId: 'conversation-1' });
    const about = { agent: 'demo', cwd: '/', agentSessionId: 'conversation-1' };
    expect(await answered(room.left(), () => carry(far))).toEqual([
      { runId: 'run1', sessionId: 's1', isRunning: true, about },
    ]);
    expect(notes.get('run1')).toEqual(about);
    await answered(room.end('run1'), () => carry(far));
    expect(notes.size).toBe(0);
  });

  test('[CLU31] an agent that an earlier start of the runner had started is caught up when all it said has been told, not before', async () => {
    const { driver, nextRunner, room, restartRoom, meet, carry } = pair();
    const far = await nextRunner();
    await meet(far);
    room.start(startOrder, () => {});
    await carry(far);
    const agent = driver.agent();
    expect(agent.left).toMatchObject({ mark: undefined, ready: false });
    agent.reportAt(1, text('one'));
    await carry(far);
    const next = restartRoom('room2');
    await meet(far);
    const heard: string[] = [];
    const attach = {
      ...startOrder,
      checkpoint: undefined,
      last: 0,
      ready: false,
      openAsks: [],
      inFlight: [],
    };
    next.attach(attach, ({ facts }) => heard.push(...facts.map(({ type }) => type)));
    await carry(far);
    expect(heard).toEqual(['said']);
    agent.reportAt(2, text('two'));
    agent.report({ type: 'caught-up' });
    await carry(far);
    expect(heard).toEqual(['said', 'said', 'caught-up']);
  });

  test('[CLU32] a room that knows less than it has told to be stored hears that in words; the agent goes on, is listed, and can be ended', async () => {
    const { driver, runner, room, restartRoom, meet, carry } = pair();
    const far = runner('a');
    await meet(far);
    const batches: FactBatch[] = [];
    const run = room.start(startOrder, (batch) => batches.push(batch));
    await carry(far);
    const agent = driver.agent();
    for (const offset of [1, 2, 3]) agent.reportAt(offset, text(`line ${offset}`));
    await carry(far);
    const [first, , third] = batches;
    if (third?.mark) run.stored({ number: 3, mark: third.mark });
    room.tick();
    await meet(far);
    const restored = restartRoom('room2');
    await meet(far);
    const heard: AgentFact[] = [];
    const checkpoint = first?.mark && { number: 1, mark: first.mark };
    const attach = { ...startOrder, checkpoint, last: 1, ready: true, openAsks: [], inFlight: [] };
    restored.attach(attach, ({ facts }) => heard.push(...facts));
    await carry(far);
    agent.reportAt(4, text('unheard'));
    await carry(far);
    expect(heard).toMatchObject([{ type: 'exited', hostLost: expect.stringContaining('goes on there') }]);
    expect(agent.exited).toBe(false);
    expect(await answered(restored.left(), () => carry(far))).toMatchObject([
      { runId: 'run1', isRunning: true },
    ]);
    await answered(restored.end('run1'), () => carry(far));
    expect(agent.exited).toBe(true);
  });

  test('[CLU32] so it does of a runner that was started anew, where the output before is no longer kept', async () => {
    const { driver, nextRunner, room, meet, carry } = pair();
    const far = await nextRunner({ givenBack: 100 });
    await meet(far);
    const heard: AgentFact[] = [];
    const report = ({ facts }: FactBatch): void => void heard.push(...facts);
    const attachAt = (offset: number) => {
      const place = { number: 1, mark: { processId: 'run1', offset, memory: null } };
      const mark = { processId: 'run1', offset, memory: { place } };
      const checkpoint = { number: 1, mark };
      room.attach({ ...startOrder, checkpoint, last: 1, ready: true, openAsks: [], inFlight: [] }, report);
      return carry(far);
    };
    await attachAt(99);
    expect(heard).toMatchObject([{ type: 'exited', hostLost: expect.stringContaining('goes on there') }]);
    expect(driver.agents).toEqual([]);
    await attachAt(100);
    expect(driver.agent().left?.mark).toMatchObject({ offset: 100 });
  });

  test('[CLU4] an agent that says more than is stored is held, and goes on when it is', async () => {
    const { driver, runner, room, carry, meet } = pair();
    const far = runner('a');
    await meet(far);
    const batches: FactBatch[] = [];
    const run = room.start(startOrder, (batch) => batches.push(batch));
    await carry(far);
    const agent = driver.agent();
    for (let offset = 1; offset <= 5; offset += 1) agent.reportAt(offset, text('x'.repeat(2_000_000)));
    for (let count = 0; count < 5; count += 1) await meet(far);
    expect(agent.kinds()).toEqual(['pause']);
    expect(batches).toHaveLength(5);
    const mark = batches[2]?.mark;
    if (mark) run.stored({ number: 3, mark });
    await meet(far);
    expect(agent.kinds()).toEqual(['pause', 'resume']);
    expect(agent.storedMarks).toMatchObject([{ offset: 3 }]);
  });

  test('[CLU3] what a runner says of others, or beyond its part, comes to nothing', async () => {
    const { runner, room, meet, carry, fromRoom, odd } = pair();
    const far = runner('a');
    await meet(far);
    const batches: FactBatch[] = [];
    room.start(startOrder, (batch) => batches.push(batch));
    await carry(far);
    fromRoom.length = 0;
    const say = (number: number, item: object): void =>
      room.heard({
        type: 'frames',
        connection: 'a.1',
        ack: 0,
        frames: [{ number, text: JSON.stringify(item), isLast: true }],
      });
    say(1, { type: 'grant', grant: { pattern: '*' } });
    say(2, { type: 'facts', batch: { runId: 'run of another', first: 1, facts: [text('hello')] } });
    say(3, { type: 'outcome', runId: 'run of another', give: '1', outcome: { ok: true } });
    say(4, {
      type: 'facts',
      batch: {
        runId: 'run1',
        first: 1,
        facts: [{ type: 'interaction.decided', decision: { type: 'allow' } }],
      },
    });
    // What comes behind an outcome waits until that is heard.
    await Promise.resolve();
    expect(odd).toEqual(['what the runner told']);
    expect(batches.flatMap(({ facts }) => facts)).toMatchObject([
      { type: 'said', event: { type: 'agent.notice', code: 'runner-not-understood' } },
    ]);
  });

  test.each([
    ['that came with the exit', [{ type: 'outcome', runId: 'run1', give: '1', outcome: { ok: true } }]],
    ['that nobody will tell of any more', []],
  ])('[CLU1] what became of an order, %s, is heard before the exit', async (_, before) => {
    const { runner, room, carry, meet } = pair();
    const [first, second] = [runner('a'), runner('b', ['a'])];
    await meet(first);
    const heard: string[] = [];
    const report = ({ facts }: FactBatch): void => void heard.push(...facts.map(({ type }) => type));
    const run = room.start(startOrder, report);
    void run.give({ kind: 'interrupt', id: 'i' }).then(() => heard.push('outcome'));
    const tell = (connection: string, ...items: readonly object[]): void => {
      const frames = items.map((item, at) => ({ number: at + 1, text: JSON.stringify(item), isLast: true }));
      room.heard({ type: 'frames', connection, ack: 0, frames });
    };
    const facts = (first: number, fact: object) => ({
      type: 'facts',
      batch: { runId: 'run1', first, facts: [fact] },
    });
    const exited = { type: 'exited', code: 0, signal: null, stderr: [] };
    if (before.length > 0) tell('a.1', ...before, facts(1, exited));
    else {
      // It was said to the runner before this one.
      tell('a.1', facts(1, text('working')));
      await carry();
      await meet(second);
      tell('b.1', facts(2, exited));
    }
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    expect(heard.filter((what) => what !== 'said')).toEqual(['outcome', 'exited']);
  });

  test('[CLU3] an answer of the machine that is not of the form is no answer', async () => {
    const { runner, room, meet } = pair();
    const far = runner('a');
    await meet(far);
    const agents = room.agents();
    room.heard({
      type: 'frames',
      connection: 'a.1',
      ack: 0,
      frames: [{ number: 1, text: '{"type":"reply","request":"1","value":[{"name":7}]}', isLast: true }],
    });
    await expect(agents).rejects.toThrow();
  });

  /** An agent there that speaks in fragments, some of which are lost. */
  async function speaking() {
    const { driver, runner, room, meet, carry, fromRunner } = pair();
    const far = runner('a');
    await meet(far);
    const heard: AgentFact[] = [];
    room.start(startOrder, ({ facts }) => heard.push(...facts));
    await carry(far);
    const says = (words: string): void => driver.agent().report(fragment(words));
    const loses = (words: string): void => {
      says(words);
      fromRunner.length = 0;
    };
    const words = () => heard.map((fact) => (fact.type === 'delta' ? fact.delta.text : fact.type));
    return { agent: driver.agent(), says, loses, heard, words, carry: () => carry(far), fromRunner };
  }

  test('[CLU14] a fragment that is lost is asked for, and the sentence goes on being told', async () => {
    const { agent, says, loses, words, carry, fromRunner } = await speaking();
    says('one ');
    says('two ');
    await carry();
    loses('lost ');
    says('after ');
    says('the gap ');
    await carry();
    says('later ');
    says('earlier');
    fromRunner.reverse();
    await carry();
    expect(words()).toEqual(['one ', 'two ', 'lost ', 'after ', 'the gap ', 'later ', 'earlier']);
    agent.reportAt(1, text('all of it'));
    says('next');
    fromRunner.reverse();
    await carry();
    expect(words().slice(-2)).toEqual(['said', 'next']);
  });

  test('[CLU14] what is kept no more of a very long sentence is told with all of it, and no fragment behind it before', async () => {
    const { agent, says, loses, words, carry } = await speaking();
    says('one ');
    await carry();
    loses('x'.repeat(200_000));
    says('y'.repeat(100_000));
    says('z');
    await carry();
    says('more');
    await carry();
    expect(words()).toEqual(['one ']);
    agent.reportAt(1, text('all of it'));
    says('next');
    await carry();
    expect(words()).toEqual(['one ', 'said', 'next']);
  });

  const seed = testSeed();
  test(`[CLU14] whatever is lost, doubled and late, fragments are told in order and without a gap (from seed ${seed})`, async () => {
    for (let each = seed; each < seed + times(40); each += 1) {
      const random = seededRandom(each);
      const { agent, says, words, carry, fromRunner } = await speaking();
      const said: string[] = [];
      for (let step = 0; step < 60; step += 1) {
        said.push(`${step} `);
        if (random() < 0.1) agent.reportAt(step + 1, text('all of it'));
        else says(`${step} `);
        // Only fragments may be lost; all else is sent again.
        const passing = fromRunner.filter(({ type }) => type === 'passing');
        const others = fromRunner.filter(({ type }) => type !== 'passing');
        const left = passing.filter(() => random() < 0.7);
        const again = left.filter(() => random() < 0.2);
        fromRunner.splice(
          0,
          fromRunner.length,
          ...(random() < 0.5 ? [...left, ...others] : [...others, ...left]),
        );
        fromRunner.push(...again);
        if (random() < 0.6) await carry();
      }
      await carry();
      const numbers = words().map((word) => (word === 'said' ? -1 : Number(word)));
      const gaps = numbers.filter(
        (number, at) =>
          at > 0 && number >= 0 && (numbers[at - 1] ?? 0) >= 0 && number !== (numbers[at - 1] ?? 0) + 1,
      );
      expect({ seed: each, gaps }).toEqual({ seed: each, gaps: [] });
    }
  });
});

const fragment = (words: string): AgentFact => ({
  type: 'delta',
  delta: { messageId: 'm', block: 0, kind: 'text', text: words },
});
