import { describe, expect, it } from 'vitest';
import { columnsOf, spotAfter } from '../../src/web/pages/board/board.logic.ts';
import { money } from '../../src/web/session/figures.logic.ts';
import { choicesOf, fits, noFilter } from '../../src/web/session/session-filter.ts';
import { agoText } from '../../src/web/ui/time.logic.ts';
import { aSession, at } from './support/samples.ts';

const sessions = [
  aSession({ id: 'a', title: 'Fix login', status: 'waiting', labels: ['backend'], since: at(5) }),
  aSession({ id: 'b', title: 'Docs', status: 'running', agent: 'claude', labels: ['docs', 'web'] }),
  aSession({ id: 'c', title: 'Old', status: 'stopped', cwd: '/work/login' }),
  aSession({ id: 'd', title: 'First', status: 'waiting', since: at(1) }),
];
const ids = (columns: ReturnType<typeof columnsOf>) =>
  Object.fromEntries(columns.map(({ need, sessions: own }) => [need, own.map(({ id }) => id)]));

describe('the board', () => {
  it('[UI2] has every column, also the empty ones, the longest waiting first', () => {
    expect(ids(columnsOf(sessions, noFilter))).toEqual({
      'needs-you': ['d', 'a'],
      working: ['b'],
      idle: [],
      asleep: [],
      ended: ['c'],
    });
  });

  it('[UI2] is filtered by words, agent and labels together', () => {
    const by = (changes: Partial<typeof noFilter>) =>
      sessions.filter((session) => fits(session, { ...noFilter, ...changes })).map(({ id }) => id);
    expect(by({ text: 'login' })).toEqual(['a', 'c']);
    expect(by({ text: 'LOGIN fix' })).toEqual(['a']);
    expect(by({ agent: 'claude' })).toEqual(['b']);
    expect(by({ labels: ['docs', 'web'] })).toEqual(['b']);
    expect(by({ labels: ['docs', 'backend'] })).toEqual([]);
    expect(choicesOf(sessions)).toEqual({
      agents: ['claude', 'demo'],
      projects: ['/work/login', '/work/project'],
      labels: ['backend', 'docs', 'web'],
    });
  });

  it('[UI8] is walked in four directions; empty columns are passed over', () => {
    const heights = [2, 0, 3, 1];
    expect(spotAfter('down', { column: 0, row: 0 }, heights)).toEqual({ column: 0, row: 1 });
    expect(spotAfter('down', { column: 0, row: 1 }, heights)).toBeUndefined();
    expect(spotAfter('right', { column: 0, row: 1 }, heights)).toEqual({ column: 2, row: 1 });
    expect(spotAfter('right', { column: 2, row: 2 }, heights)).toEqual({ column: 3, row: 0 });
    expect(spotAfter('right', { column: 3, row: 0 }, heights)).toBeUndefined();
    expect(spotAfter('left', { column: 2, row: 2 }, heights)).toEqual({ column: 0, row: 1 });
    expect(spotAfter('up', { column: 2, row: 2 }, heights)).toEqual({ column: 2, row: 1 });
  });
});

describe('what is written on it', () => {
  it('shows a price that would round to nothing as less than a cent', () => {
    expect(money(0.004, 'en')).toBe('$0.0040');
    expect(money(1.234, 'en')).toBe('$1.23');
    expect(money(1.234, 'de')).toMatch(/^1,23\s\$$/);
  });

  it('[UI10] says how long ago in the words of the language', () => {
    expect(agoText('en', 4 * 60_000)).toBe('4 minutes ago');
    expect(agoText('de', 3 * 3_600_000)).toBe('vor 3 Stunden');
    expect(agoText('en', 10_000)).toBe('now');
  });
});
