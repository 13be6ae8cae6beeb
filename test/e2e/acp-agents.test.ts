import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { acpAgent, writeAcpConfig } from '../support/acp-config.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, watchSession } from '../support/watch.ts';

let folder: string;
let beckon: Beckon;

beforeEach(async () => {
  folder = await temporaryDirectory();
  const scripted = { ...acpAgent(join(folder, 'home'), '--options'), label: 'Scripted' };
  const absent = { driver: 'acp', command: './no-such-agent' };
  const config = await writeAcpConfig(folder, { scripted, absent });
  await mkdir(join(folder, 'work'));
  const { PATH } = await installed(folder, 'opencode', '1.0.0');
  beckon = await startBeckon({ args: ['--config', config], env: { PATH } });
});

afterEach(async () => {
  endWatches();
  await endBeckons();
});

/** As npm does it: the program lies in its package. Nothing else is on PATH but what the system has. */
async function installed(root: string, name: string, version: string) {
  const place = join(root, 'node_modules', name);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), JSON.stringify({ name, version }));
  await writeFile(join(place, name), '#!/bin/sh\n', { mode: 0o755 });
  return { PATH: [place, '/usr/bin', '/bin'].join(delimiter) };
}

async function start(prompt: string) {
  const cwd = join(folder, 'work');
  const { status, body } = await beckon.api('POST', '/api/sessions', { agent: 'scripted', cwd, prompt });
  expect(status, JSON.stringify(body)).toBe(201);
  return { id: body.session.id, watch: await watchSession(beckon, body.session.id) };
}

it('a configured agent is listed, and one whose program is missing says so', async () => {
  const { body } = await beckon.api('GET', '/api/agents');
  expect(body.agents).toContainEqual(
    expect.objectContaining({ name: 'scripted', label: 'Scripted', available: true }),
  );
  expect(body.agents).toContainEqual(
    expect.objectContaining({
      name: 'absent',
      available: false,
      reason: expect.stringContaining('no-such-agent'),
    }),
  );
  const refused = await beckon.api('POST', '/api/sessions', { agent: 'absent', cwd: folder, prompt: 'hi' });
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'agent_not_available' } } });
});

it('[SES23] agents that are known by name are told of, installed or not, and a configured one knows its own', async () => {
  const { body } = await beckon.api('GET', '/api/agents');
  expect(body.agents).toContainEqual(
    expect.objectContaining({ name: 'pi', asking: { byDefault: 'never' }, install: expect.any(String) }),
  );
  const { stdout } = await beckon.run(['agents']);
  expect(stdout).toMatch(/^qwen {2}Qwen Code {2}not installed: npm install -g @qwen-code\/qwen-code$/m);
  expect(stdout).toContain(
    'opencode  opencode  1.0.0\n  never asks before it acts: with OPENCODE_PERMISSION=',
  );
  expect(stdout).toContain('sign in: "opencode auth login" in a terminal\n');
});

it('[ASK5] [MSG1] it is asked for and answered over HTTP as any other, and says what it cannot do', async () => {
  const session = await start('run touch asked.txt');
  const { interactionId, ask } = await session.watch.event('interaction.requested');
  expect(ask).toMatchObject({ title: 'Bash: touch asked.txt' });
  const path = `/api/sessions/${session.id}`;
  const steered = await beckon.api('POST', `${path}/message`, { message: 'hello', disposition: 'steer' });
  expect(steered).toMatchObject({ status: 202, body: { applied: 'queue' } });
  const allowed = await beckon.api('POST', `${path}/approve`, {
    requestId: interactionId,
    decision: 'allow',
  });
  expect(allowed).toMatchObject({ status: 200, body: { interaction: { outcome: 'allowed' } } });
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  expect(existsSync(join(folder, 'work', 'asked.txt'))).toBe(true);
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
});

it('[SES13] an option of its own is told with what it does, and is set with who wanted it on record', async () => {
  const { id, watch } = await start('hello');
  await watch.event('turn.ended');
  const path = `/api/sessions/${id}`;
  const { body } = await beckon.api('GET', path);
  expect(body.session.options).toEqual([
    {
      id: 'auto_approve',
      label: 'Approve all',
      value: 'false',
      choices: [
        { value: 'true', label: 'On' },
        { value: 'false', label: 'Off' },
      ],
      asksLess: ['true'],
    },
  ]);
  const set = (option: object) => beckon.api('PATCH', path, { option });
  expect(await set({ id: 'auto_approve', value: 'perhaps' })).toMatchObject({ status: 422 });
  expect(await set({ id: 'nothing', value: 'true' })).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid_value', details: { options: ['auto_approve'] } } },
  });
  const unsure = await beckon.run(['options', id, 'auto_approve', 'true']);
  expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining('say --yes') });
  expect((await beckon.run(['options', id])).stdout).toContain('auto_approve  false  Approve all; also true');
  const changed = await set({ id: 'auto_approve', value: 'true' });
  expect(changed.body.session.options).toMatchObject([{ value: 'true' }]);
  expect((await beckon.run(['options', id])).stdout).toContain('it asks less with this');
  const event = await watch.event('options.changed', ({ changed: one }) => one !== undefined);
  expect(event).toMatchObject({
    changed: { id: 'auto_approve', value: 'true' },
    by: { kind: 'person' },
  });
  await beckon.api('POST', `${path}/stop`);
  expect(await set({ id: 'auto_approve', value: 'false' })).toMatchObject({
    status: 409,
    body: { error: { code: 'agent_not_running' } },
  });
});

it('[SES8] one that dies is started again by itself, and goes on with its conversation', async () => {
  const session = await start('!die');
  expect(await session.watch.event('process.exited')).toMatchObject({ crashed: true, code: 3 });
  await session.watch.event('process.starting', ({ cause }) => cause === 'crash');
  await session.watch.event('process.ready', ({ agentSessionId }) => agentSessionId !== null);
  await beckon.api('POST', `/api/sessions/${session.id}/message`, { message: 'hello' });
  expect(await session.watch.event('turn.ended', ({ outcome }) => outcome === 'completed')).toBeDefined();
});
