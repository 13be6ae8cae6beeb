import { describe, expect, it } from 'vitest';
import { SessionRunner } from '../../src/engine/session-runner.ts';
import { memoryLog } from '../../src/log/memory-log.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { PlayedSession, person } from '../support/session-states.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const title = (words: string) => ({ type: 'change', title: words, by: person }) as const;

async function created() {
  const log = memoryLog();
  const clock = new FakeClock();
  const commits: string[][] = [];
  const id = SessionId.parse('ses_1');
  const runner = new SessionRunner(id, null, {
    log,
    clock,
    logger: quiet,
    context: () => ({ at: clock.now(), mint: (kind) => `${kind}_1`, grants: [] }),
    onCommit: ({ steps }) => commits.push(steps.map(({ event }) => event.type)),
    onLive: () => {},
    onReading: () => {},
  });
  const [first] = new PlayedSession().log;
  if (first?.type !== 'session.created') throw new Error('A session begins with its creation');
  const { seq: _, at: __, ...event } = first;
  expect((await runner.create(event)).ok).toBe(true);
  return { runner, log, commits, id };
}

describe('the only writer of a session’s log', () => {
  it('stores what arrives in one tick together, and what arrives meanwhile in the next', async () => {
    const { runner, commits } = await created();
    const first = [runner.command(title('a')), runner.command(title('b'))];
    await Promise.resolve();
    await Promise.resolve();
    const second = [runner.command(title('c')), runner.command(title('d'))];
    await Promise.all([...first, ...second]);
    expect(commits).toEqual([
      ['session.created'],
      ['session.changed', 'session.changed'],
      ['session.changed', 'session.changed'],
    ]);
    expect(runner.state.title).toBe('d');
  });

  it('each is told its own events', async () => {
    const { runner } = await created();
    const results = await Promise.all([runner.command(title('a')), runner.command(title('b'))]);
    const titles = results.map(
      (result) => result.ok && result.value.map(({ event }) => ('title' in event ? event.title : '')),
    );
    expect(titles).toEqual([['a'], ['b']]);
  });

  it('is not retired while something is to be stored; after it, as if there were no session', async () => {
    const { runner, log, id } = await created();
    const pending = runner.command(title('a'));
    expect(runner.retire()).toBe(false);
    await Promise.resolve();
    await Promise.resolve();
    expect(runner.retire()).toBe(false);
    await pending;
    expect(runner.retire()).toBe(true);
    expect(runner.retire()).toBe(false);
    const before = log.lastSeq(id);
    expect(await runner.command(title('b'))).toMatchObject({
      ok: false,
      refusal: { code: 'session_not_found' },
    });
    expect(await runner.insist(title('b'))).toMatchObject({
      ok: false,
      refusal: { code: 'session_not_found' },
    });
    runner.fact('run_1', { type: 'turn-started' });
    expect(log.lastSeq(id)).toBe(before);
    runner.reinstate();
    expect((await runner.command(title('b'))).ok).toBe(true);
  });

  it('what fails after it was stored is stored all the same, and is told so', async () => {
    const log = memoryLog();
    const clock = new FakeClock();
    const runner = new SessionRunner(
      SessionId.parse('ses_1'),
      { state: new PlayedSession().state, snapshotSeq: 0 },
      {
        log,
        clock,
        logger: quiet,
        context: () => ({ at: clock.now(), mint: (kind) => `${kind}_1`, grants: [] }),
        onCommit: () => {
          throw new Error('a bug');
        },
        onLive: () => {},
        onReading: () => {},
      },
    );
    expect((await runner.command(title('a'))).ok).toBe(true);
    expect((await runner.command(title('b'))).ok).toBe(true);
    expect(runner.state.title).toBe('b');
  });
});
