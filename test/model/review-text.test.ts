import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reviewText } from '../../src/model/review-text.ts';
import { CommentId } from '../../src/protocol/ids.ts';
import type { ReviewComment } from '../../src/protocol/review.ts';
import { times } from '../support/seeded-random.ts';
import { person } from '../support/session-states.ts';

const comment = (more: Partial<ReviewComment> = {}): ReviewComment => ({
  commentId: CommentId.parse('com_1'),
  path: 'src/app.ts',
  side: 'after',
  from: 12,
  to: 14,
  point: 'a'.repeat(40),
  quote: 'const a = 1;\nconst b = 2;\nconst c = 3;',
  text: 'Why three?',
  revision: 2,
  createdAt: '2026-01-01T00:00:00.000Z',
  by: person,
  ...more,
});
const written = (comments: readonly ReviewComment[], remark = '', outdated: readonly string[] = []) =>
  reviewText(comments, { remark, isOutdated: ({ commentId }) => outdated.includes(commentId) });

describe('[CHG34] comments as a message', () => {
  it('have their place, the lines they are about and their words, behind what was said of the whole', () => {
    const removed = comment({ side: 'before', from: 3, to: 3, quote: 'old()', text: 'This was needed.' });
    const long = comment({ commentId: CommentId.parse('com_2'), path: 'lib/ä b.ts', isQuoteCut: true });
    expect(written([comment(), removed, long], 'Nearly there.', ['com_2'])).toBe(
      [
        'Nearly there.',
        '',
        '3 comments on the changes. Lines marked "after" are counted in the files with the changes, "before" in the files without them.',
        '',
        '1. src/app.ts:12-14 (after)',
        '```',
        'const a = 1;',
        'const b = 2;',
        'const c = 3;',
        '```',
        'Why three?',
        '',
        '2. src/app.ts:3 (before)',
        '```',
        'old()',
        '```',
        'This was needed.',
        '',
        '3. lib/ä b.ts:12-14 (after; these lines have changed since; quoted in part)',
        '```',
        'const a = 1;',
        'const b = 2;',
        'const c = 3;',
        '```',
        'Why three?',
      ].join('\n'),
    );
    expect(written([comment()])).toMatch(/^One comment on the changes\./);
  });

  it('no line that is quoted ends its fence', () => {
    const piece = fc.constantFrom('`', '``', '```', '````````', '~~~', '\n', ' ', 'x', '1. a.ts:1 (after)');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const quote = pieces.join('');
        const lines = written([comment({ quote, text: 'Words.' })]).split('\n');
        const first = lines.findIndex((line) => /^`{3,}$/.test(line));
        const fence = lines[first] ?? '';
        // As CommonMark reads it: the fence ends with the first line of at least as many backticks.
        const last = lines.findIndex(
          (line, at) => at > first && new RegExp(`^ {0,3}\`{${fence.length},}\\s*$`).test(line),
        );
        expect(lines.slice(first + 1, last).join('\n')).toBe(quote);
        expect(lines.slice(last + 1)).toEqual(['Words.']);
      }),
      { numRuns: times(300) },
    );
  });
});
