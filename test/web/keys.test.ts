import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { search } from '../../src/web/frame/palette.logic.ts';
import { isKey, keyIn, keyReader, keyRows, keyTable, type Press, spokenKeys } from '../../src/web/ui/keys.ts';

const press = (key: string, more: Partial<Press & { timeStamp: number }> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  timeStamp: 0,
  ...more,
});

describe('keys', () => {
  it('[UI8] go places one after the other, and never while someone types', () => {
    const read = keyReader('everywhere');
    expect([read(press('g'), false), read(press('i', { timeStamp: 400 }), false)]).toEqual([
      undefined,
      'go-inbox',
    ]);
    expect([read(press('g'), true), read(press('i'), true), read(press('?'), true)]).toEqual(
      Array(3).fill(undefined),
    );
    expect(read(press('k', { ctrlKey: true }), true)).toBe('palette');
  });

  it('forget a g that was too long ago', () => {
    const read = keyReader('everywhere');
    expect([read(press('g'), false), read(press('c', { timeStamp: 2000 }), false)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('[UI8] never allow by the second key of a sequence, with a modifier, or held down', () => {
    const read = keyReader('inbox');
    expect(read(press('g'), false)).toBeUndefined();
    expect(read(press('a', { timeStamp: 300 }), false)).toBeUndefined();
    expect(read(press('a', { timeStamp: 5000, repeat: true }), false)).toBeUndefined();
    expect(read(press('a', { timeStamp: 5000, ctrlKey: true }), false)).toBeUndefined();
    expect(read(press('a', { timeStamp: 5000 }), true)).toBeUndefined();
    expect(read(press('j', { timeStamp: 5000, repeat: true }), false)).toBe('next');
    expect(read(press('a', { timeStamp: 6000 }), false)).toBe('allow');
    expect(read(press('A', { timeStamp: 6000, shiftKey: true }), false)).toBe('batch');
  });

  it('are the same on keyboards where a character needs AltGr', () => {
    const altGr = { ctrlKey: true, altKey: true, getModifierState: () => true };
    expect(isKey('everywhere.toggle-list', press('[', altGr))).toBe(true);
    expect(isKey('everywhere.toggle-list', press('[', { altKey: true }))).toBe(false);
  });

  it('with Shift are another key, where they write nothing', () => {
    expect(keyIn('composer', press('Enter'))).toBe('send');
    expect(keyIn('composer', press('Enter', { shiftKey: true }))).toBe('break');
    expect(keyIn('composer', press('Enter', { metaKey: true }))).toBe('send-otherwise');
    expect(spokenKeys('composer.send-otherwise')).toBe('Control+Enter');
    expect(spokenKeys('everywhere.go-board')).toBeUndefined();
  });

  it('[UI34] mean one thing in one place, and each is in the list of keys', () => {
    for (const [scope, own] of Object.entries(keyTable)) {
      const keys = Object.values(own).flatMap((each) => [...each.keys]);
      expect(new Set(keys).size, scope).toBe(keys.length);
      const shown = keyRows(scope as keyof typeof keyTable).flatMap(({ names }) => names);
      expect(shown).toEqual(Object.keys(own).map((name) => `${scope}.${name}`));
    }
  });

  it('[UI34] are listened to only as the table has them', () => {
    const root = join(import.meta.dirname, '../../src/web');
    const readsKeys =
      /\b(?:event|nativeEvent|press)\.(?:key|code|keyCode)\b|[{,]\s*(?:key|code)\s*[,}][^;]*[=:]\s*(?:event|(?:globalThis\.)?KeyboardEvent)\b|['"`](?:Enter|Escape|Tab|Arrow\w+|Home|End|Page\w+|Delete|Backspace)['"`]/;
    const listens = /onKey(?:Down|Up)\b|['"]key(?:down|up|press)['"]/;
    const usesTable = /ui\/keys\.ts|\.\/keys\.ts|use-keys\.ts|list\.pressed|useGridKeys|isSubmitKey/;
    // These do not ask which key it was.
    const anyKey = ['interaction/stillness.ts', 'ui/tooltip.tsx'];
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (path) => /\.tsx?$/.test(path) && path !== 'ui/keys.ts' && !path.startsWith('i18n'),
    );
    const faults = files.filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return readsKeys.test(text) || (listens.test(text) && !usesTable.test(text) && !anyKey.includes(path));
    });
    expect(files.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
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
