import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/command.ts';
import { serveFlags } from '../src/cli/settings.ts';
import { errorCatalogue } from '../src/protocol/errors.ts';
import { eventDefinitions } from '../src/protocol/event.ts';
import { ClientFrame } from '../src/protocol/frame.ts';
import { operations } from '../src/protocol/operation.ts';
import { openApi } from '../src/server/openapi.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const api = read('docs/api.md');

describe('docs/api.md', () => {
  it('lists every error code with its status, and no other', () => {
    const listed = rowsOf(api, 'Error codes').map(([code, status]) => `${plain(code)} ${status}`);
    const real = Object.entries(errorCatalogue).map(([code, { status }]) => `${code} ${status}`);
    expect(listed.sort()).toEqual(real.sort());
  });

  it('names no error code that does not exist', () => {
    const named = routes().flatMap(({ refusals }) => codeSpans(refusals));
    expect(named.filter((code) => !Object.hasOwn(errorCatalogue, code))).toEqual([]);
  });

  it('lists every operation and every other route, and none that does not exist', () => {
    const listed = routes().map(({ route }) => route);
    expect(listed.sort()).toEqual(servedRoutes().sort());
  });

  it('gives the statuses of every operation', () => {
    const listed = new Map(routes().map(({ route, reply }) => [route, reply.match(/\b[12]\d\d\b/g) ?? []]));
    for (const { method, path, replies } of Object.values(operations)) {
      expect({ path, statuses: listed.get(`${method} ${path}`) }).toEqual({
        path,
        statuses: Object.keys(replies),
      });
    }
  });

  it('lists every operation that decides, and when, and no other', () => {
    const listed = rowsOf(api, 'Who decides').map(([route, when = '']) => [
      plain(route),
      codeSpans(when).length > 0 ? codeSpans(when) : true,
    ]);
    const real = Object.values(operations).flatMap((operation) =>
      'decides' in operation ? [[`${operation.method} ${operation.path}`, operation.decides]] : [],
    );
    expect(listed.sort()).toEqual(real.sort());
  });

  it('lists every type of event with how it is kept, and no other', () => {
    const listed = rowsOf(api, 'Events').map(([type, kept]) => `${plain(type)} ${kept}`);
    const real = Object.entries(eventDefinitions).map(([type, { durability }]) => `${type} ${durability}`);
    expect(listed.sort()).toEqual(real.sort());
  });

  it('lists every frame a WebSocket client may send, and no other', () => {
    const [sent = []] = tablesOf(api, 'WebSocket');
    const real = ClientFrame.options.map((option) => option.shape.type.value);
    expect(sent.map(([type]) => plain(type)).sort()).toEqual([...real].sort());
  });
});

describe('the other guides', () => {
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

type Row = readonly string[];

function routes(): { route: string; reply: string; refusals: string }[] {
  const rows = tablesOf(api, 'Routes').flat();
  return rows.map(([route = '', , reply = '', refusals = '']) => ({ route: plain(route), reply, refusals }));
}

/** What the server says of itself, and every operation, should it have left one out. */
function servedRoutes(): string[] {
  const described = Object.entries(openApi('').paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  const offered = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
  return [...new Set([...described, ...offered])];
}

const rowsOf = (text: string, heading: string): readonly Row[] => tablesOf(text, heading).flat();

/** The tables below a heading, up to the next one of its level, each without its head. */
function tablesOf(text: string, heading: string): Row[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  const level = lines[start]?.match(/^#+/)?.[0].length ?? 0;
  expect(level, `a heading "${heading}"`).toBeGreaterThan(0);
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  const tables: Row[][] = [];
  let table: Row[] = [];
  for (const line of [...after.slice(0, end < 0 ? after.length : end), '']) {
    if (line.startsWith('|')) table.push(cellsOf(line));
    else if (table.length > 0) {
      tables.push(table.slice(2));
      table = [];
    }
  }
  return tables;
}

const cellsOf = (line: string): Row =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const plain = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');
const codeSpans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

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
