import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/engine/ports/clock.ts';
import type { PushSubscriptions } from '../../src/engine/ports/push.ts';
import type { WaitsNotice } from '../../src/model/notice.ts';
import { shownDigest } from '../../src/model/shown-digest.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { PushChannel } from '../../src/reach/push/push-channel.ts';
import { createVapid, makeVapidKey } from '../../src/reach/push/vapid.ts';
import { eventually } from '../support/eventually.ts';
import {
  makeReceiver,
  type PushReceiver,
  type PushService,
  startPushService,
} from '../support/push-receiver.ts';
import { request, startServer } from './running-server.ts';

const services: PushService[] = [];
afterEach(() => {
  for (const service of services.splice(0)) service.close();
});

const unending = new AbortController().signal;

/** A server with the real channel, and a push service on this machine. */
async function withPush({ allowLoopback = true, elapsed = (): number => 0 } = {}) {
  const service = await startPushService();
  services.push(service);
  let subscriptions: PushSubscriptions | undefined;
  const push = new PushChannel({
    vapid: createVapid(makeVapidKey(), 'https://example.org'),
    subscriptions: () => subscriptions ?? { list: () => [], end: () => {}, note: () => {} },
    waiting: () => 1,
    clock: { ...systemClock, elapsed },
    graceMs: 0,
    allowLoopback,
  });
  const started = await startServer({ push });
  ({ subscriptions } = started.server);
  const pair = async () => {
    const paired = await request(`${started.url}/api/pair`, 'POST', { code: started.server.pairingCode() });
    const [cookie = ''] = (paired.headers.get('set-cookie') ?? '').split(';');
    const secrets = { cookie, 'x-beckon-key': String(paired.body.key) };
    const { id } = paired.body.device as { id: string };
    const call = (method: string, route: string, body?: unknown, headers: Record<string, string> = secrets) =>
      request(`${started.url}${route}`, method, body, headers);
    return { id, cookie, call };
  };
  const subscribe = async (name: string, wishes: object = {}) => {
    const device = await pair();
    const receiver = await makeReceiver();
    const body = {
      endpoint: `${service.url}/${name}`,
      keys: receiver.keys,
      kinds: ['waits'],
      text: 'full',
      language: 'en',
      ...wishes,
    };
    const saved = await device.call('POST', '/api/push', body);
    return { ...device, receiver, body, saved };
  };
  return { ...started, push, service, pair, subscribe };
}

/** What the push service took for a device, read with that device's key. */
const readAt = (service: PushService, receiver: PushReceiver, name: string) =>
  Promise.all(
    service.taken
      .filter(({ path: at }) => at === `/${name}`)
      .map(async ({ body }) => JSON.parse(await receiver.read(body))),
  );

