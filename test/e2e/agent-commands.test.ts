import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { writeAcpConfig } from '../support/acp-config.ts';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, watch, watchSession } from '../support/watch.ts';

afterEach(async () => {
  endWatches();
  await endBeckons();
});

it('[API1] [SES10] what an agent offers by name is told over HTTP, does what it says, and is known after a restart', async () => {
  const beckon = await startBeckon();
  const all = await watch(beckon);
  const cwd = await temporaryDirectory();
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd, prompt: '/hello' });
  const { id } = body.session;
  const own = await watchSession(beckon, id);
  await own.event('commands.changed');
  expect(await own.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  const found = await beckon.api('GET', `/api/sessions/${id}`);
  expect(found.body.session).not.toHaveProperty('commands');
  expect(found.body.commands).toContainEqual({
    name: 'run',
    description: 'runs exactly that command, once you allow it, and shows what it printed',
    hint: 'COMMAND',
  });
  const again = await watchSession(beckon, id);
  const first = await again.until('the snapshot', ({ event }) => event === 'snapshot');
  expect(first.data.commands).toEqual(found.body.commands);
  await all.until(
    'the session at rest',
    ({ event, data }) => event === 'session-updated' && data.status === 'idle',
  );
  expect(JSON.stringify(all.frames)).not.toContain('runs exactly that command');

  await beckon.api('POST', `/api/sessions/${id}/stop`, {});
  await beckon.stop();
  const next = await startBeckon({ dataDir: beckon.dataDir });
  const kept = await next.api('GET', `/api/sessions/${id}`);
  expect(kept.body).toMatchObject({ session: { status: 'stopped' }, commands: found.body.commands });
  await next.api('POST', `/api/sessions/${id}/resume`, {});
  const woken = await watchSession(next, id);
  await woken.event('process.ready', ({ seq }) => seq > found.body.session.lastSeq);
  await next.api('POST', `/api/sessions/${id}/message`, { message: '/hello' });
  await woken.event('turn.ended', ({ seq }) => seq > found.body.session.lastSeq);
  const told = woken.frames.filter(({ data }) => data.type === 'commands.changed');
  expect(told).toHaveLength(1);
});

it('[API1] an agent of another kind tells its commands alike', async () => {
  const folder = await temporaryDirectory();
  const cwd = join(folder, 'work');
  await mkdir(cwd);
  const beckon = await startBeckon({ args: ['--config', await writeAcpConfig(folder)] });
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'scripted', cwd });
  const own = await watchSession(beckon, body.session.id);
  expect(await own.event('commands.changed')).toMatchObject({
    commands: [
      { name: 'hello', description: 'Says hello' },
      { name: 'run', description: 'Runs a command', hint: 'the command' },
    ],
  });
});
