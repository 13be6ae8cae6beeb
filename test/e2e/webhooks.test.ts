import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { readCursor } from '../../src/engine/announcement-cursor.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const receivers: WebhookReceiver[] = [];
afterEach(async () => {
  for (const each of receivers.splice(0)) await each.close();
  await endBeckons();
});

async function receiving(): Promise<WebhookReceiver> {
  const receiver = new WebhookReceiver();
  receivers.push(receiver);
  await receiver.listen();
  return receiver;
}

const seed = testSeed();
const secret = `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`;

async function serving(config: object): Promise<{ dataDir: string; serve: () => Promise<Beckon> }> {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'config.json'), JSON.stringify(config));
  return { dataDir, serve: () => startBeckon({ dataDir }) };
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly session: string;
}
const toldIn = ({ posts }: WebhookReceiver, isTaken: (status: number) => boolean = () => true): Told[] =>
  posts.flatMap(({ headers, body, status }) => {
    const { type, data } = JSON.parse(body) as { type: string; data: { sessionKey: string } };
    return isTaken(status) ? [{ id: String(headers['webhook-id']), type, session: data.sessionKey }] : [];
  });

/** Asks once, is allowed once, and is done. */
const life = ['session.waits', 'session.answered', 'session.done'];

async function begin(beckon: Beckon, key: string, cwd: string): Promise<void> {
  await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd, key, prompt: `run echo ${key}` });
}

async function allowAll(beckon: Beckon): Promise<void> {
  const { body } = await beckon.api('GET', '/api/pending');
  for (const { sessionId, requestId } of body.pending as { sessionId: string; requestId: string }[])
    await beckon.api('POST', `/api/sessions/${sessionId}/approve`, { requestId, decision: 'allow' });
}

describe('webhooks of a real server', () => {
  it('[REACH8] [REACH7] [REACH9] a receiver that hangs, is dead or gone harms neither another nor the server; one that was dead is told when it is back', async () => {
    const good = await receiving();
    const hanging = await receiving();
    hanging.answer = () => () => undefined;
    const gone = await receiving();
    gone.answer = () => 410;
    const dead = await receiving();
    const { url, port } = dead;
    await dead.close();
    const { dataDir, serve } = await serving({
      publicUrl: 'https://beckon.example/room',
      webhooks: [{ url: hanging.url }, { url }, { url: gone.url }, { url: good.url, secret }],
    });
    const beckon = await serve();
    await begin(beckon, 'one', dataDir);
    await good.until(() => toldIn(good).length === 1);
    await allowAll(beckon);
    await good.until(() => toldIn(good).length === 3);
    expect(toldIn(good).map(({ type }) => type)).toEqual(life);
    const { body, headers } = good.posts[0] ?? { body: '', headers: {} };
    expect(JSON.parse(body).data.url).toMatch(/^https:\/\/beckon\.example\/room\/s\/ses_/);
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();

    await expect
      .poll(async () => (await beckon.api('GET', '/api/channels')).body.channels)
      .toMatchObject([
        { label: `webhook (beckon) 127.0.0.1:${hanging.port}`, lastSuccess: null, disabled: false },
        { waiting: 3, lastError: { reason: expect.stringContaining('ECONNREFUSED') } },
        { disabled: true, lastError: { reason: expect.stringContaining('410') } },
        { waiting: 0, lastError: null, lastSuccess: expect.any(String) },
      ]);
    const status = (await beckon.run(['status'])).stdout;
    expect(status).toContain('ECONNREFUSED');
    expect(status).toContain('left alone until the next start');
    // The path of an address may be its only secret.
    expect(status).not.toContain('/hook');
    expect(gone.posts).toHaveLength(1);
    await hanging.until((posts) => posts.length > 0);
    expect(new Set(toldIn(hanging).map(({ type }) => type))).toEqual(new Set(['session.waits']));

    const back = new WebhookReceiver();
    receivers.push(back);
    await back.listen(port);
    await back.until(() => toldIn(back).length === 3);
    expect(toldIn(back).map(({ type }) => type)).toEqual(life);
  });

  it(`[REACH7] killed at seeded moments, before and after an answer: each arrives, in order, none twice that was stored (seed ${seed})`, {
    timeout: times(180_000),
  }, async () => {
    const random = seededRandom(seed);
    const sessions = Array.from({ length: times(3) }, (_, at) => `s${at}`);
    const receiver = await receiving();
    const { dataDir, serve } = await serving({ webhooks: [{ url: receiver.url }] });
    let beckon = await serve();
    const stored = new Set<string>();
    for (const key of sessions) {
      const before = await progressOf(dataDir);
      await begin(beckon, key, dataDir);
      const killed = killAt(receiver, () => beckon, 1 + Math.floor(random() * 3), random() < 0.5);
      // What was told of the session before this kill decides when the ask is answered.
      await receiver.until(() => toldIn(receiver).some(({ session }) => session === key));
      await allowAll(beckon).catch(() => undefined);
      await killed;
      for (const id of await storedIds(dataDir)) stored.add(id);
      const count = receiver.posts.length;
      beckon = await serve();
      await allowAll(beckon);
      await receiver.until(() => isWhole(toldIn(receiver, isTaken), key));
      const after = toldIn(receiver).slice(count);
      expect(after.filter(({ id }) => stored.has(id))).toEqual([]);
      await expect.poll(() => progressOf(dataDir)).not.toBe(before);
    }
    const taken = toldIn(receiver, isTaken);
    for (const key of sessions) {
      const own = taken.filter(({ session }) => session === key);
      const first = own.filter(({ id }, at) => own.findIndex((each) => each.id === id) === at);
      expect(first.map(({ type }) => type)).toEqual(life);
    }
  });
});

