import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** What a browser gave with its subscription: its public key and the secret that only it and we know. */
export interface ReceiverKeys {
  readonly p256dh: Buffer;
  readonly auth: Buffer;
}

/** Push services take 4,096 bytes; salt, record size, our public key, the end mark and the tag need 103 of them. */
export const mostPlaintext = 3_993;

const recordSize = 4_096;

/**
 * Encrypts a message for one browser, as RFC 8291 says: the push service that carries it cannot read it.
 * `once` is fresh for every message; only the RFC's own example gives it.
 */
export function encryptPush(
  plaintext: Buffer,
  receiver: ReceiverKeys,
  once: { readonly salt: Buffer; readonly privateKey: Buffer | undefined } = {
    salt: randomBytes(16),
    privateKey: undefined,
  },
): Buffer {
  if (plaintext.length > mostPlaintext)
    throw new RangeError(`A push message has at most ${mostPlaintext} bytes, not ${plaintext.length}.`);
  const sender = createECDH('prime256v1');
  if (once.privateKey === undefined) sender.generateKeys();
  else sender.setPrivateKey(once.privateKey);
  const senderKey = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver.p256dh, senderKey]);
  const shared = derive(sender.computeSecret(receiver.p256dh), receiver.auth, info, 32);
  const key = derive(shared, once.salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(shared, once.salt, 'Content-Encoding: nonce\0', 12);

  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // 2 marks the last record, and there is one only.
  const record = [cipher.update(plaintext), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()];
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordSize);
  return Buffer.concat([once.salt, size, Buffer.of(senderKey.length), senderKey, ...record]);
}

/** The keys of a subscription as browsers write them; undefined where they are none that a message can be encrypted for. */
export function receiverKeys(given: {
  readonly p256dh: string;
  readonly auth: string;
}): ReceiverKeys | undefined {
  const p256dh = Buffer.from(given.p256dh, 'base64url');
  const auth = Buffer.from(given.auth, 'base64url');
  return auth.length === 16 && isPublicKey(p256dh) ? { p256dh, auth } : undefined;
}

/** A point that is not on the curve makes the agreement of keys throw. */
function isPublicKey(key: Buffer): boolean {
  if (key.length !== 65 || key[0] !== 4) return false;
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  try {
    ecdh.computeSecret(key);
    return true;
  } catch {
    return false;
  }
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));
