import { afterEach, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { CutFollower } from '../support/cut-follower.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';

afterEach(endBeckons);

const seed = testSeed();
const kills = times(3);

it(`[MULTI9] a cursor outlives kill -9 of the server: every ask and every end is heard once, seed ${seed}`, {
  timeout: times(180_000),
}, async () => {
  const dataDir = await temporaryDirectory();
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  let beckon = await startBeckon({ dataDir });
  const follower = await CutFollower.begin(serverOf(beckon));
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', prompt: 'run echo first' });
    ids.push(body.session.id);
  }
  const { body: gone } = await beckon.api('POST', '/api/sessions', { agent: 'demo' });

  for (let kill = 0; kill < kills; kill += 1) {
    for (let cut = 0; cut < 5; cut += 1) {
      const following = follower.follow(serverOf(beckon), below(2) === 0 ? 1 + below(20_000) : undefined);
      await following.hasBegun;
      for (const id of ids.filter(() => below(2) === 0)) await answerAndGoOn(beckon, id);
      if (cut === 4) await Promise.all([beckon.kill9(), answerAndGoOn(beckon, ids[0] ?? '').catch(() => {})]);
      else following.cut();
      await following.ended;
    }
    beckon = await startBeckon({ dataDir });
    if (kill === 0) {
      await beckon.api('POST', `/api/sessions/${gone.session.id}/stop`);
      await beckon.api('DELETE', `/api/sessions/${gone.session.id}`);
    }
  }
  for (const id of ids) {
    await waits(beckon, id);
    await answerAndGoOn(beckon, id);
    await waits(beckon, id);
    await beckon.api('POST', `/api/sessions/${id}/stop`);
  }
  const expected = new Map<string, string[]>();
  await eventually('everything has ended', async () => {
    for (const id of ids) expected.set(id, await asksAndEndsOf(beckon, id));
    return [...expected.values()].every((list) => list.length % 2 === 0);
  });
  await follower.hearAll(serverOf(beckon));

  expect(follower.of('resync')).toEqual([]);
  for (const id of ids) {
    const heard = follower.heard.flatMap(({ type, data }) => {
      if (data.sessionId !== id) return [];
      if (type === 'approval-requested') return `asked ${data.requestId}`;
      return type === 'approval-resolved' ? `${data.outcome} ${data.requestId}` : [];
    });
    expect(heard, `seed ${seed}`).toEqual(expected.get(id));
    expect(heard.length).toBeGreaterThan(2);
  }
  expect(follower.of('session-removed').map(({ data }) => data.sessionId)).toEqual([gone.session.id]);
});

const serverOf = ({ url, token }: Beckon) => ({ port: Number(new URL(url).port), token });

const waits = (beckon: Beckon, id: string): Promise<unknown> =>
  eventually(`${id} waits for a person`, async () => (await pendingOf(beckon, id)) !== undefined);

async function pendingOf(beckon: Beckon, id: string): Promise<string | undefined> {
  const { body } = await beckon.api('GET', `/api/sessions/${id}/pending`);
  return body.pending?.[0]?.requestId;
}

async function answerAndGoOn(beckon: Beckon, id: string): Promise<void> {
  const requestId = await pendingOf(beckon, id);
  if (requestId !== undefined)
    await beckon.api('POST', `/api/sessions/${id}/approve`, { requestId, decision: 'allow' });
  await beckon.api('POST', `/api/sessions/${id}/message`, {
    message: 'run echo again',
    disposition: 'queue',
  });
}

async function asksAndEndsOf(beckon: Beckon, id: string): Promise<string[]> {
  const { body } = await beckon.api('GET', `/api/sessions/${id}/events?after=0&limit=1000`);
  return body.events.flatMap((event: { type: string; interactionId: string; outcome: string }) => {
    if (event.type === 'interaction.requested') return `asked ${event.interactionId}`;
    return event.type === 'interaction.resolved' ? `${event.outcome} ${event.interactionId}` : [];
  });
}
