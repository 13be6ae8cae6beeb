import { webcrypto } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const { subtle } = webcrypto;

/** A browser's side of a subscription: it has the private key, and reads what was encrypted for it. */
export interface PushReceiver {
  readonly keys: { readonly p256dh: string; readonly auth: string };
  read(body: Uint8Array): Promise<string>;
}

export async function makeReceiver(): Promise<PushReceiver> {
  const pair = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
  return receiverOf(pair, webcrypto.getRandomValues(new Uint8Array(16)));
}

/** Reads with the browser's own way of computing, so that a fault of ours is not made twice. */
export async function receiverOf(pair: webcrypto.CryptoKeyPair, auth: Uint8Array): Promise<PushReceiver> {
  const own = new Uint8Array(await subtle.exportKey('raw', pair.publicKey));
  return {
    keys: { p256dh: base64url(own), auth: base64url(auth) },
    async read(body) {
      const salt = body.slice(0, 16);
      const recordSize = new DataView(body.buffer, body.byteOffset).getUint32(16);
      const keyLength = body[20] ?? 0;
      const sender = body.slice(21, 21 + keyLength);
      const record = body.slice(21 + keyLength);
      if (record.length > recordSize) throw new Error('This message has more than one record.');
      const senderKey = await subtle.importKey(
        'raw',
        sender,
        { name: 'ECDH', namedCurve: 'P-256' },
        false,
        [],
      );
      const agreed = await subtle.deriveBits({ name: 'ECDH', public: senderKey }, pair.privateKey, 256);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender]);
      const shared = await hkdf(new Uint8Array(agreed), auth, info, 32);
      const key = await hkdf(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
      const iv = await hkdf(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
      const aes = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
      const padded = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, aes, record));
      const end = padded.findLastIndex((byte) => byte !== 0);
      if (padded[end] !== 2) throw new Error('This is not the last record.');
      return padded.subarray(0, end).toString('utf8');
    },
  };
}

async function hkdf(
  secret: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  bytes: number,
): Promise<Uint8Array> {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return new Uint8Array(
    await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, bytes * 8),
  );
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

export interface TakenPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service on this machine, which keeps what it is handed. */
export interface PushService {
  readonly url: string;
  readonly taken: readonly TakenPush[];
  /** What it answers from now on: 201 unless told. */
  answer(status: number, headers?: Readonly<Record<string, string>>): void;
  /** From now on it takes what comes and says nothing. */
  hang(): void;
  close(): void;
}

export async function startPushService(): Promise<PushService> {
  const taken: TakenPush[] = [];
  let reply: { status: number; headers: Readonly<Record<string, string>> } | 'none' = {
    status: 201,
    headers: {},
  };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    taken.push({ path: request.url ?? '', headers: request.headers, body });
    if (reply !== 'none') response.writeHead(reply.status, reply.headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    answer(status, headers = {}) {
      reply = { status, headers };
    },
    hang() {
      reply = 'none';
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
