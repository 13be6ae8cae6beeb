import { rm } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, watchSession } from '../support/watch.ts';

afterEach(async () => {
  endWatches();
  await endBeckons();
});

it('[CHG38] a fork knows what was said before its turn, each session names the other, and another server goes on with both', async () => {
  const dataDir = await temporaryDirectory();
  let beckon = await startBeckon({ dataDir });
  const cwd = await temporaryDirectory();
  const made = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd,
    title: 'First',
    labels: ['x'],
    env: { BECKON_DEMO_PACE: '0' },
  });
  const { id } = made.body.session;
  await say(beckon, id, 'remember the blue door');
  await say(beckon, id, 'remember the red door');
  const [first, second] = await turnsOf(beckon, id);

  expect(await beckon.api('POST', `/api/sessions/${id}/fork`, { turnId: 'turn_nowhere' })).toMatchObject({
    status: 404,
    body: { error: { code: 'turn_not_found' } },
  });
  const forked = await beckon.api('POST', `/api/sessions/${id}/fork`, { turnId: second });
  expect(forked).toMatchObject({
    status: 201,
    body: {
      session: {
        title: 'First (fork)',
        agent: 'demo',
        cwd,
        labels: ['x'],
        forkedFrom: { sessionId: id, turnId: second },
      },
    },
  });
  const fork = forked.body.session.id;
  const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
  expect(body.events).toContainEqual(
    expect.objectContaining({ type: 'session.forked', into: fork, turnId: second }),
  );

  // The fork has not begun yet: the next server makes the copy.
  await beckon.kill9();
  beckon = await startBeckon({ dataDir });
  const remembered = await say(beckon, fork, 'what do you remember');
  expect(remembered).toContain('blue door');
  expect(remembered).not.toContain('red door');
  await say(beckon, fork, 'remember the green door');
  const all = await say(beckon, id, 'what do you remember');
  expect(all).toContain('red door');
  expect(all).not.toContain('green door');

  await beckon.stop();
  beckon = await startBeckon({ dataDir });
  const later = await say(beckon, fork, 'what do you remember');
  expect(later).toContain('green door');
  expect(later).not.toContain('red door');
  const anew = await beckon.api('POST', `/api/sessions/${id}/fork`, { turnId: first, title: 'Anew' });
  expect(anew).toMatchObject({ status: 201, body: { session: { title: 'Anew' } } });
  expect(await say(beckon, anew.body.session.id, 'what do you remember')).not.toContain('door');
});

it('[CHG38] a fork that the agent cannot make fails in words, and does not begin without what was said', async () => {
  const beckon = await startBeckon();
  const env = { BECKON_DEMO_PACE: '0', BECKON_DEMO_HOME: await temporaryDirectory() };
  const made = await beckon.api('POST', '/api/sessions', { agent: 'demo', env });
  const { id } = made.body.session;
  await say(beckon, id, 'remember the blue door');
  await beckon.api('POST', `/api/sessions/${id}/stop`);
  await rm(env.BECKON_DEMO_HOME, { recursive: true });
  const forked = await beckon.api('POST', `/api/sessions/${id}/fork`, {});
  const seen = await watchSession(beckon, forked.body.session.id);
  const { reason } = await seen.event('session.failed');
  expect(reason).toContain('could not be forked: No conversation found');
});

/** Says it, and gives what the agent said. */
async function say(beckon: Beckon, session: string, message: string): Promise<string> {
  const seen = await watchSession(beckon, session);
  const sent = await beckon.api('POST', `/api/sessions/${session}/message`, { message });
  const { turnId } = await seen.event('turn.started', ({ messageId }) => messageId === sent.body.messageId);
  await seen.event('turn.ended', (event) => event.turnId === turnId);
  const { body } = await beckon.api('GET', `/api/sessions/${session}/events?limit=1000`);
  const at = body.events.findIndex((event: { turnId?: string }) => event.turnId === turnId);
  return body.events
    .slice(at)
    .flatMap((event: { type: string; text?: string }) => (event.type === 'agent.text' ? [event.text] : []))
    .join('\n');
}

async function turnsOf(beckon: Beckon, session: string): Promise<string[]> {
  const { body } = await beckon.api('GET', `/api/sessions/${session}/events?limit=1000`);
  return body.events.flatMap((event: { type: string; turnId?: string }) =>
    event.type === 'turn.started' ? [event.turnId] : [],
  );
}
