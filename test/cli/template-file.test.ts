import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { templateFile } from '../../src/cli/template-file.ts';
import { StorageError } from '../../src/engine/ports/event-log.ts';
import { blanksIn, withBlanks } from '../../src/model/template.ts';

describe('[UI23] templates on the server', () => {
  let path: string;
  beforeEach(() => {
    path = join(mkdtempSync(join(tmpdir(), 'beckon-templates-')), 'templates.json');
  });
  afterEach(() => rmSync(join(path, '..'), { recursive: true }));

  it('are kept by name, for the next server, too, and lose nothing when saved at once', async () => {
    const templates = templateFile(path);
    expect(await templates.list()).toEqual([]);
    const names = ['b', 'a', 'c 10', 'c 9'];
    await Promise.all(names.map((name) => templates.save({ name, prompt: `do ${name}` })));
    await templates.save({ name: 'a', prompt: 'do it anew' });
    expect(await templates.remove('b')).toBe(true);
    expect(await templates.remove('b')).toBe(false);
    expect(await templateFile(path).list()).toEqual([
      { name: 'a', prompt: 'do it anew' },
      { name: 'c 9', prompt: 'do c 9' },
      { name: 'c 10', prompt: 'do c 10' },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that cannot be read are not written over', async () => {
    writeFileSync(path, 'no json');
    const templates = templateFile(path);
    await expect(templates.list()).rejects.toThrow(StorageError);
    await expect(templates.save({ name: 'a', prompt: 'b' })).rejects.toThrow(StorageError);
    expect(readFileSync(path, 'utf8')).toBe('no json');
  });
});

describe('[UI23] the blanks of a template', () => {
  it('are named once, and filled in wherever they stand', () => {
    const prompt = 'Test {{file}} as {{ who }}, then {{file}}; keep {{}}, {one} and {{two\nlines}}.';
    expect(blanksIn(prompt)).toEqual(['file', 'who']);
    expect(withBlanks(prompt, { file: '$& {{who}}', who: 'me' })).toBe(
      'Test $& {{who}} as me, then $& {{who}}; keep {{}}, {one} and {{two\nlines}}.',
    );
    expect(withBlanks('{{constructor}} {{file}}', { file: 'x' })).toBe('{{constructor}} x');
  });

  it('leave every text without blanks as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a', ' ', '\n') }), (text) => {
        if (blanksIn(text).length === 0) expect(withBlanks(text, { a: 'b' })).toBe(text);
      }),
    );
  });
});
