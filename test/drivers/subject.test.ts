import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subjectOf } from '../../src/drivers/subject.ts';
import { matches } from '../../src/model/pattern.ts';

let folder: string;
let repo: string;
let away: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-')));
  repo = join(folder, 'repo');
  away = join(folder, 'away');
  mkdirSync(join(repo, 'src'), { recursive: true });
  mkdirSync(join(away, 'deep'), { recursive: true });
  writeFileSync(join(repo, 'src/a.ts'), '');
  symlinkSync(away, join(repo, 'link'));
  symlinkSync('../away/deep', join(repo, 'relative'));
  symlinkSync(join(away, 'new.txt'), join(repo, 'dangling'));
  symlinkSync(join(repo, 'loop-b'), join(repo, 'loop-a'));
  symlinkSync(join(repo, 'loop-a'), join(repo, 'loop-b'));
  symlinkSync('/proc/self/cwd', join(repo, 'whose'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const written = (file_path: string) => subjectOf('Write', { file_path, content: 'x' }, repo);

describe('[GRANT6] where a path leads', () => {
  it('is said of a file that is there, or not yet', () => {
    expect(written('src/a.ts')).toEqual({ kind: 'path', value: join(repo, 'src/a.ts') });
    expect(written(join(repo, 'new/deep/b.ts'))).toEqual({
      kind: 'path',
      value: join(repo, 'new/deep/b.ts'),
    });
    expect(written(`${repo}/src/../c.ts`)).toEqual({ kind: 'path', value: join(repo, 'c.ts') });
  });

  it('through links to directories and files, and to what is not there yet', () => {
    const leads = (from: string, to: string) =>
      expect(written(from)).toEqual({ kind: 'path', value: join(away, to), asked: join(repo, from) });
    leads('link/x.txt', 'x.txt');
    leads('link/new/x.txt', 'new/x.txt');
    leads('relative/x.txt', 'deep/x.txt');
    leads('dangling', 'new.txt');
  });

  it.each([
    '~/x',
    '~',
    ' /etc/passwd',
    '/etc/passwd ',
    'a\0b',
    'loop-a/x',
    '/proc/self/cwd/x',
    'relative/../x',
    '',
  ])('is not said of %j, which is matched by the very same input alone', (path) => {
    const subject = written(path);
    expect(subject).toEqual({
      kind: 'input',
      value: JSON.stringify({ content: 'x', file_path: path }),
      literal: true,
    });
    expect(matches('{"content":"*","file_path":"*"}', subject)).toBe(false);
  });
});

describe('[GRANT6] how far a search reaches', () => {
  const glob = (pattern: string, path?: string) =>
    subjectOf('Glob', { pattern, ...(path !== undefined && { path }) }, repo);
  const grep = (more: object) => subjectOf('Grep', { pattern: 'x', '-n': true, ...more }, repo);
  const reach = (value: string, asked?: string) => ({
    kind: 'path',
    value,
    readOnly: true,
    ...(asked !== undefined && { asked }),
  });

  it('is the directory and the pattern, resolved', () => {
    expect(glob('**/*.ts')).toEqual(reach(`${repo}/**/*.ts`));
    expect(glob('**/*.{ts,tsx}', 'src')).toEqual(reach(`${repo}/src/**/*.{ts,tsx}`));
    expect(glob('/etc/**')).toEqual(reach('/etc/**'));
    expect(glob('/**')).toEqual(reach('/**'));
    expect(glob('../away/*')).toEqual(reach(`${away}/*`));
    expect(glob('link/*.md')).toEqual(reach(`${away}/*.md`, `${repo}/link/*.md`));
    expect(glob('src/a.ts')).toEqual(reach(`${repo}/src/a.ts`));
  });

  it('of one through lines is the directory, and which files of it', () => {
    expect(grep({})).toEqual(reach(`${repo}/**`));
    expect(grep({ path: '/etc' })).toEqual(reach('/etc/**'));
    expect(grep({ path: 'src/a.ts' })).toEqual(reach(`${repo}/src/a.ts`));
    expect(grep({ glob: '*.ts' })).toEqual(reach(`${repo}/**/*.ts`));
    expect(grep({ glob: 'src/**/*.ts' })).toEqual(reach(`${repo}/src/**/*.ts`));
  });

  it.each(['src/{../../etc,b}/*', '*/../../etc/*', '[a]/*', 'a?/*', '!x', 'a\\*', '~/*', '**/{a,../b}'])(
    'is not said of %j',
    (pattern) => expect(glob(pattern)).toMatchObject({ kind: 'input', literal: true }),
  );
});

describe('[GRANT6] which host is asked', () => {
  const fetched = (url: string) => subjectOf('WebFetch', { url, prompt: 'x' }, '/');
  it.each([
    ['https://Example.ORG/a?b', 'example.org'],
    ['https://example.org./a', 'example.org'],
    ['https://example.org.:8443/a', 'example.org:8443'],
    ['https://example.org:443/', 'example.org'],
    ['http://example.org/', 'http://example.org'],
    ['https://пример.example/', 'xn--e1afmkfd.example'],
    ['https://0x7f.1/', '127.0.0.1'],
    ['https://[::1]:8080/', '[::1]:8080'],
  ])('%s is %s', (url, value) => expect(fetched(url)).toEqual({ kind: 'host', value }));

  it.each(['nonsense', 'https://a.com@b.com/', 'https://me:pw@b.com/', 'file:///etc/passwd', 'ftp://b.com/'])(
    '%s is matched by itself alone',
    (url) => expect(fetched(url)).toMatchObject({ kind: 'input', literal: true }),
  );
});

describe('[GRANT6] everything that matters', () => {
  const calls: readonly [string, Record<string, unknown>][] = [
    ['Bash', { command: 'npm test' }],
    ['Write', { file_path: '/r/a', content: 'x' }],
    ['Edit', { file_path: '/r/a', old_string: 'a', new_string: 'b' }],
    ['Glob', { pattern: '**/*.ts' }],
    ['Grep', { pattern: 'x', path: '/r' }],
    ['WebFetch', { url: 'https://example.org/', prompt: 'x' }],
    ['mcp__x__deploy', { branch: 'a' }],
  ];
  const field = fc.constantFrom(
    'env',
    'cwd',
    'sandbox',
    'run_in_background',
    'dangerouslyDisableSandbox',
    'path2',
    '__proto__x',
  );
  const value = fc.oneof(fc.constantFrom<unknown>(true, 'prod', '/', 1, null), fc.string());

  it('a grant for exactly one call covers none with a further field, nor with other words', () => {
    fc.assert(
      fc.property(fc.constantFrom(...calls), field, value, ([tool, input], name, extra) => {
        const granted = subjectOf(tool, input, '/r');
        const other = subjectOf(tool, { ...input, [name]: extra }, '/r');
        const isSame = tool === 'Bash' && name === 'cwd' && resolve('/r', String(extra)) === '/r';
        if (!isSame) expect(matches(granted.value, other, true) && granted.kind === other.kind).toBe(false);
      }),
    );
  });

  it('words about a command, and a limit to it, are no part of it', () => {
    const plain = { kind: 'command', value: 'npm test' };
    const run = (more: object) => subjectOf('Bash', { command: 'npm test', ...more }, '/r');
    expect(run({ description: 'Tests', timeout: 9, run_in_background: false, cwd: '/r' })).toEqual(plain);
    expect(run({ run_in_background: true, description: 'Tests' })).toEqual({
      kind: 'input',
      value: '{"command":"npm test","run_in_background":true}',
      literal: true,
    });
    expect(subjectOf('constructor', { a: 1 }, '/r')).toEqual({ kind: 'input', value: '{"a":1}' });
  });
});