describe('what a device is told with its page closed', () => {
  it('[REACH14] is switched on and off by that device alone, and told to nobody else', async () => {
    const { call, subscribe, pair, dataDir, service, push } = await withPush();
    const phone = await subscribe('phone', { kinds: ['waits', 'failed'], text: 'title', language: 'de' });
    expect(phone.saved).toMatchObject({
      status: 200,
      body: {
        publicKey: push.publicKey,
        subscription: { kinds: ['waits', 'failed'], text: 'title', language: 'de', failure: null },
      },
    });
    const file = path.join(dataDir, 'devices.json');
    expect(readFileSync(file, 'utf8')).toContain(phone.body.endpoint);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const other = await pair();
    expect((await other.call('GET', '/api/push')).body.subscription).toBeNull();
    expect(await other.call('POST', '/api/push/test', {})).toMatchObject({
      status: 404,
      body: { error: { code: 'subscription_not_found' } },
    });
    for (const { body } of [await other.call('GET', '/api/devices'), await call('GET', '/api/devices')])
      expect(JSON.stringify(body)).not.toContain(service.url);
    for (const [method, route, body] of [
      ['GET', '/api/push', undefined],
      ['POST', '/api/push', phone.body],
      ['DELETE', '/api/push', undefined],
      ['POST', '/api/push/test', {}],
    ] as const) {
      expect((await call(method, route, body)).body.error?.code, `token ${method} ${route}`).toBe(
        'device_required',
      );
      const withoutKey = await phone.call(method, route, body, { cookie: phone.cookie });
      expect(withoutKey.body.error?.code, `cookie ${method} ${route}`).toBe('key_missing');
    }
    expect((await phone.call('DELETE', '/api/push')).status).toBe(200);
    expect((await phone.call('GET', '/api/push')).body.subscription).toBeNull();
    expect(readFileSync(file, 'utf8')).not.toContain(service.url);
  });

  it('[REACH12] [REACH14] goes to no address that only the server reaches, and needs the keys of a browser', async () => {
    const { subscribe } = await withPush({ allowLoopback: false });
    for (const wishes of [
      {},
      { endpoint: 'https://169.254.169.254/x' },
      { endpoint: 'https://push.example.net/x', keys: { p256dh: 'AAAA', auth: 'AAAA' } },
    ]) {
      const { saved } = await subscribe('phone', wishes);
      expect(saved).toMatchObject({ status: 422, body: { error: { code: 'invalid_value' } } });
    }
    const { saved } = await subscribe('phone', { kinds: [] });
    expect(saved.status).toBe(422);
  });

  it('[REACH14] can be tried; why it was not taken is shown until it is', async () => {
    const { subscribe, service } = await withPush();
    const phone = await subscribe('phone', { language: 'de' });
    const test = () => phone.call('POST', '/api/push/test', {});
    expect((await test()).body).toEqual({ taken: true });
    expect(await readAt(service, phone.receiver, 'phone')).toEqual([{ type: 'test', language: 'de' }]);
    service.answer(403);
    expect((await test()).body).toEqual({ taken: false, reason: 'It answered 403.', status: 403 });
    expect((await phone.call('GET', '/api/push')).body.subscription).toMatchObject({
      failure: { reason: 'It answered 403.' },
    });
    service.answer(201);
    expect((await test()).body).toEqual({ taken: true });
    expect((await phone.call('GET', '/api/push')).body.subscription).toMatchObject({ failure: null });
    service.answer(410);
    expect((await test()).status).toBe(404);
    expect((await phone.call('GET', '/api/push')).body.subscription).toBeNull();
  });

  it('[REACH14] a browser that is paired again takes its subscription along', async () => {
    const { subscribe, pair, push, service } = await withPush();
    const before = await subscribe('phone');
    const after = await pair();
    await after.call('POST', '/api/push', before.body);
    expect((await before.call('GET', '/api/push')).body.subscription).toBeNull();
    await push.send(done, unending);
    expect(service.taken).toEqual([]);
    await after.call('POST', '/api/push', { ...before.body, kinds: ['done'] });
    await push.send(done, unending);
    expect(service.taken).toHaveLength(1);
  });
});

const about = {
  at: '2030-01-01T00:00:00.000Z',
  session: {
    id: 'ses_1',
    key: null,
    title: 'Fix the build',
    agent: 'demo',
  } as unknown as WaitsNotice['session'],
};
const done = { id: 'done_1', kind: 'done', ...about } as const;

interface Told {
  readonly type: string;
  readonly tag: string;
  readonly ticket?: string;
  readonly isSaid?: boolean;
}

