import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import { errorCatalogue } from '../../src/protocol/errors.ts';
import { de, refusals } from '../../src/web/i18n/de.ts';
import { en } from '../../src/web/i18n/en.ts';
import { later } from '../../src/web/i18n/en-later.ts';
import { speak, translate } from '../../src/web/i18n/i18n.ts';
import { say } from '../../src/web/i18n/say.logic.ts';
import { errorText } from '../../src/web/text/error-text.ts';

const web = resolve(import.meta.dirname, '../../src/web');
const keys = Object.keys(en) as (keyof typeof en)[];
const placeholders = (message: string): string[] =>
  [...message.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();

describe('the words of the page', () => {
  it('[UI10] are there in both languages, each with the same values to put in', () => {
    expect(Object.keys(de).sort()).toEqual([...keys].sort());
    for (const key of keys) expect([key, placeholders(de[key])]).toEqual([key, placeholders(en[key])]);
  });

  it('[UI10] are not left untranslated: a German message that equals the English one is meant to', () => {
    const same = keys.filter((key) => de[key] === en[key]);
    expect(same.sort()).toEqual([
      ...['details.whileBusy.server', 'landing.merge', 'landing.rebase', 'landing.squash'],
      ...['new.agent', 'new.serverMode'],
      ...['worktree.name', 'worktrees.title'],
    ]);
  });

  it('are all used', () => {
    const source = readdirSync(web, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/^i18n[/\\](en|de)/.test(file))
      .map((file) => readFileSync(join(web, file), 'utf8'))
      .join('\n');
    const written = new Set([...source.matchAll(/'([\w-]+(?:\.[\w-]+)+)'/g)].map(([, key]) => key));
    const patterns = [...source.matchAll(/`([\w-]+\.[^`]*\$\{[^`]*)`/g)].map(
      ([, template = '']) =>
        new RegExp(`^${template.replaceAll('.', '\\.').replace(/\$\{[^}]*\}/g, '[\\w-]+')}$`),
    );
    const unused = keys
      .map((key) => key.replace(/_(one|other)$/, ''))
      .filter((key) => !written.has(key) && !patterns.some((pattern) => pattern.test(key)));
    expect(unused).toEqual([]);
  });

  it('[UI35] of the first screen come with it: nothing in the first load says what comes later', () => {
    const entry = join(web, 'main.tsx');
    const found = new Map<string, string>();
    const read = (file: string): void => {
      if (found.has(file) || /[/\\]i18n[/\\]/.test(file) || !/\.tsx?$/.test(file)) return;
      const text = readFileSync(file, 'utf8');
      found.set(file, text);
      for (const [, path = ''] of text.matchAll(/^(?:import|export) (?!type)[^;]*?'(\.{1,2}\/[^']+)';$/gm))
        read(resolve(file, '..', path));
    };
    read(entry);
    expect(found.size).toBeGreaterThan(100);
    const text = [...found].map(([file, each]) => (file.endsWith('keys.ts') ? '' : each)).join('\n');
    const tooEarly = Object.keys(later)
      .map((key) => key.replace(/_(one|other)$/, ''))
      .filter((key) => text.includes(`'${key}'`) || text.includes(`\`${key.replace(/[^.]+$/, '')}\${`));
    expect(tooEarly).toEqual([]);
  });

  it('have both grammatical forms where they have one', () => {
    const stems = new Set(
      keys.filter((key) => /_(one|other)$/.test(key)).map((key) => key.replace(/_(one|other)$/, '')),
    );
    for (const stem of stems) expect(keys).toEqual(expect.arrayContaining([`${stem}_one`, `${stem}_other`]));
  });
});

describe('a refusal of the server', () => {
  afterEach(() => speak('en'));
  const refused = new BeckonError('session_stopped', 409, 'The session is stopped; resume it first.');
  const specific = new BeckonError('invalid_value', 422, 'The agent has no permission mode "bold".');

  it('[UI10] is told in German by its code, with the server’s own words behind it where they say more', async () => {
    await speak('de');
    expect(errorText(translate(), refused)).toBe('Die Sitzung ist gestoppt. Zuerst fortsetzen.');
    expect(errorText(translate(), specific)).toBe(`Ein Wert ist nicht erlaubt. ${specific.message}`);
  });

  it('[UI10] has a German sentence whatever its code is', () => {
    const told: string[] = Object.keys(refusals);
    expect(Object.keys(errorCatalogue).filter((code) => !told.includes(code))).toEqual([]);
    for (const sentence of Object.values(refusals)) expect(sentence).toMatch(/^[A-ZÄÖÜ].+\.$/);
  });

  it('is told in the server’s own words in English, which name what it is about', async () => {
    await speak('en');
    expect(errorText(translate(), refused)).toBe(refused.message);
  });
});

describe('saying', () => {
  const messages = { 'a.b': 'Hello {name}', n_one: '{count} thing', n_other: '{count} things' };

  it('puts values in, and numbers as the language writes them', () => {
    expect(say(messages, 'en', 'a.b', { name: 'you' })).toBe('Hello you');
    expect(say(messages, 'de', 'n', { count: 12_345 })).toBe('12.345 things');
  });

  it('takes the grammatical form that the count asks for', () => {
    expect(say(messages, 'en', 'n', { count: 1 })).toBe('1 thing');
    expect(say(messages, 'en', 'n', { count: 0 })).toBe('0 things');
  });

  it('does not put in again what came with a value', () => {
    expect(say(messages, 'en', 'a.b', { name: '{name}' })).toBe('Hello {name}');
  });
});
