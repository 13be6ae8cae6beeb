import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Shown, shownDigest } from '../../src/model/shown-digest.ts';

const asked: Shown = { kind: 'approval', toolName: 'Bash', input: { command: 'ls', timeout: 9 } };

describe('[ASK14] the digest of what was shown', () => {
  it('is the SHA-256 of its JSON with sorted keys, as any program can compute it', () => {
    const text = '{"input":{"command":"ls","timeout":9},"kind":"approval","toolName":"Bash"}';
    expect(shownDigest(asked)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('does not depend on the order of keys, nor on anything that is not decided on', () => {
    const { kind, toolName } = asked;
    const same = { title: 'Other', reason: 'because', toolName, kind, input: { timeout: 9, command: 'ls' } };
    expect(shownDigest(same)).toBe(shownDigest(asked));
  });

  it.each<[string, Partial<Shown>]>([
    ['the kind', { kind: 'form' }],
    ['the tool', { toolName: 'Bash2' }],
    ['the input', { input: { command: 'ls ', timeout: 9 } }],
    ['a field more', { input: { command: 'ls', timeout: 9, env: 'prod' } }],
    ['the type of a value', { input: { command: 'ls', timeout: '9' } }],
    ['the plan', { plan: '' }],
    ['the questions', { questions: [] }],
    ['the form', { form: { message: '', fields: [], presentation: 'tool' } }],
  ])('differs when %s does', (_, change) => {
    expect(shownDigest({ ...asked, ...change })).not.toBe(shownDigest(asked));
  });

  it('is the same at both ends of a connection, whatever an agent or a tool puts into it', () => {
    const odd = fc.oneof(fc.constant(undefined), fc.date(), fc.double(), fc.string({ unit: 'binary' }));
    const value = fc.oneof(fc.jsonValue(), odd, fc.dictionary(fc.string(), odd));
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), value), (input) => {
        const here = { ...asked, input };
        expect(shownDigest(JSON.parse(JSON.stringify(here)))).toBe(shownDigest(here));
      }),
      { numRuns: 40 },
    );
  });
});
