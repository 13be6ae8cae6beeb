import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import type { Event, EventOf, EventType, NewEvent } from '../../src/protocol/event.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';

afterEach(endBeckons);

/** A session as the version before calls had shapes stored it: the demo agent's, and calls of an agent of the Agent Client Protocol. */
const recorded = readFileSync(join(import.meta.dirname, '../fixtures/old-log/events.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): NewEvent => JSON.parse(line));

test('[API12] the calls and asks of a log that was written before say what they do', async () => {
  const dataDir = await temporaryDirectory();
  const [created] = recorded;
  if (created?.type !== 'session.created') throw new Error('The recording does not begin with its session');
  const stream = SessionId.parse(created.sessionId);
  const log = openSqliteLog({ path: join(dataDir, 'beckon.db') });
  await log.append({ parts: [{ stream, at: '2026-01-01T00:00:00.000Z', events: recorded }] });
  await log.close();

  const { api } = await startBeckon({ dataDir });
  const { body } = await api('GET', `/api/sessions/${stream}/events?limit=500`);
  const all: readonly Event[] = body.events;
  const events = <T extends EventType>(type: T) =>
    all.filter((event): event is EventOf<T> => event.type === type);
  const write = { is: 'change', does: 'write', path: '/file_path', edits: [{ after: '/content' }] };
  const edit = {
    is: 'change',
    does: 'edit',
    path: '/file_path',
    edits: [{ before: '/old_string', after: '/new_string' }],
  };
  const command = { is: 'command', command: '/command' };
  expect(events('tool.called').map(({ call }) => call)).toMatchObject([
    write,
    edit,
    { is: 'plan', text: '/plan' },
    write,
    command,
    command,
    { is: 'todos', todos: [{ text: '/todos/0/activeForm', state: 'active' }, {}, {}] },
    edit,
    command,
  ]);
  expect(events('interaction.requested').map(({ ask }) => ask.call)).toMatchObject([
    write,
    edit,
    { is: 'plan', text: '/plan' },
    write,
    command,
    command,
    edit,
  ]);
  expect(events('tool.result').map(({ output }) => output)).toMatchObject([
    { changed: { removed: 0 } },
    { patch: '/structuredPatch', changed: { added: 1, removed: 1 } },
    { plan: '/plan' },
    { changed: { removed: 0 } },
    { exitCode: 0 },
    { exitCode: 3 },
    undefined,
    { patch: '/structuredPatch', changed: { added: 1, removed: 1 } },
    undefined,
  ]);
});
