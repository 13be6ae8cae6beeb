import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Secrets } from './message.ts';

const cipher = 'aes-256-gcm';
const [keyLength, ivLength, tagLength] = [32, 12, 16];

export interface SealKeys {
  /** For the room. */
  readonly publicKey: string;
  /** Stays on the runner's machine. */
  readonly privateKey: string;
}

export function makeSealKeys(): SealKeys {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  return { publicKey: rawOf(publicKey).toString('base64url'), privateKey: secretOf(privateKey) };
}

/**
 * Closes what only the runner with this key may read: the environment of a session is in no stream in the clear. Each time with a key
 * of its own, half of which goes with it.
 */
export function sealFor(publicKey: string): (secrets: Secrets) => string {
  const theirs = publicKeyOf(Buffer.from(publicKey, 'base64url'));
  return (secrets) => {
    const own = generateKeyPairSync('x25519');
    const ownRaw = rawOf(own.publicKey);
    const iv = randomBytes(ivLength);
    const closing = createCipheriv(cipher, keyOf(own.privateKey, theirs, ownRaw, rawOf(theirs)), iv);
    const text = Buffer.concat([closing.update(JSON.stringify(secrets), 'utf8'), closing.final()]);
    return Buffer.concat([ownRaw, iv, closing.getAuthTag(), text]).toString('base64url');
  };
}

/** Throws where it was not sealed for this key, or was changed on the way. */
export function unsealWith(privateKey: string): (sealed: string) => Secrets {
  const own = createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), format: 'der', type: 'pkcs8' });
  const ownRaw = rawOf(createPublicKey(own));
  return (sealed) => {
    const bytes = Buffer.from(sealed, 'base64url');
    const theirRaw = bytes.subarray(0, keyLength);
    const iv = bytes.subarray(keyLength, keyLength + ivLength);
    const tag = bytes.subarray(keyLength + ivLength, keyLength + ivLength + tagLength);
    const key = keyOf(own, publicKeyOf(theirRaw), theirRaw, ownRaw);
    const opening = createDecipheriv(cipher, key, iv, { authTagLength: tagLength }).setAuthTag(tag);
    const text = opening.update(bytes.subarray(keyLength + ivLength + tagLength), undefined, 'utf8');
    return Secrets.parse(JSON.parse(text + opening.final('utf8')));
  };
}

function keyOf(own: KeyObject, theirs: KeyObject, sender: Buffer, receiver: Buffer): Buffer {
  const shared = diffieHellman({ privateKey: own, publicKey: theirs });
  const both = Buffer.concat([sender, receiver]);
  return Buffer.from(hkdfSync('sha256', shared, both, 'beckon session secrets 1', keyLength));
}

const rawOf = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');

const publicKeyOf = (raw: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' });

const secretOf = (key: KeyObject): string =>
  key.export({ format: 'der', type: 'pkcs8' }).toString('base64url');
