import { describe, expect, it } from 'vitest';
import { type KeyPress, keyReader } from '../../src/web/frame/keys.logic.ts';
import { search } from '../../src/web/frame/palette.logic.ts';

describe('keys', () => {
  const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
    key,
    isMod: false,
    isAlt: false,
    isTyping: false,
    at: 0,
    ...more,
  });

  it('[UI8] go places one after the other, and never while someone types', () => {
    const read = keyReader();
    expect([read(press('g')), read(press('i', { at: 400 }))]).toEqual([undefined, 'go-inbox']);
    expect([read(press('g', { isTyping: true })), read(press('i', { isTyping: true }))]).toEqual([
      undefined,
      undefined,
    ]);
    expect(read(press('?', { isTyping: true }))).toBeUndefined();
    expect(read(press('k', { isMod: true, isTyping: true }))).toBe('palette');
  });

  it('forget a g that was too long ago', () => {
    const read = keyReader();
    expect([read(press('g')), read(press('c', { at: 2000 }))]).toEqual([undefined, undefined]);
  });
});

describe('the palette', () => {
  it('finds by all words, those that begin with them first', () => {
    const entries = [
      { key: '1', label: 'Fix login' },
      { key: '2', label: 'Login tests', words: '/work/api' },
    ];
    expect(search(entries, 'login').map(({ key }) => key)).toEqual(['2', '1']);
    expect(search(entries, 'api log').map(({ key }) => key)).toEqual(['2']);
  });
});
