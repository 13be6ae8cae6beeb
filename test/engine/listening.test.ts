import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { News } from '../../src/engine/ports/control-room.ts';
import type { SessionSnapshot } from '../../src/protocol/announcement.ts';
import type { Delta } from '../../src/protocol/event.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import type { ScriptedAgent } from '../support/scripted-driver.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

const delta = (messageId: string, text: string, block = 0): { type: 'delta'; delta: Delta } => ({
  type: 'delta',
  delta: { messageId, block, kind: 'text', text },
});
const said = (agentMessageId: string, text: string, block = 0) =>
  ({ type: 'said', event: { type: 'agent.text', agentMessageId, block, text } }) as const;

/** Someone who subscribes first, then takes the snapshot. */
class Follower {
  readonly id: string;
  readonly heard: News[] = [];
  readonly snapshot: SessionSnapshot;
  readonly #leave: () => void;

  constructor(room: EngineRoom, id: string) {
    this.id = id;
    this.#leave = room.engine.listen((news) => this.heard.push(news));
    this.snapshot = room.snapshot(id);
  }

  leave(): void {
    this.#leave();
  }

  seqs(): number[] {
    return this.heard.flatMap((news) =>
      news.kind === 'session' && news.sessionId === this.id && news.news.type === 'event'
        ? [news.news.event.seq]
        : [],
    );
  }

  /** What is being said, as the follower knows it. */
  text(messageId: string): string {
    const before = this.snapshot.partial.find((block) => block.messageId === messageId)?.text ?? '';
    const since = this.heard.flatMap((news) =>
      news.kind === 'session' && news.news.type === 'delta' && news.news.delta.messageId === messageId
        ? [news.news.delta.text]
        : [],
    );
    return before + since.join('');
  }
}

describe('[MULTI3] subscribe first, then snapshot: no gap, no double', () => {
  const move = fc.constantFrom('say', 'delta', 'send', 'ask', 'answer', 'end', 'title', 'tick', 'join');
  const play = async (room: EngineRoom, id: string, agent: ScriptedAgent, moves: readonly string[]) => {
    const followers: Follower[] = [];
    const pending: Promise<unknown>[] = [];
    const dispatch = (...call: Parameters<EngineRoom['engine']['dispatch']>) =>
      pending.push(room.engine.dispatch(...call));
    const by = { actor: { kind: 'person' } } as const;
    for (const [n, name] of moves.entries()) {
      if (name === 'say') agent.report(said(`m${n}`, `word ${n}`));
      if (name === 'delta') agent.report(delta('open', `${n} `));
      if (name === 'send')
        dispatch(
          'sendMessage',
          { session: id, message: `message ${n}`, disposition: n % 2 === 0 ? 'auto' : 'steer' },
          by,
        );
      if (name === 'ask') agent.report({ type: 'asked', ask: bashAsk(`r${n}`, 'ls') });
      if (name === 'answer') {
        const [open] = room.snapshot(id).pending;
        if (open !== undefined) dispatch('deny', { session: id, requestId: open.interactionId }, by);
      }
      if (name === 'end') agent.end();
      if (name === 'title') dispatch('patchSession', { session: id, title: `title ${n}` }, by);
      if (name === 'tick') await new Promise<void>((resolve) => setImmediate(resolve));
      if (name === 'join') followers.push(new Follower(room, id));
    }
    followers.push(new Follower(room, id));
    await Promise.all(pending);
    await room.drained(id);
    return followers;
  };

  it('under any interleaving of agent, people and newcomers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 40 }), async (moves) => {
        const room = await openRoom();
        const [id, agent] = await room.running();
        const followers = await play(room, id, agent, moves);
        const last = room.snapshot(id);
        expect(room.events(id).map((event) => event.seq)).toEqual(room.events(id).map((_, at) => at + 1));
        for (const follower of followers) {
          const from = follower.snapshot.lastSeq;
          expect(follower.seqs()).toEqual(
            Array.from({ length: last.lastSeq - from }, (_, at) => from + 1 + at),
          );
          expect(follower.snapshot.session.lastSeq).toBe(from);
          follower.leave();
        }
        await room.end();
      }),
      { numRuns: 60 },
    );
  });

  it('who comes mid-sentence hears it from the beginning', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('delta', 'join', 'tick', 'title'), { maxLength: 30 }),
        async (moves) => {
          const room = await openRoom();
          const [id, agent] = await room.running();
          const followers = await play(room, id, agent, moves);
          const whole = moves.flatMap((name, n) => (name === 'delta' ? [`${n} `] : [])).join('');
          for (const follower of followers) expect(follower.text('open')).toBe(whole);
          await room.end();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('what is being said never overtakes what was said before it and is still being stored', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const follower = new Follower(room, id);
    agent.report(delta('m1', 'one'), said('m1', 'one'), delta('m2', 'two'));
    agent.report(said('m2', 'two'), delta('m3', 'three'));
    await room.drained(id);
    const order = follower.heard.flatMap((news) => {
      if (news.kind !== 'session') return [];
      if (news.news.type === 'delta') return [`… ${news.news.delta.text}`];
      return news.news.event.type === 'agent.text' ? [news.news.event.text] : [];
    });
    expect(order).toEqual(['… one', 'one', '… two', 'two', '… three']);
    expect(room.snapshot(id).partial.map((block) => block.text)).toEqual(['three']);
  });

  it('a page of events continues where a client stopped', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    for (let n = 0; n < 10; n += 1) agent.report(said(`m${n}`, `${n}`));
    await room.drained(id);
    const { session } = room.snapshot(id);
    expect(room.engine.eventsAfter(session.id, 3, 4).map((event) => event.seq)).toEqual([4, 5, 6, 7]);
    expect(room.engine.eventsAfter(session.id, session.lastSeq, 4)).toEqual([]);
  });

  it('who has left hears nothing', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const follower = new Follower(room, id);
    follower.leave();
    agent.report(said('m', 'words'));
    await room.drained(id);
    expect(follower.heard).toEqual([]);
  });

  it('[MULTI4] a listener that fails keeps nothing from the others, nor from the agent', async () => {
    const room = await openRoom();
    room.engine.listen(() => {
      throw new Error('a broken client');
    });
    const after: News[] = [];
    room.engine.listen((news) => after.push(news));
    const [id, agent] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    await room.do('deny', { session: id, requestId: interactionId });
    await room.event(id, 'interaction.resolved');
    expect(agent.answers()).toHaveLength(1);
    expect(after.length).toBe(room.news.length);
  });
});

