import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  type Beckon,
  endBeckons,
  spawnBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';

afterEach(endBeckons);

async function serve(config: object = {}): Promise<Beckon> {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'config.json'), JSON.stringify(config));
  return startBeckon({ dataDir });
}

async function busySession(beckon: Beckon, settings: object = {}): Promise<string> {
  const { status, body } = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd: await temporaryDirectory(),
    prompt: 'slow 100000',
    ...settings,
  });
  expect(status).toBe(201);
  await isRunning(beckon, body.session.id);
  return body.session.id;
}

/** In a turn that is not about to end. */
const isRunning = (beckon: Beckon, id: string) =>
  eventually('a turn runs', async () => {
    const { status, interrupting } = await session(beckon, id);
    return status === 'running' && interrupting === null;
  });

const session = async (beckon: Beckon, id: string) =>
  (await beckon.api('GET', `/api/sessions/${id}`)).body.session;

const send = async (beckon: Beckon, id: string, ...args: string[]): Promise<string> =>
  JSON.parse((await beckon.run(['send', id, 'slow 100000', '--json', ...args])).stdout).applied;

it('[MSG7] the terminal sends as the session is set, else as the server is; a flag wins, and the API’s own default stays', async () => {
  const beckon = await serve({ whileBusy: 'interrupt' });
  const id = await busySession(beckon);
  expect(await session(beckon, id)).not.toHaveProperty('whileBusy');
  expect(await send(beckon, id)).toBe('interrupt');
  await isRunning(beckon, id);
  expect(await send(beckon, id, '--queue')).toBe('queue');
  const { body } = await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'hello' });
  expect(body).toMatchObject({ requested: 'auto', applied: 'queue' });

  const own = await beckon.api('PATCH', `/api/sessions/${id}`, { whileBusy: 'queue' });
  expect(own.body.session.whileBusy).toBe('queue');
  expect(await send(beckon, id)).toBe('queue');
  const none = await beckon.api('PATCH', `/api/sessions/${id}`, { whileBusy: null });
  expect(none.body.session).not.toHaveProperty('whileBusy');
  expect(await send(beckon, id)).toBe('interrupt');

  const wrong = await beckon.api('PATCH', `/api/sessions/${id}`, { whileBusy: 'shout' });
  expect(wrong.body.error.details.field).toBe('whileBusy');
});

it('[MSG7] without a setting messages queue; a session that is set for itself keeps it across a restart', async () => {
  const beckon = await serve();
  const id = await busySession(beckon);
  expect(await send(beckon, id)).toBe('queue');
  const { stdout } = await beckon.run(['new', '--agent', 'demo', '--while-busy', 'interrupt', '--json']);
  const made = JSON.parse(stdout).session;
  expect(made.whileBusy).toBe('interrupt');
  await beckon.stop();
  const next = await startBeckon({ dataDir: beckon.dataDir });
  expect((await session(next, made.id)).whileBusy).toBe('interrupt');
  expect(await session(next, id)).not.toHaveProperty('whileBusy');
});

it('[MSG7] a line that is typed while one watches follows the setting, also when it is changed meanwhile', async () => {
  const beckon = await serve();
  const id = await busySession(beckon);
  const watching = spawnBeckon(['watch', id, '--interactive', '--data-dir', beckon.dataDir]);
  const said = (text: string) => eventually(text, () => watching.stdout().includes(text));
  await said('slow 100000');
  watching.child.stdin?.write('first\n');
  await said('queued at place 1');
  await beckon.api('PATCH', `/api/sessions/${id}`, { whileBusy: 'interrupt' });
  await said('messages now interrupt');
  watching.child.stdin?.write('slow 99999\n');
  await said('(interrupt)');
  watching.child.stdin?.end();
  watching.child.kill();
  await watching.exited;
});

it('[MSG7] whoever connects is told how the server is set', async () => {
  const beckon = await serve({ whileBusy: 'interrupt' });
  const reply = await fetch(`${beckon.url}/api/events`, {
    headers: { authorization: `Bearer ${beckon.token}` },
  });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: snapshot') || !text.endsWith('\n\n'))
    text += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  expect(text).toContain('"whileBusy":"interrupt"');
});
