import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { RecordingAgent, writeRecordingProgram } from '../../support/recording-agent.ts';
import { desktop, withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser();

const mainOf = (page: Page) => page.getByRole('main');

it('[ASK12] a page says which browser decided, and of what came with the token that it did, whatever it calls itself', async () => {
  const beckon = await startBeckon();
  const ask = { title: 'Asking', prompt: 'run touch made.txt', status: 'waiting' };
  const [one = '', two = ''] = await startSessions(beckon, [ask, ask], await temporaryDirectory());
  const { page: first } = await come(beckon, `/s/${one}`);
  await mainOf(first).getByRole('button', { name: 'Allow', exact: true }).click();
  await mainOf(first).locator('summary', { hasText: 'by this browser' }).waitFor();

  const { body } = await beckon.api('GET', `/api/sessions/${one}/events?limit=200`);
  const { by } = body.events.find(({ type }: { type: string }) => type === 'interaction.decided');
  const { devices } = (await beckon.api('GET', '/api/devices')).body;
  expect(by).toMatchObject({
    kind: 'person',
    via: 'device',
    device: { id: devices[0].id, name: devices[0].name },
  });
  const { page: second } = await come(beckon, `/s/${one}`);
  await mainOf(second)
    .locator('summary', { hasText: `by ${devices[0].name}` })
    .waitFor();

  // Whoever has the token can send any name, also this browser's own.
  const { pending } = (await beckon.api('GET', `/api/sessions/${two}/pending`)).body;
  await fetch(`${beckon.url}/api/sessions/${two}/approve`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${beckon.token}`,
      'content-type': 'application/json',
      'x-beckon-client': by.clientId,
    },
    body: JSON.stringify({ requestId: pending[0].requestId, decision: 'allow' }),
  });
  await first.goto(`${beckon.url}/s/${two}`);
  await mainOf(first)
    .locator('summary', { hasText: `with the token (${by.clientId})` })
    .waitFor();
  expect(await mainOf(first).getByText('by this browser').count()).toBe(0);
});

it('[ASK4] an answer that may have reached the agent is shown as that, with what was decided, in both languages', async () => {
  const directory = await temporaryDirectory();
  const args = ['--claude', await writeRecordingProgram(directory)];
  const beckon = await startBeckon({ args });
  const agent = await RecordingAgent.play(directory, 'agent', [
    { requestId: 'r1', command: 'npm publish', after: 'waits' },
  ]);
  const made = await beckon.api('POST', '/api/sessions', { agent: 'claude', cwd: directory, env: agent.env });
  const { id } = made.body.session;
  const path = `/s/${id}`;
  const { page: first } = await come(beckon, path);
  await mainOf(first).getByRole('button', { name: 'Allow', exact: true }).waitFor();
  // It does not read, and the answer is longer than a pipe holds: when both are gone, nobody can say how far it came.
  process.kill(await agent.pid(), 'SIGSTOP');
  const { body } = await beckon.api('GET', `/api/sessions/${id}/pending`);
  await beckon.api('POST', `/api/sessions/${id}/approve`, {
    requestId: body.pending[0].requestId,
    decision: 'allow',
    updatedInput: { command: `echo ${'x'.repeat(300_000)}` },
  });
  await mainOf(first).locator('summary', { hasText: 'Allowed' }).waitFor();
  await beckon.kill9();
  process.kill(await agent.pid(), 'SIGKILL');
  const next = await startBeckon({ dataDir: beckon.dataDir, args });
  const { page } = await come(next, path);
  const words = 'may have reached the agent';
  await mainOf(page).locator('summary', { hasText: words }).waitFor();
  const { page: german } = await come(next, path, { ...desktop, language: 'de' });
  await mainOf(german).locator('summary', { hasText: 'hat den Agenten vielleicht erreicht' }).waitFor();
  expect(agent.read()).toEqual([]);
});