describe('the answer from a notification', () => {
  /** An open ask of a real session, and the notice of it. */
  async function asked(started: Awaited<ReturnType<typeof withPush>>) {
    const session = await started.newSession();
    session.ask({ toolName: 'Bash', input: { command: 'npm test' } });
    const pending = async () =>
      (await started.call('GET', `/api/sessions/${session.id}/pending`)).body.pending as Interaction[];
    const interaction = await eventually('it is asked', async () => (await pending())[0]);
    const notice: WaitsNotice = {
      id: `waits_${interaction.interactionId}`,
      kind: 'waits',
      ...about,
      session: { ...about.session, id: interaction.sessionId },
      asks: [
        {
          interactionId: interaction.interactionId,
          kind: 'approval',
          toolName: 'Bash',
          text: 'npm test',
          isOfSubAgent: false,
          shown: shownDigest(interaction),
        },
      ],
    };
    return { notice, pending };
  }

  it('[REACH15] [SEC7] needs the cookie of the device and the ticket it was given, and works once', async () => {
    const started = await withPush();
    const { push, subscribe, service, url } = started;
    const [phone, laptop] = [
      await subscribe('phone'),
      await subscribe('laptop', { text: 'title', language: 'de' }),
    ];
    const { notice, pending } = await asked(started);
    await push.send(notice, unending);
    const [shown] = await readAt(service, phone.receiver, 'phone');
    expect(shown).toMatchObject({
      type: 'notice',
      title: 'Fix the build',
      body: 'Bash: npm test',
      waiting: 1,
    });
    const [sparse] = await readAt(service, laptop.receiver, 'laptop');
    expect(sparse).toMatchObject({ body: 'Wartet auf dich', language: 'de' });
    expect(sparse.ticket, 'what was not shown cannot be allowed').toBeUndefined();

    const answer = (ticket: string, headers: Record<string, string>) =>
      request(`${url}/api/push/answer`, 'POST', { ticket, decision: 'allow' }, headers);
    const { ticket } = shown;
    const { cookie } = phone;
    for (const [headers, presented, code] of [
      [{}, ticket, 'unauthorized'],
      [{ cookie: 'beckon=wrong' }, ticket, 'unauthorized'],
      [{ cookie }, 'wrong', 'ticket_unknown'],
      [{ cookie: laptop.cookie }, ticket, 'ticket_unknown'],
      [{ cookie, origin: 'http://evil.example' }, ticket, 'origin_not_allowed'],
      [{ cookie, 'sec-fetch-site': 'cross-site' }, ticket, 'origin_not_allowed'],
      [{ cookie, 'sec-fetch-site': 'same-site' }, ticket, 'origin_not_allowed'],
    ] as const)
      expect((await answer(presented, headers)).body.error?.code, JSON.stringify(headers)).toBe(code);
    expect(
      (await request(`${url}/api/sessions`, 'GET', undefined, { cookie, 'x-beckon-key': ticket })).status,
    ).toBe(401);
    expect(await pending()).toHaveLength(1);

    const taken = await answer(ticket, { cookie, 'sec-fetch-site': 'same-origin' });
    expect(taken).toMatchObject({
      status: 200,
      body: {
        interaction: { outcome: 'allowed', resolvedBy: { via: 'device', device: { id: phone.id } } },
        waiting: 0,
      },
    });
    expect((await answer(ticket, { cookie })).body.error?.code).toBe('ticket_unknown');

    // The phone has put its notification away itself.
    await push.withdraw(notice, unending);
    expect(await readAt(service, phone.receiver, 'phone')).toHaveLength(1);
    expect((await readAt(service, laptop.receiver, 'laptop')).at(-1)).toMatchObject({
      type: 'withdrawn',
      tag: sparse.tag,
      isSaid: false,
    });
  });

  it('[REACH15] is refused where it was answered before, where something else is asked, and when it is too old', async () => {
    let elapsed = 0;
    const started = await withPush({ elapsed: () => elapsed });
    const { push, subscribe, service, url } = started;
    const phone = await subscribe('phone');
    const ticketFor = async (notice: WaitsNotice): Promise<string> => {
      await push.send(notice, unending);
      return (await readAt(service, phone.receiver, 'phone')).at(-1).ticket;
    };
    const answer = async (ticket: string) =>
      (
        await request(
          `${url}/api/push/answer`,
          'POST',
          { ticket, decision: 'allow' },
          { cookie: phone.cookie },
        )
      ).body.error?.code;

    const first = await asked(started);
    const changed = {
      ...first.notice,
      asks: first.notice.asks.map((ask) => ({ ...ask, shown: 'f'.repeat(64) })),
    };
    expect(await answer(await ticketFor(changed))).toBe('interaction_changed');
    const ticket = await ticketFor({ ...first.notice, id: 'again' });
    const [{ interactionId = '' } = {}] = await first.pending();
    await started.call('POST', `/api/sessions/${first.notice.session.id}/deny`, { requestId: interactionId });
    expect(await answer(ticket)).toBe('interaction_already_resolved');

    const second = await asked(started);
    const old = await ticketFor(second.notice);
    elapsed = 25 * 60 * 60_000;
    expect(await answer(old)).toBe('ticket_unknown');
    expect(await second.pending()).toHaveLength(1);
  });

  it('[REACH18] a device that was removed gets nothing more, not even what was under way, and answers nothing', async () => {
    const started = await withPush();
    const { push, subscribe, service, url, call } = started;
    const phone = await subscribe('phone');
    const { notice, pending } = await asked(started);
    await push.send(notice, unending);
    const [{ ticket }] = await readAt(service, phone.receiver, 'phone');
    service.hang();
    const sending = push.send({ ...notice, id: 'next' }, unending);
    await eventually('it is under way', () => service.taken.length === 2);
    expect((await call('DELETE', `/api/devices/${phone.id}`)).status).toBe(200);
    expect(await sending).toEqual({ is: 'taken' });
    service.answer(201);
    expect(await push.send({ ...notice, id: 'next' }, unending)).toEqual({ is: 'taken' });
    await push.withdraw(notice, unending);
    expect(service.taken).toHaveLength(2);
    const answer = await request(
      `${url}/api/push/answer`,
      'POST',
      { ticket, decision: 'allow' },
      { cookie: phone.cookie },
    );
    expect(answer.status).toBe(401);
    expect(await pending()).toHaveLength(1);
  });
});

