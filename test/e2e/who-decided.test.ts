import { join } from 'node:path';
import { createBeckon } from 'beckon';
import { afterEach, expect, it } from 'vitest';
import type { Actor } from '../../src/protocol/interaction.ts';
import { WsClient } from '../server/ws-client.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';

afterEach(endBeckons);

/** What is on record of who answered the demo agent's question, after someone did. */
async function recorded(beckon: Beckon, answer: (session: string, requestId: string) => Promise<unknown>) {
  const cwd = await temporaryDirectory();
  const made = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd,
    prompt: 'run touch made.txt',
  });
  const session: string = made.body.session.id;
  const requestId = await eventually('it asks', async () => {
    const { body } = await beckon.api('GET', `/api/sessions/${session}/pending`);
    return body.pending[0]?.requestId;
  });
  await answer(session, requestId);
  const { body } = await beckon.api('GET', `/api/sessions/${session}/interactions/${requestId}`);
  return body.interaction.resolvedBy as Actor;
}

it('[ASK12] [ASK4] with the token: that it was the token, and apart from it what the caller calls itself', async () => {
  const beckon = await startBeckon();
  const approve = (headers: Record<string, string>) => (session: string, requestId: string) =>
    fetch(`${beckon.url}/api/sessions/${session}/approve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${beckon.token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ requestId, decision: 'allow' }),
    });
  const byToken = { kind: 'person', via: 'token', where: 'api' };
  expect(await recorded(beckon, approve({}))).toEqual(byToken);
  expect(await recorded(beckon, approve({ 'x-beckon-client': 'ci:7' }))).toEqual({
    ...byToken,
    client: 'ci:7',
    clientId: 'ci:7',
  });
  expect(await recorded(beckon, async () => beckon.run(['approve']))).toMatchObject({
    via: 'token',
    client: 'terminal',
  });
  const socket = await WsClient.open(beckon.url, { authorization: `Bearer ${beckon.token}` });
  socket.send({ type: 'hello', client: 'my editor' });
  const bySocket = await recorded(beckon, (sessionId, requestId) => {
    socket.send({ id: 1, type: 'approve_tool', sessionId, requestId, decision: 'allow' });
    return socket.first(({ type, id }) => type === 'ack' && id === 1);
  });
  expect(bySocket).toMatchObject({ kind: 'person', via: 'token', client: 'my editor', where: 'my editor' });
  expect(bySocket.device).toBeUndefined();
  socket.socket.close();
});

it('[ASK12] in the same process: that it was the library', async () => {
  const dataDir = await temporaryDirectory();
  const beckon = await createBeckon({ dataDir, claude: join(dataDir, 'no-such-program') });
  try {
    const { transport } = beckon;
    const { id } = await transport.createSession({
      agent: 'demo',
      cwd: dataDir,
      prompt: 'run touch made.txt',
    });
    const { requestId } = await eventually('it asks', async () => (await transport.pending())[0]);
    const { resolvedBy } = await transport.approve(id, { requestId, decision: 'allow' });
    expect(resolvedBy).toEqual({ kind: 'person', via: 'library', where: 'same process' });
  } finally {
    await beckon.close();
  }
});
