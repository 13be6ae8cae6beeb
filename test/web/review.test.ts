import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RoomCalls } from '../../src/client/calls.ts';
import type { ChangedFile } from '../../src/protocol/changes.ts';
import { CommentId } from '../../src/protocol/ids.ts';
import type { ReviewComment } from '../../src/protocol/review.ts';
import { longestQuote } from '../../src/protocol/review-limit.ts';
import {
  anchorOf,
  type CommentPlace,
  fileNow,
  isOutdated,
  isSeen,
  lineNow,
  linesIn,
  quoteOf,
} from '../../src/web/changes/review/review.logic.ts';
import { ReviewStore } from '../../src/web/changes/review/review-store.ts';

const file = (path: string, more: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  kind: 'modified',
  added: 1,
  removed: 1,
  isLink: false,
  content: `content of ${path}`,
  ...more,
});
const place = (more: Partial<CommentPlace> = {}): CommentPlace => ({
  path: 'a.ts',
  side: 'after',
  from: 2,
  to: 3,
  point: 'after-1',
  quote: 'const two = 2;\nconst three = 3;',
  ...more,
});
const changes = {
  before: 'before-1',
  after: 'after-2',
  files: [file('a.ts'), file('new.ts', { movedFrom: 'old.ts' })],
};

describe('[CHG36] the lines of a comment', () => {
  it('are kept up to a bound, by whole lines, and it is said that they go on', () => {
    expect(quoteOf(['a', 'b'])).toEqual({ quote: 'a\nb' });
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 900 }), { minLength: 1, maxLength: 12 }), (texts) => {
        const lines = texts.map((text) => text.replaceAll('\n', ' '));
        const { quote, isQuoteCut = false } = quoteOf(lines);
        const kept = quote.split('\n');
        expect(quote.length).toBeLessThanOrEqual(longestQuote);
        expect(kept).toEqual(lines.slice(0, kept.length));
        expect(isQuoteCut).toBe(kept.length < lines.length);
        // As much as fits.
        if (isQuoteCut)
          expect(lines.slice(0, kept.length + 1).join('\n').length).toBeGreaterThan(longestQuote);
      }),
    );
    const long = quoteOf(['😀'.repeat(longestQuote)]);
    expect(long).toEqual({ quote: '😀'.repeat(longestQuote / 2), isQuoteCut: true });
    expect(quoteOf([`x${'😀'.repeat(longestQuote)}`]).quote).toBe(`x${'😀'.repeat(longestQuote / 2 - 1)}`);
  });

  it('are found where they are now: at their place, else at the only other', () => {
    const quoted = place();
    expect(lineNow(quoted, linesIn('one\nconst two = 2;\r\nconst three = 3;\n'))).toBe(2);
    expect(lineNow(quoted, linesIn('a\nb\nc\nconst two = 2;\nconst three = 3;'))).toBe(4);
    expect(
      lineNow(quoted, linesIn('const two = 2;\nconst three = 3;\nx\nconst two = 2;\nconst three = 3;')),
    ).toBeNull();
    expect(lineNow(quoted, linesIn('one\nconst two = 2;\nconst three = 4;\n'))).toBeNull();
    expect(lineNow(quoted, [])).toBeNull();
    expect(lineNow(place({ quote: '}', from: 2, to: 2 }), ['x', 'y', '}'])).toBeNull();
    expect(lineNow(place({ quote: '', from: 2, to: 2 }), ['x', ''])).toBe(2);
    const cut = place({ quote: 'const two = 2;\nconst th', isQuoteCut: true });
    expect(lineNow(cut, ['', 'const two = 2;', 'const three = 3;'])).toBe(2);
  });

  it('have a place among the changes that are shown, or it is said why not', () => {
    const there = ['', 'const two = 2;', 'const three = 3;'];
    const anchor = (one: CommentPlace, lines?: readonly string[] | null) =>
      anchorOf(one, changes, () => lines);
    expect(anchor(place({ point: 'after-2' }))).toMatchObject({ is: 'there', from: 2 });
    expect(anchor(place())).toEqual({ is: 'unknown' });
    expect(anchor(place(), there)).toMatchObject({ is: 'there', from: 2, file: { path: 'a.ts' } });
    expect(anchor(place(), ['', ...there])).toMatchObject({ is: 'there', from: 3 });
    expect(anchor(place(), null)).toEqual({ is: 'outdated' });
    expect(anchor(place({ path: 'b.ts' }), there)).toEqual({ is: 'elsewhere', from: 2 });
    // The side before has the name that the file had.
    expect(anchor(place({ path: 'old.ts', side: 'before', point: 'before-1' }))).toMatchObject({
      is: 'there',
      file: { path: 'new.ts' },
    });
    expect(isOutdated({ is: 'outdated' }, place())).toBe(true);
    expect(isOutdated({ is: 'elsewhere', from: 3 }, place())).toBe(true);
    expect(isOutdated({ is: 'elsewhere', from: 2 }, place())).toBe(false);
    expect(isOutdated({ is: 'unknown' }, place())).toBe(false);
  });

  it('are read anew only when the file holds something else', () => {
    const next = { ...changes, after: 'after-3' };
    expect(fileNow(place(), next)).toEqual({ name: 'content of a.ts:a.ts', at: 'after-3', path: 'a.ts' });
    expect(fileNow(place(), next).name).toBe(fileNow(place(), changes).name);
    expect(fileNow(place({ path: 'b.ts' }), next).name).toBe(fileNow(place({ path: 'b.ts' }), changes).name);
    const edited = { ...next, files: [file('a.ts', { content: 'other' })] };
    expect(fileNow(place(), edited).name).not.toBe(fileNow(place(), next).name);
  });
});

