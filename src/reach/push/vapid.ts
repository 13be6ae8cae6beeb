import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';

/** Half of what push services allow, so that a clock that is some hours off does no harm. */
const lifeSeconds = 12 * 60 * 60;

/** By what push services know that all messages to a subscription come from the same sender (RFC 8292). */
export interface Vapid {
  /** What a page subscribes with, in base64url. */
  readonly publicKey: string;
  /** The header for one endpoint, at this time in milliseconds. */
  authorization(endpoint: string, now: number): string;
}

/** A new private key, in base64url. With another one every subscription is lost, so it is made once and kept. */
export function makeVapidKey(): string {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return padded(ecdh.getPrivateKey()).toString('base64url');
}

/** `subject` is where the people who run a push service find whoever sends: an https or mailto address. */
export function createVapid(privateKey: string, subject: string): Vapid {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  const point = ecdh.getPublicKey();
  const publicKey = point.toString('base64url');
  const signer = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: padded(ecdh.getPrivateKey()).toString('base64url'),
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  return {
    publicKey,
    authorization(endpoint, now) {
      const claims = {
        aud: new URL(endpoint).origin,
        exp: Math.floor(now / 1000) + lifeSeconds,
        sub: subject,
      };
      return `vapid t=${signedToken(claims, signer)}, k=${publicKey}`;
    },
  };
}

function signedToken(claims: object, key: KeyObject): string {
  const content = [{ typ: 'JWT', alg: 'ES256' }, claims].map(encoded).join('.');
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Node leaves out leading zeros. */
const padded = (key: Buffer): Buffer => Buffer.concat([Buffer.alloc(32 - key.length), key]);
