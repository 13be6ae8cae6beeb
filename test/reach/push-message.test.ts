import { createPublicKey, verify, webcrypto } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { lookupAllowed } from '../../src/reach/http-post.ts';
import { encryptPush, mostPlaintext, receiverKeys } from '../../src/reach/push/encrypt.ts';
import { isPublicAddress, isPushEndpoint } from '../../src/reach/push/endpoint.ts';
import { postPush } from '../../src/reach/push/post-push.ts';
import { createVapid, makeVapidKey } from '../../src/reach/push/vapid.ts';
import { makeReceiver, type PushService, receiverOf, startPushService } from '../support/push-receiver.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

/** RFC 8291, appendix A. */
const example = {
  plaintext: 'When I grow up, I want to be a watermelon',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  receiverPrivate: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  receiverPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

const services: PushService[] = [];
afterEach(() => {
  for (const service of services.splice(0)) service.close();
});
const aService = async (): Promise<PushService> => {
  const service = await startPushService();
  services.push(service);
  return service;
};

describe('what is handed to a push service', () => {
  it('[REACH10] is encrypted as the example of RFC 8291', () => {
    const keys = receiverKeys({ p256dh: example.receiverPublic, auth: example.auth });
    if (keys === undefined) throw new Error('The keys of the example are keys.');
    const once = { salt: bytes(example.salt), privateKey: bytes(example.senderPrivate) };
    const message = encryptPush(Buffer.from(example.plaintext), keys, once);
    expect(message.toString('base64url')).toBe(example.message);
  });

  it('[REACH10] is read by the browser it is for, by no other, and is never the same twice', async () => {
    const receiver = await makeReceiver();
    const keys = receiverKeys(receiver.keys);
    if (keys === undefined) throw new Error('A browser’s keys are keys.');
    for (const text of ['', 'x', 'Größe ✓ 名前', 'y'.repeat(mostPlaintext)]) {
      const message = encryptPush(Buffer.from(text), keys);
      expect(message.length).toBe(Buffer.byteLength(text) + 103);
      expect(await receiver.read(message)).toBe(text);
      expect(message.equals(encryptPush(Buffer.from(text), keys))).toBe(false);
    }
    const other = await makeReceiver();
    await expect(other.read(encryptPush(Buffer.from('secret'), keys))).rejects.toThrow();
    expect(encryptPush(Buffer.alloc(mostPlaintext), keys)).toHaveLength(4_096);
    expect(() => encryptPush(Buffer.alloc(mostPlaintext + 1), keys)).toThrow(RangeError);
  });

  it('the way tests read messages reads the example', async () => {
    const [x, y] = [
      bytes(example.receiverPublic).subarray(1, 33),
      bytes(example.receiverPublic).subarray(33),
    ];
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: x.toString('base64url'),
      y: y.toString('base64url'),
    };
    const curve = { name: 'ECDH', namedCurve: 'P-256' };
    const { subtle } = webcrypto;
    const pair = {
      publicKey: await subtle.importKey('jwk', jwk, curve, true, []),
      privateKey: await subtle.importKey('jwk', { ...jwk, d: example.receiverPrivate }, curve, false, [
        'deriveBits',
      ]),
    };
    const receiver = await receiverOf(pair, bytes(example.auth));
    expect(await receiver.read(bytes(example.message))).toBe(example.plaintext);
  });

  it('[REACH10] no keys are taken that nothing can be encrypted for', async () => {
    const { keys } = await makeReceiver();
    const broken = Buffer.from(keys.p256dh, 'base64url');
    broken.writeUInt8((broken[64] ?? 0) ^ 1, 64);
    expect(receiverKeys({ ...keys, p256dh: broken.toString('base64url') })).toBeUndefined();
    expect(receiverKeys({ ...keys, p256dh: '' })).toBeUndefined();
    expect(receiverKeys({ ...keys, auth: 'AAAA' })).toBeUndefined();
  });

  it('[REACH11] is signed for the push service it goes to, for less than a day, under a key that stays', () => {
    const privateKey = makeVapidKey();
    expect(privateKey).toMatch(/^[\w-]{43}$/);
    const vapid = createVapid(privateKey, 'https://ops.example.org');
    const now = Date.UTC(2030, 0, 1);
    const header = vapid.authorization('https://push.example.net/send/abc?x=1', now);
    const [, token = '', key = ''] = /^vapid t=([^,]+), k=(\S+)$/.exec(header) ?? [];
    const [head = '', claims = '', signature = ''] = token.split('.');
    expect(JSON.parse(bytes(head).toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
    const { aud, exp, sub } = JSON.parse(bytes(claims).toString());
    expect({ aud, sub }).toEqual({ aud: 'https://push.example.net', sub: 'https://ops.example.org' });
    expect(exp).toBeGreaterThan(now / 1000);
    expect(exp - now / 1000).toBeLessThanOrEqual(24 * 60 * 60);
    expect(key).toBe(vapid.publicKey);
    expect(createVapid(privateKey, 'https://other.example').publicKey).toBe(key);
    const point = bytes(key);
    const publicKey = createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: point.subarray(1, 33).toString('base64url'),
        y: point.subarray(33).toString('base64url'),
      },
    });
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      bytes(signature),
    );
    expect(isSigned).toBe(true);
  });

  it('[REACH11] a private key with leading zeros is one, too', () => {
    const short = Buffer.concat([Buffer.alloc(2), Buffer.alloc(30, 7)]).toString('base64url');
    expect(createVapid(short, 'https://a.example').authorization('https://b.example/', 0)).toMatch(
      /^vapid t=/,
    );
  });
});

