import { describe, expect, it } from 'vitest';
import { bySession, marked, recentFirst, search, withRecent } from '../../src/web/frame/palette.logic.ts';

const entries = [
  { key: 'a', label: 'Fix the login' },
  { key: 'b', label: 'Log in twice', words: 'backend' },
  { key: 'c', label: 'Board' },
];

describe('the palette', () => {
  it('finds what has all the words, those that begin with the first one before the others', () => {
    expect(search(entries, 'log').map(({ key }) => key)).toEqual(['b', 'a']);
    expect(search(entries, 'log backend').map(({ key }) => key)).toEqual(['b']);
    expect(search(entries, 'nothing')).toEqual([]);
  });

  it('puts what was chosen lately first, and forgets what is no longer there', () => {
    expect(recentFirst(entries, ['c', 'gone', 'a']).map(({ key }) => key)).toEqual(['c', 'a', 'b']);
    expect(withRecent(['a', 'b'], 'b')).toEqual(['b', 'a']);
    expect(withRecent(['1', '2', '3', '4', '5', '6'], '7')).toEqual(['7', '1', '2', '3', '4', '5']);
  });

  it('[STORE5] shows what was found by session, a few of each', () => {
    const hit = (sessionId: string, seq: number) => ({
      sessionId,
      seq,
      at: '2026-01-01T12:00:00.000Z',
      type: 'agent.text',
      excerpt: '',
      title: `Title ${sessionId}`,
    });
    const found = bySession([hit('x', 1), hit('y', 2), hit('x', 3), hit('x', 4)], 2);
    expect(found.map(({ sessionId, title, hits }) => [sessionId, title, hits.map(({ seq }) => seq)])).toEqual(
      [
        ['x', 'Title x', [1, 3]],
        ['y', 'Title y', [2]],
      ],
    );
  });

  it('marks the words in what was found, whatever signs they have', () => {
    expect(marked('Use a+b, or A+B', 'a+b')).toEqual([
      { text: 'Use ', isHit: false },
      { text: 'a+b', isHit: true },
      { text: ', or ', isHit: false },
      { text: 'A+B', isHit: true },
    ]);
    expect(marked('plain', ' ')).toEqual([{ text: 'plain', isHit: false }]);
  });
});