const isTaken = (status: number): boolean => status === 204;
const isWhole = (told: readonly Told[], key: string): boolean =>
  life.every((type) => told.some((each) => each.session === key && each.type === type));

/** Kills the server with the post of this number from now on, before it is answered or as soon as it is. */
function killAt(
  receiver: WebhookReceiver,
  beckon: () => Beckon,
  number: number,
  isAnswered: boolean,
): Promise<unknown> {
  return new Promise((resolve) => {
    let count = 0;
    receiver.answer = () => {
      count += 1;
      if (count < number) return 204;
      receiver.answer = () => 204;
      if (!isAnswered) resolve(beckon().kill9());
      return isAnswered ? answerAndKill : () => undefined;
    };
    const answerAndKill = (response: import('node:http').ServerResponse): void => {
      response.writeHead(204).end(() => resolve(beckon().kill9()));
    };
  });
}

async function progressOf(dataDir: string): Promise<string> {
  // A file that was being written when the server was killed has not got its name yet.
  const [file = ''] = (await readdir(join(dataDir, 'channels'))).filter(
    (name) => name.endsWith('.json') && name !== 'push.json',
  );
  return readFile(join(dataDir, 'channels', file), 'utf8');
}

/** What the killed server has on its disk as taken. */
async function storedIds(dataDir: string): Promise<string[]> {
  const { cursor, delivered } = JSON.parse(await progressOf(dataDir)) as {
    cursor: string;
    delivered: string[];
  };
  const untold = readCursor(cursor)?.untold ?? [];
  const log = openSqliteLog({ path: join(dataDir, 'beckon.db') });
  const entries = log.entries({ from: 1, to: Number.POSITIVE_INFINITY }, 100_000);
  await log.close();
  const isTold = (position: number): boolean =>
    !untold.some(({ from, to }) => position >= from && position <= to);
  return [
    ...delivered,
    ...entries.flatMap((entry) => {
      if ('removed' in entry || !isTold(entry.position)) return [];
      const { event } = entry;
      switch (event.type) {
        case 'interaction.requested':
          return [`waits_${event.interactionId}`];
        case 'interaction.resolved':
          return [`answered_${event.interactionId}`];
        case 'turn.ended':
          return [`done_${event.turnId}`];
        default:
          return [];
      }
    }),
  ];
}
