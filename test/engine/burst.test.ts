import { describe, expect, it } from 'vitest';
import { type Commit, MOST_AT_ONCE, MOST_WAITING, SessionWriter } from '../../src/engine/session-writer.ts';
import { MOST_OPEN_ASKS } from '../../src/model/limits.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { memoryLog } from '../support/memory-log.ts';
import { bashAsk, deployAsk, PlayedSession } from '../support/session-states.ts';
import { takeOver } from '../support/take-over.ts';

endRoomsAfterEach();

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const text = (words: string) =>
  ({ type: 'said', event: { type: 'agent.text', agentMessageId: words, block: 0, text: words } }) as const;

/** A runner of a session in the middle of a turn, on a log that is behind as long as it is told so. */
function runnerOf(played: PlayedSession) {
  const log = memoryLog();
  const clock = new FakeClock();
  const commits: Commit[] = [];
  const reading: boolean[] = [];
  const runner = new SessionWriter(
    SessionId.parse('ses_1'),
    { state: played.state, snapshotSeq: 0 },
    {
      append: (parts, _grants, onStored) => log.append({ parts, onStored }),
      clock,
      logger: quiet,
      context: () => ({ at: clock.now(), mint: (kind) => `${kind}_x`, grants: [], rulesIn: () => [] }),
      onCommit: (commit) => commits.push(commit),
      onLive: () => {},
      onReading: (reads) => reading.push(reads),
    },
  );
  const drained = () => runner.command({ type: 'interrupt-overdue', turnId: '' });
  return { runner, commits, reading, drained };
}

describe('[SES15] much at once', () => {
  it('is stored a little at a time, in order, and the agent is not read on meanwhile', async () => {
    const { runner, commits, reading, drained } = runnerOf(new PlayedSession().up().working());
    const words = Array.from({ length: 1000 }, (_, number) => `word ${number}`);
    for (const word of words) runner.fact('run_1', text(word));
    expect(runner.reads).toBe(false);
    await drained();
    expect(Math.max(...commits.map(({ steps }) => steps.length))).toBe(MOST_AT_ONCE);
    const stored = commits.flatMap(({ steps }) => steps.map(({ event }) => event));
    expect(stored.map((event) => (event.type === 'agent.text' ? event.text : event.type))).toEqual(words);
    expect(reading).toEqual([false, true]);
  });

  it('few are stored together, and reading goes on', async () => {
    const { runner, commits, reading, drained } = runnerOf(new PlayedSession().up().working());
    for (let number = 0; number < MOST_WAITING - 1; number += 1) runner.fact('run_1', text('x'));
    await drained();
    expect(commits).toHaveLength(2);
    expect(reading).toEqual([]);
  });

  it('an agent that ends a turn and begins the next is not idle where the one batch ends and the next begins', async () => {
    const played = new PlayedSession().up().working();
    played.send('waits');
    const { runner, commits, drained } = runnerOf(played);
    for (let number = 1; number < MOST_AT_ONCE; number += 1) runner.fact('run_1', text('x'));
    runner.fact('run_1', { type: 'turn-ended', outcome: 'completed' });
    runner.fact('run_1', { type: 'turn-started', messageIds: [] });
    await drained();
    expect(commits).toHaveLength(2);
    const types = commits.flatMap(({ steps }) => steps.map(({ event }) => event.type));
    expect(types).not.toContain('message.sending');
    expect(types.slice(-2)).toEqual(['turn.ended', 'turn.started']);
  });
});

describe('[SES15] an agent with too many open asks', () => {
  const asked = async (room: EngineRoom, count: number) => {
    const [id, agent] = await room.running();
    for (let number = 0; number < count; number += 1) {
      agent.report({ type: 'asked', ask: bashAsk(`r${number}`, `echo ${number}`) });
    }
    await room.drained(id);
    return { id, agent };
  };
  const pending = async (room: EngineRoom, id: string) =>
    (await room.do('listPendingOfSession', { session: id })).body.pending as Interaction[];
  const allowFirst = async (room: EngineRoom, id: string) => {
    const [first] = await pending(room, id);
    await room.do('approve', { session: id, requestId: first?.interactionId, decision: 'allow' });
  };
  const pauses = (agent: { kinds(): string[] }) =>
    agent.kinds().filter((kind) => kind === 'pause' || kind === 'resume');

  it('is not read on, everyone is told, and it is read on when one is answered', async () => {
    const room = await openRoom();
    const { id, agent } = await asked(room, MOST_OPEN_ASKS);
    expect(pauses(agent).at(-1)).toBe('pause');
    expect(await room.session(id)).toMatchObject({ held: { reason: 'asks' }, status: 'waiting' });
    expect(room.announcements('session-updated').at(-1)?.data.held).toMatchObject({ reason: 'asks' });
    await allowFirst(room, id);
    await room.until('it is read on', () => pauses(agent).at(-1) === 'resume');
    expect((await room.session(id)).held).toBeUndefined();
    expect(agent.answers()).toHaveLength(1);
  });

  it('refuses a change that the agent would have to confirm, instead of waiting for it', async () => {
    const room = await openRoom();
    const { id } = await asked(room, MOST_OPEN_ASKS);
    const refusal = await room.refused('patchSession', { session: id, permissionMode: 'plan' });
    expect(refusal.code).toBe('too_many_asks');
  });

  it('is read on after an interrupt, and after a stop it is gone', async () => {
    const room = await openRoom();
    const { id, agent } = await asked(room, MOST_OPEN_ASKS);
    await room.do('interrupt', { session: id });
    expect(pauses(agent).at(-1)).toBe('resume');
    const { id: second, agent: stopped } = await asked(room, MOST_OPEN_ASKS);
    await room.do('stop', { session: second });
    expect(stopped.exited).toBe(true);
  });

  it('is held by the next server, too, before it says anything, and is read when its process is gone', async () => {
    const room = await openRoom();
    const { id } = await asked(room, MOST_OPEN_ASKS);
    const second = await takeOver(room, [id]);
    const agent = second.driver.agent(id);
    expect(pauses(agent)).toEqual(['pause']);
    agent.report({ type: 'ending' });
    expect(pauses(agent)).toEqual(['pause', 'resume']);
    agent.report({ type: 'asked', ask: bashAsk('last', 'ls') });
    await second.drained(id);
    expect(pauses(agent)).toEqual(['pause', 'resume']);
  });

  it('has its tools refused in words', async () => {
    const room = await openRoom();
    const { id } = await asked(room, MOST_OPEN_ASKS);
    const refused = await room.engine.tools.ask(SessionId.parse(id), deployAsk(), async () => null);
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'too_many_asks' } });
  });
});