describe('what is sent', () => {
  it('[REACH16] Apple’s devices are told that it is over, and have no buttons; others are not told aloud', async () => {
    const read = await Promise.all(
      ['https://web.push.apple.com/x', 'https://fcm.googleapis.com/x'].map(async (endpoint) => {
        const receiver = await makeReceiver();
        const bodies: Buffer[] = [];
        const device = {
          deviceId: 'd',
          endpoint,
          keys: receiver.keys,
          kinds: ['waits'],
          text: 'full',
          language: 'en',
        } as const;
        const push = new PushChannel({
          vapid: createVapid(makeVapidKey(), 'https://example.org'),
          subscriptions: () => ({
            list: () => [{ ...device, kinds: ['waits'] }],
            end: () => {},
            note: () => {},
          }),
          waiting: () => 0,
          clock: systemClock,
          graceMs: 0,
          allowLoopback: false,
          post: async ({ body }) => {
            bodies.push(body);
            return { is: 'taken' };
          },
        });
        const ask = {
          interactionId: 'int_1',
          kind: 'approval',
          toolName: 'Bash',
          text: 'ls',
          isOfSubAgent: false,
          shown: 'a'.repeat(64),
        };
        const notice = { id: 'waits_1', kind: 'waits', ...about, asks: [ask] } as unknown as WaitsNotice;
        await push.send(notice, unending);
        await push.withdraw(notice, unending);
        return Promise.all(bodies.map(async (body) => JSON.parse(await receiver.read(body))));
      }),
    );
    const [[apple, appleOver], [google, googleOver]] = read as [[Told, Told], [Told, Told]];
    expect(apple.ticket).toBeUndefined();
    expect(google.ticket).toMatch(/^[\w-]{32}$/);
    expect([appleOver, googleOver]).toMatchObject([
      { type: 'withdrawn', tag: apple.tag, isSaid: true },
      { type: 'withdrawn', tag: google.tag, isSaid: false },
    ]);
  });

  it('[REACH12] goes once to each device that wants it; one that failed is tried again, the others are not', async () => {
    let elapsed = 0;
    const { push, subscribe, service } = await withPush({ elapsed: () => elapsed });
    await subscribe('one', { kinds: ['done'] });
    await subscribe('two', { kinds: ['done', 'failed'] });
    await subscribe('three', { kinds: ['waits'] });
    service.answer(503, { 'retry-after': '60' });
    expect(await push.send(done, unending)).toEqual({
      is: 'later',
      reason: 'It answered 503.',
      afterMs: 60_000,
    });
    service.answer(201);
    // Not before the push service wants to be called.
    expect(await push.send(done, unending)).toMatchObject({ is: 'later' });
    expect(service.taken.map(({ path: at }) => at).sort()).toEqual(['/one', '/two']);
    elapsed = 60_001;
    expect(await push.send(done, unending)).toEqual({ is: 'taken' });
    expect(await push.send(done, unending)).toEqual({ is: 'taken' });
    expect(service.taken).toHaveLength(4);
    expect(service.taken.at(-1)?.headers).toMatchObject({ urgency: 'normal', ttl: '86400' });
    const failed = { ...done, id: 'failed_1', kind: 'failed', reason: 'It crashed.' } as const;
    await push.send(failed, unending);
    expect(service.taken.at(-1)?.path).toBe('/two');
    expect(service.taken.at(-1)?.headers.topic).toMatch(/^[\w-]{32}$/);
  });

  it('[REACH10] [REACH15] is cut to what push services take, and what was cut cannot be answered', async () => {
    const { push, subscribe, service } = await withPush();
    const phone = await subscribe('phone');
    const ask = (text: string, shown?: string) =>
      ({
        interactionId: `int_${text.length}`,
        kind: 'approval',
        toolName: 'Bash',
        text,
        isOfSubAgent: false,
        ...(shown === undefined ? {} : { shown }),
      }) as WaitsNotice['asks'][number];
    const many = {
      id: 'waits_1',
      kind: 'waits',
      ...about,
      asks: [ask('\u0001名'.repeat(2_000), 'a'.repeat(64))],
    } as const;
    expect(await push.send(many, unending)).toEqual({ is: 'taken' });
    const [cut] = await readAt(service, phone.receiver, 'phone');
    expect(cut.body).toMatch(/…$/);
    expect(cut.ticket).toBeUndefined();
    expect(service.taken[0]?.body.length).toBeLessThanOrEqual(4_096);
  });
});
