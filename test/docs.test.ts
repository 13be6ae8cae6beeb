import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/command.ts';
import { serveFlags } from '../src/cli/settings.ts';
import { rowsOf } from './support/markdown-tables.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the guides', () => {
  it('docs/terminal.md has a section for every command, and for no other', () => {
    const sections = [...read('docs/terminal.md').matchAll(/^## (.+)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(Object.keys(commands).sort());
  });

  it('docs/operating.md lists every flag of the server, and no other', () => {
    const listed = rowsOf(read('docs/operating.md'), 'Flags').flatMap(
      ([flag = '']) => flag.match(/--[\w-]+/g) ?? [],
    );
    expect(listed.sort()).toEqual(
      Object.keys(serveFlags)
        .map((name) => `--${name}`)
        .sort(),
    );
  });

  it('every relative link leads to a file, and to a heading of it', () => {
    expect(documents().flatMap(brokenLinksIn)).toEqual([]);
  });
});

function documents(): string[] {
  const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return [
    ...['README.md', 'AGENTS.md', 'CONTEXT.md'],
    ...guides.filter((file) => file.endsWith('.md')).map((file) => join('docs', file)),
  ];
}

function brokenLinksIn(document: string): string[] {
  const links = [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const broken = links.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? document : join(dirname(document), file);
    return !existsSync(join(root, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor));
  });
  return broken.map((target) => `${document} → ${target}`);
}

const proseOf = (document: string): string => read(document).replaceAll(/^```.*?^```/gms, '');

/** A heading's anchor, as the places where these pages are read make it. */
const anchorsOf = (document: string): string[] =>
  [...proseOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
