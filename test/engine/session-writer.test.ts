import { describe, expect, it } from 'vitest';
import { SessionWriter } from '../../src/engine/session-writer.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { lastSeqOf } from '../support/last-seq.ts';
import { memoryLog } from '../support/memory-log.ts';
import { PlayedSession, person } from '../support/session-states.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const title = (words: string) => ({ type: 'change', title: words, by: person }) as const;

async function created() {
  const log = memoryLog();
  const clock = new FakeClock();
  const commits: string[][] = [];
  const id = SessionId.parse('ses_1');
  const writer = new SessionWriter(id, null, {
    append: (parts, _grants, onStored) => log.append({ parts, onStored }),
    clock,
    logger: quiet,
    context: () => ({ at: clock.now(), mint: (kind) => `${kind}_1`, grants: [], rulesIn: () => [] }),
    onCommit: ({ steps }) => commits.push(steps.map(({ event }) => event.type)),
    onLive: () => {},
    onReading: () => {},
  });
  const [first] = new PlayedSession().log;
  if (first?.type !== 'session.created') throw new Error('A session begins with its creation');
  const { seq: _, at: __, ...event } = first;
  expect((await writer.create(event)).ok).toBe(true);
  return { writer, log, commits, id };
}

describe('the only writer of a session’s log', () => {
  it('stores what arrives in one tick together, and what arrives meanwhile in the next', async () => {
    const { writer, commits } = await created();
    const first = [writer.command(title('a')), writer.command(title('b'))];
    await Promise.resolve();
    await Promise.resolve();
    const second = [writer.command(title('c')), writer.command(title('d'))];
    await Promise.all([...first, ...second]);
    expect(commits).toEqual([
      ['session.created'],
      ['session.changed', 'session.changed'],
      ['session.changed', 'session.changed'],
    ]);
    expect(writer.state.title).toBe('d');
  });

  it('each is told its own events', async () => {
    const { writer } = await created();
    const results = await Promise.all([writer.command(title('a')), writer.command(title('b'))]);
    const titles = results.map(
      (result) => result.ok && result.value.map(({ event }) => ('title' in event ? event.title : '')),
    );
    expect(titles).toEqual([['a'], ['b']]);
  });

  it('is not retired while something is to be stored; after it, as if there were no session', async () => {
    const { writer, log, id } = await created();
    const pending = writer.command(title('a'));
    expect(writer.retire()).toBe(false);
    await Promise.resolve();
    await Promise.resolve();
    expect(writer.retire()).toBe(false);
    await pending;
    expect(writer.retire()).toBe(true);
    expect(writer.retire()).toBe(false);
    const before = lastSeqOf(log, id);
    expect(await writer.command(title('b'))).toMatchObject({
      ok: false,
      refusal: { code: 'session_not_found' },
    });
    expect(await writer.insist(title('b'))).toMatchObject({
      ok: false,
      refusal: { code: 'session_not_found' },
    });
    writer.fact('run_1', { type: 'turn-started' });
    expect(lastSeqOf(log, id)).toBe(before);
    writer.reinstate();
    expect((await writer.command(title('b'))).ok).toBe(true);
  });

  it('what fails after it was stored is stored all the same, and is told so', async () => {
    const log = memoryLog();
    const clock = new FakeClock();
    const writer = new SessionWriter(
      SessionId.parse('ses_1'),
      { state: new PlayedSession().state, snapshotSeq: 0 },
      {
        append: (parts, _grants, onStored) => log.append({ parts, onStored }),
        clock,
        logger: quiet,
        context: () => ({ at: clock.now(), mint: (kind) => `${kind}_1`, grants: [], rulesIn: () => [] }),
        onCommit: () => {
          throw new Error('a bug');
        },
        onLive: () => {},
        onReading: () => {},
      },
    );
    expect((await writer.command(title('a'))).ok).toBe(true);
    expect((await writer.command(title('b'))).ok).toBe(true);
    expect(writer.state.title).toBe('b');
  });
});
