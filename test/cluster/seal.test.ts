import { describe, expect, test } from 'vitest';
import { makeSealKeys, sealFor, unsealWith } from '../../src/cluster/seal.ts';

const secrets = { env: { TOKEN: 'hush-hush' }, tools: null };

describe('the environment of a session on its way', () => {
  test('[CLU8] is read by its runner alone, and never twice the same', () => {
    const keys = makeSealKeys();
    const seal = sealFor(keys.publicKey);
    const [first, second] = [seal(secrets), seal(secrets)];
    expect(unsealWith(keys.privateKey)(first)).toEqual(secrets);
    expect(first).not.toBe(second);
    expect(Buffer.from(first, 'base64url').includes('hush')).toBe(false);
    expect(() => unsealWith(makeSealKeys().privateKey)(first)).toThrow();
  });

  test('[CLU8] is refused when a byte of it was changed', () => {
    const keys = makeSealKeys();
    const bytes = Buffer.from(sealFor(keys.publicKey)(secrets), 'base64url');
    for (const at of [0, 35, 50, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => unsealWith(keys.privateKey)(changed.toString('base64url'))).toThrow();
    }
    expect(() => unsealWith(keys.privateKey)('')).toThrow();
  });
});