describe('what is being said', () => {
  it('is in the snapshot, and is gone from it when it is stored', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    agent.report(delta('m1', 'Hel'), delta('m1', 'lo', 0), delta('m1', 'think', 1));
    expect(room.snapshot(id).partial).toMatchObject([
      { messageId: 'm1', block: 0, text: 'Hello' },
      { messageId: 'm1', block: 1, text: 'think' },
    ]);
    expect(room.all(id, 'agent.text')).toEqual([]);
    agent.report(said('m1', 'Hello', 0));
    await room.event(id, 'agent.text');
    expect(room.snapshot(id).partial).toMatchObject([{ block: 1 }]);
    agent.end();
    await room.event(id, 'turn.ended');
    expect(room.snapshot(id).partial).toEqual([]);
  });

  it('is gone when the agent is', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    agent.report(delta('m1', 'Hel'));
    agent.exit(1);
    await room.event(id, 'process.exited');
    expect(room.snapshot(id).partial).toEqual([]);
  });

  it('is bounded', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    for (let n = 0; n < 8; n += 1) agent.report(delta('m1', 'x'.repeat(1_000_000)));
    expect(room.snapshot(id).partial[0]?.text.length).toBeLessThan(5_100_000);
  });
});

describe('[SES9] what all clients are told of a session', () => {
  it('its start, each change worth telling, its end; and of nothing else', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const updates = () => room.announcements('session-updated').length;
    const before = updates();
    agent.report(said('m', 'words'), { type: 'diagnostic', code: 'odd', text: 'odd' });
    await room.event(id, 'diagnostic');
    expect(updates()).toBe(before);
    agent.report({
      type: 'said',
      event: {
        type: 'tool.called',
        agentMessageId: 'm',
        block: 1,
        toolCallId: 't',
        name: 'Bash',
        input: {},
        startsAgent: false,
      },
    });
    await room.event(id, 'tool.called');
    expect(room.announcements('session-updated').at(-1)).toMatchObject({
      data: { waitingOn: 'tool', awaited: { what: 'Bash' } },
    });
    await room.do('stop', { session: id });
    expect(room.announcements('session-started')).toHaveLength(1);
    expect(room.announcements('session-ended')).toMatchObject([{ data: { id, status: 'stopped' } }]);
  });

  it('[PEER10] an agent that babbles does not fill the log, and the count that is recorded is the true one', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    for (let n = 0; n < 1000; n += 1) agent.report({ type: 'diagnostic', code: 'not-json', text: 'no JSON' });
    agent.report({ type: 'diagnostic', code: 'other', text: 'another' });
    await room.event(id, 'diagnostic', (event) => event.code === 'other');
    const counts = () => room.all(id, 'diagnostic').map(({ code, count }) => [code, count]);
    const told = [
      ['not-json', 1],
      ['not-json', 10],
      ['not-json', 100],
      ['not-json', 1000],
      ['other', 1],
    ];
    expect(counts()).toEqual(told);
    for (let n = 0; n < 28; n += 1) agent.report({ type: 'diagnostic', code: 'not-json', text: 'no JSON' });
    agent.end();
    await room.event(id, 'turn.ended');
    expect(counts(), '[PEER10] the end of a turn tells how many there were').toEqual([
      ...told,
      ['not-json', 1028],
    ]);
  });

  it('the overview holds all that is', async () => {
    const room = await openRoom();
    const [one] = await room.running({ title: 'one' });
    await room.asks(one, bashAsk('r1', 'ls'));
    await room.do('sendMessage', { session: one, message: 'later' });
    await room.idle({ title: 'two' });
    const { sessions, pending, queues } = room.engine.overview();
    expect(sessions.map((session) => session.title)).toEqual(['two', 'one']);
    expect(pending).toHaveLength(1);
    expect(queues).toMatchObject({ [one]: [{ message: 'later' }] });
    expect(Object.keys(queues)).toEqual([one]);
  });
});
