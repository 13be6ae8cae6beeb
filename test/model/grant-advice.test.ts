import { describe, expect, it } from 'vitest';
import { offersFor, reachOf, warningsOf } from '../../src/model/grant-advice.ts';
import type { Subject } from '../../src/protocol/interaction.ts';

const isPublic = (domain: string): boolean => ['com', 'org', 'co.uk', 'github.io'].includes(domain);
const of = (kind: Subject['kind'], value: string, more: Partial<Subject> = {}): Subject => ({
  kind,
  value,
  ...more,
});
const offered = (subject: Subject) => offersFor(subject, isPublic);
const warned = (pattern: string, kind: Subject['kind']) =>
  warningsOf(pattern, of(kind, 'x'), isPublic).map(({ code }) => code);

describe('[GRANT9] what is offered for a standing approval', () => {
  it.each([
    ['ls -la src', ['ls -la src', 'ls *']],
    ['git status -s', ['git status -s', 'git status *']],
    ['npm test -- a', ['npm test -- a', 'npm test -- *']],
    ['npm run lint -- --fix', ['npm run lint -- --fix', 'npm run lint -- *']],
    ['ls', ['ls']],
  ])('%s: %j', (value, patterns) => expect(offered(of('command', value))).toEqual(patterns));

  it.each([
    'bash -c ls',
    'bash script.sh',
    'sh x y',
    '/bin/bash x',
    'python3.12 a.py',
    'python -m http.server',
    'node a.js',
    'sudo ls -l',
    'env A=1 ls',
    'A=1 ls -l',
    'xargs rm x',
    'ssh host ls',
    'find . -name x',
    'npx vitest run',
    'npm exec x',
    'npm run a b',
    'npm test a',
    'git push origin',
    'git -c a=b log',
    'rm -rf build',
    'cp a b',
    'cat a b',
    'curl -s x',
    'make all x',
    'docker run x',
    './ls x',
    'ls -l; rm x',
  ])('nothing wider than %j', (value) => expect(offered(of('command', value))).toEqual([value]));

  it('the directory of a file, where that is no more than one project', () => {
    expect(offered(of('path', '/work/repo/src/a.ts'))).toEqual(['/work/repo/src/a.ts', '/work/repo/src/*']);
    expect(offered(of('path', '/work/repo/**/*.ts', { readOnly: true }))).toEqual([
      '/work/repo/**/*.ts',
      '/work/repo/*',
    ]);
    for (const value of [
      '/a.ts',
      '/tmp/a.ts',
      '/home/me/a.ts',
      '/Users/me/a.ts',
      '/etc/a',
      '/work/repo/package.json',
    ])
      expect(offered(of('path', value))).toEqual([value]);
  });

  it('the domain of a host, where it is one', () => {
    expect(offered(of('host', 'api.example.org'))).toEqual(['api.example.org', '*.example.org']);
    expect(offered(of('host', 'http://api.example.org:8080'))).toEqual([
      'http://api.example.org:8080',
      'http://*.example.org:8080',
    ]);
    for (const value of [
      'example.org',
      'example.co.uk',
      'me.github.io',
      '127.0.0.1:8080',
      '[::1]:80',
      'localhost',
    ])
      expect(offered(of('host', value))).toEqual([value]);
  });

  it('nothing but the very same input', () => {
    expect(offered(of('input', '{"a":"b"}'))).toEqual(['{"a":"b"}']);
    expect(offered(of('input', '{"command":"ls"}', { literal: true }))).toEqual(['{"command":"ls"}']);
  });
});