describe('where push messages go', () => {
  const strict = { allowLoopback: false };

  it.each([
    'http://push.example.net/x',
    'ftp://push.example.net/x',
    'https://user:word@push.example.net/x',
    'https://localhost/x',
    'https://printer.local/x',
    'https://metadata.google.internal/x',
    'https://intranet/x',
    'https://127.0.0.1/x',
    'https://0x7f.1/x',
    'https://2130706433/x',
    'https://10.1.2.3/x',
    'https://169.254.169.254/latest',
    'https://100.64.1.1/x',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://[64:ff9b::a00:1]/x',
    'https://[fe80::1]/x',
    'https://[fd00::1]/x',
    'https://[2002:a00:1::]/x',
    'no address',
    `https://push.example.net/${'x'.repeat(2_100)}`,
  ])('[REACH12] not to %s', (endpoint) => {
    expect(isPushEndpoint(endpoint, strict)).toBe(false);
  });

  it.each([
    'https://fcm.googleapis.com/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/abc',
    'https://wns2-by3p.notify.windows.com/w/?token=abc',
    'https://8.8.8.8/x',
    'https://[2606:4700::1]/x',
  ])('[REACH12] to %s', (endpoint) => {
    expect(isPushEndpoint(endpoint, strict)).toBe(true);
  });

  it('[REACH12] a name that stands for this machine is not connected to', async () => {
    const lookup = lookupAllowed({
      isAllowed: isPublicAddress,
      notAllowed: (host) => `${host} is not public`,
    });
    const why = await new Promise((resolve) =>
      lookup('localhost', { all: true }, (error) => resolve(error?.message)),
    );
    expect(why).toBe('localhost is not public');
    expect(isPublicAddress('1.1.1.1')).toBe(true);
    expect(isPublicAddress('name')).toBe(false);
  });

  it('[REACH12] this machine only where the server was started for it', async () => {
    const { url, taken } = await aService();
    const push = {
      endpoint: `${url}/one`,
      authorization: 'vapid t=a, k=b',
      body: Buffer.from('encrypted'),
      ttlSeconds: 600,
      urgency: 'high',
      topic: 'session-1',
    } as const;
    const options = { signal: new AbortController().signal, now: 0 };
    expect(await postPush(push, { ...options, allowLoopback: false })).toMatchObject({ is: 'refused' });
    expect(taken).toEqual([]);
    expect(await postPush(push, { ...options, allowLoopback: true })).toEqual({ is: 'taken' });
    expect(taken).toMatchObject([
      {
        path: '/one',
        headers: {
          authorization: 'vapid t=a, k=b',
          'content-encoding': 'aes128gcm',
          ttl: '600',
          urgency: 'high',
          topic: 'session-1',
        },
      },
    ]);
    expect(taken[0]?.body.toString()).toBe('encrypted');
  });
});

describe('what a push service answers', () => {
  const now = Date.UTC(2030, 0, 1);
  const cases = [
    [201, {}, { is: 'taken' }],
    [404, {}, { is: 'gone' }],
    [410, {}, { is: 'gone' }],
    [403, {}, { is: 'refused', fault: { reason: 'It answered 403.', status: 403 }, retryAfterMs: undefined }],
    [413, {}, { is: 'refused', fault: { reason: 'It answered 413.', status: 413 }, retryAfterMs: undefined }],
    [
      302,
      { location: 'http://169.254.169.254/' },
      { is: 'refused', fault: { reason: 'It answered 302.', status: 302 }, retryAfterMs: undefined },
    ],
    [
      429,
      { 'retry-after': '7' },
      { is: 'refused', fault: { reason: 'It answered 429.', status: 429 }, retryAfterMs: 7_000 },
    ],
    [
      503,
      { 'retry-after': new Date(now + 90_000).toUTCString() },
      { is: 'refused', fault: { reason: 'It answered 503.', status: 503 }, retryAfterMs: 90_000 },
    ],
    [
      503,
      { 'retry-after': 'soon' },
      { is: 'refused', fault: { reason: 'It answered 503.', status: 503 }, retryAfterMs: 30_000 },
    ],
    [
      500,
      { 'retry-after': '999999999' },
      { is: 'refused', fault: { reason: 'It answered 500.', status: 500 }, retryAfterMs: 3_600_000 },
    ],
  ] as const;

  it('[REACH12] a subscription ends with 404 and 410 alone, and Retry-After is kept to', async () => {
    const service = await aService();
    const push = {
      endpoint: `${service.url}/one`,
      authorization: 'vapid t=a, k=b',
      body: Buffer.from('encrypted'),
      ttlSeconds: 600,
      urgency: 'normal',
      topic: 'a',
    } as const;
    const post = (signal = new AbortController().signal) =>
      postPush(push, { allowLoopback: true, signal, now });
    for (const [status, headers, meaning] of cases) {
      service.answer(status, headers);
      expect(await post(), String(status)).toEqual(meaning);
    }
    service.hang();
    const ended = new AbortController();
    const hanging = post(ended.signal);
    ended.abort();
    expect(await hanging).toMatchObject({ is: 'refused' });
    service.close();
    expect(await post()).toMatchObject({ is: 'refused', retryAfterMs: 30_000 });
  });
});