it('[CHG37] a file whose content changes again is not seen', () => {
  const seen = new Map<string, string | null>([
    ['a.ts', 'content of a.ts'],
    ['gone.ts', null],
  ]);
  expect(isSeen(seen, file('a.ts'))).toBe(true);
  expect(isSeen(seen, file('a.ts', { content: 'other' }))).toBe(false);
  expect(isSeen(seen, file('gone.ts', { content: null }))).toBe(true);
  expect(isSeen(seen, file('gone.ts'))).toBe(false);
  expect(isSeen(seen, file('b.ts'))).toBe(false);
});

describe('what this page knows of a review', () => {
  const comment = (id: string, revision = 1): ReviewComment => ({
    ...place(),
    commentId: CommentId.parse(id),
    text: id,
    revision,
    createdAt: '2026-01-01T00:00:00.000Z',
    by: { kind: 'person' },
  });
  const calls = {
    comments: vi.fn(),
    addComment: vi.fn(),
    editComment: vi.fn(),
    removeComment: vi.fn(),
    sendComments: vi.fn(),
    markSeen: vi.fn(),
  };
  beforeEach(() => {
    for (const call of Object.values(calls)) call.mockReset().mockResolvedValue({});
    calls.comments.mockResolvedValue({ comments: [], seen: [] });
  });

  it('[CHG32] what was read for earlier news is followed by what there is now, and no more is asked than that', async () => {
    const first = Promise.withResolvers<unknown>();
    calls.comments.mockReturnValueOnce(first.promise);
    calls.comments.mockResolvedValueOnce({ comments: [comment('b')], seen: [] });
    const store = new ReviewStore(calls as unknown as RoomCalls, 's1');
    const reads = [store.read(), store.read(), store.read()];
    first.resolve({ comments: [comment('a')], seen: [] });
    await Promise.all(reads);
    expect(store.state.comments.map(({ text }) => text)).toEqual(['b']);
    expect(calls.comments).toHaveBeenCalledTimes(2);
  });

  it('[CHG36] a comment that was removed can be put back, as often as one likes', async () => {
    const store = new ReviewStore(calls as unknown as RoomCalls, 's1');
    await store.remove(comment('a', 7));
    expect(calls.removeComment).toHaveBeenCalledWith('s1', 'a', { shown: 7 });
    expect(store.state.removed).toHaveLength(1);
    await store.putBack(comment('a', 7));
    const [, { commentId, text, ...kept }] = calls.addComment.mock.calls[0] ?? [];
    expect([text, kept]).toEqual(['a', place()]);
    expect(commentId).not.toBe('a');
    expect(store.state.removed).toEqual([]);
  });

  it('[CHG37] a mark is shown at once, and is gone again where it was refused', async () => {
    const store = new ReviewStore(calls as unknown as RoomCalls, 's1');
    const refused = Promise.withResolvers<never>();
    calls.markSeen.mockReturnValueOnce(refused.promise);
    const marking = store.mark([file('a.ts')], true);
    expect(isSeen(store.state.seen, file('a.ts'))).toBe(true);
    await store.read();
    expect(isSeen(store.state.seen, file('a.ts'))).toBe(true);
    refused.reject(new Error('no'));
    await expect(marking).rejects.toThrow('no');
    expect(isSeen(store.state.seen, file('a.ts'))).toBe(false);
  });
});
