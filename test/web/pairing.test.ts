import { describe, expect, it } from 'vitest';
import { pairingCodeIn } from '../../src/web/data/access.ts';

describe('pairing', () => {
  it('[SEC1] finds the pairing code in a link, a fragment, or alone', () => {
    expect(pairingCodeIn('Beckon is ready: http://127.0.0.1:4590/#pair=abc-123')).toBe('abc-123');
    expect(pairingCodeIn('#pair=abc%2D1')).toBe('abc-1');
    expect(pairingCodeIn('  abcd-1234 ')).toBe('abcd-1234');
    expect(pairingCodeIn('what?')).toBeUndefined();
  });
});