describe('[GRANT9] what is warned about when it is typed', () => {
  it.each([
    ['bash *', ['runs-any-program']],
    ['/usr/bin/bash -c *', ['runs-any-program']],
    ['sudo *', ['runs-any-program']],
    ['sudo npm test *', ['runs-any-program']],
    ['env *', ['runs-any-program']],
    ['A=1 env *', ['runs-any-program']],
    ['xargs *', ['runs-any-program']],
    ['ssh *', ['runs-any-program']],
    ['python3 *', ['runs-any-program']],
    ['python3.12 -m *', ['runs-any-program']],
    ['npm *', ['runs-any-program']],
    ['npm exec *', ['runs-any-program']],
    ['npm --silent run *', ['runs-any-program']],
    ['git *', ['runs-any-program']],
    ['git -C x push *', ['runs-any-program']],
    ['git -c *', ['runs-any-program']],
    ['*', ['any-command']],
    ['np*', ['any-command']],
    ['npm*', ['any-command']],
    ['ls *', []],
    ['git status *', []],
    ['npm test -- *', []],
    ['bash x.sh', []],
  ])('command %s: %j', (pattern, codes) => expect(warned(pattern, 'command')).toEqual(codes));

  it.each([
    ['/*', ['wide-directory']],
    ['/repo*', ['wide-directory']],
    ['/home/me/*', ['wide-directory']],
    ['C:\\*', ['wide-directory']],
    ['/home/me/repo/*', []],
    ['src/*', ['no-wildcard']],
    ['/repo/../*', ['no-wildcard']],
  ])('path %s: %j', (pattern, codes) => expect(warned(pattern, 'path')).toEqual(codes));

  it.each([
    ['*', ['any-host']],
    ['*.co.uk', ['public-suffix']],
    ['http://*.github.io:8080', ['public-suffix']],
    ['*.com', ['public-suffix']],
    ['*.0.0.1:8080', ['bare-address']],
    ['127.0.0.1:*', ['bare-address']],
    ['localhost:*', ['bare-address']],
    ['example.*', ['no-wildcard']],
    ['*.example.org', []],
  ])('host %s: %j', (pattern, codes) => expect(warned(pattern, 'host')).toEqual(codes));

  it('a text that is no object, where a whole input is meant', () => {
    expect(warned('*', 'input')).toEqual(['no-wildcard']);
    expect(warned('{"a":"*"}', 'input')).toEqual([]);
  });

  it('says what it is about, in words', () => {
    expect(warningsOf('sudo *', of('command', 'sudo ls'), isPublic)).toEqual([
      { code: 'runs-any-program', about: 'sudo', message: '"sudo" can be told to run any other program.' },
    ]);
  });
});

describe('[GRANT2] what a pattern would match that was not asked for yet', () => {
  const reach = (pattern: string, subject: Subject, asked: readonly string[] = []) =>
    reachOf(pattern, subject, (value) => asked.includes(value));

  it('for a program, what one would not think of; and what is still asked about', () => {
    const { also, not } = reach('npm *', of('command', 'npm test'), ['npm publish']);
    expect(also).toContain('npm exec any-program');
    expect(also).not.toContain('npm publish');
    expect(not).toContain('npm x && rm -rf ~');
    expect(reach('npm test -- *', of('command', 'npm test'))).toMatchObject({
      also: ['npm test -- anything', 'npm test -- --any-option', 'npm test -- /etc/passwd'],
    });
  });

  it('for directories, hosts and inputs', () => {
    expect(reach('/r/src/*', of('path', '/r/src/a'))).toEqual({
      also: ['/r/src/any-file', '/r/src/any/folder/file'],
      not: [
        '/r/src/.git/hooks/pre-commit',
        '/r/src/.claude/settings.json',
        '/r/src/package.json',
        '/r/src/.env',
      ],
    });
    expect(reach('*.x.org', of('host', 'a.x.org'))).toEqual({
      also: ['anything.x.org', 'any.thing.x.org'],
      not: ['x.org', 'x.org.example.net', 'http://anything.x.org'],
    });
    expect(reach('{"branch":"f/*"}', of('input', '{"branch":"f/a"}'))).toEqual({
      also: ['{"branch":"f/anything"}'],
      not: ['{"branch":"f/anything","another-field":true}'],
    });
  });

  it('nothing, where it is exactly what was asked', () => {
    expect(reach('rm *.log', of('command', 'rm *.log'))).toEqual({ also: [], not: [] });
    expect(reach('ls', of('command', 'ls'))).toEqual({ also: [], not: [] });
  });
});
