import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../src/model/canonical.ts';
import { findGrant } from '../../src/model/grants.ts';
import { matches } from '../../src/model/pattern.ts';
import type { Grant } from '../../src/protocol/grant.ts';
import { GrantId } from '../../src/protocol/ids.ts';
import type { Ask, Subject } from '../../src/protocol/interaction.ts';
import { processorTime } from '../support/processor-time.ts';
import { times } from '../support/seeded-random.ts';
import { allow, bashAsk, PlayedSession, person } from '../support/session-states.ts';

const command = (value: string): Subject => ({ kind: 'command', value });
const path = (value: string): Subject => ({ kind: 'path', value });
const host = (value: string): Subject => ({ kind: 'host', value });

const grant = (pattern: string, more: Partial<Grant> = {}): Grant => ({
  id: GrantId.parse('grant_1'),
  toolName: 'Bash',
  pattern,
  literal: false,
  subjectKind: 'command',
  scope: 'always',
  createdAt: '2026-01-01T00:00:00Z',
  by: person,
  ...more,
});
const now = '2026-01-01T12:00:00Z';
const covered = (given: Grant, ask: Ask): boolean => findGrant([given], ask, now) !== undefined;

describe('[GRANT3] a wildcard never lets a second command ride along', () => {
  const riders = [
    '; rm -rf /',
    ';rm -rf /',
    ' && rm -rf /',
    ' & rm -rf /',
    ' || rm -rf /',
    ' | sh',
    ' |& sh',
    '\nrm -rf /',
    '\r\nrm -rf /',
    '\rrm -rf /',
    ' $(rm -rf /)',
    ' `rm -rf /`',
    ' "$(rm -rf /)"',
    ` \${IFS}x`,
    ' $HOME',
    ' "$HOME"',
    ' > /etc/passwd',
    ' >> ~/.bashrc',
    ' 2>/etc/passwd',
    ' &> file',
    ' >| file',
    ' < /etc/shadow',
    ' <<EOF\nrm\nEOF',
    ' <<< word',
    ' <(curl evil)',
    ' >(sh)',
    ' \\\nrm -rf /',
    ' \\; rm',
    ' # a comment',
    ' (rm)',
    ' {rm,-rf,/}',
    ' !rm',
    ' \0rm',
    " 'quoted; semicolon'",
    " $'\\x3b'",
  ];
  it.each(riders)('git status*%j', (rider) => {
    expect(matches('git status*', command(`git status${rider}`))).toBe(false);
    expect(matches('*', command(`git status${rider}`))).toBe(false);
  });
  it.each(riders)('npm test *%j', (rider) => {
    expect(matches('npm test *', command(`npm test ${rider}`))).toBe(false);
    expect(matches('npm test *', command(`npm test a${rider}`))).toBe(false);
  });
  it.each(riders)('not even when the pattern itself holds the operator: %j', (rider) => {
    expect(matches(`git status${rider}*`, command(`git status${rider} more`))).toBe(false);
  });
  it.each(riders)('such a command matches exactly: %j', (rider) => {
    expect(matches(`git status${rider}`, command(`git status${rider}`))).toBe(true);
    expect(matches(`git status${rider}`, command(`git status${rider}`), true)).toBe(true);
  });

  it('holds for any place of any operator', () => {
    const operator = fc.constantFrom(...';&|<>`$(){}\n\r\\#!');
    fc.assert(
      fc.property(fc.string(), operator, fc.string(), (before, sign, after) => {
        const value = `git status ${before}${sign}${after}`;
        expect(matches('git status *', command(value))).toBe(value === 'git status *');
      }),
    );
  });
});

describe('[GRANT1] a pattern matches its subject', () => {
  it.each([
    ['git status', 'git status', true],
    ['git status', 'git status -s', false],
    ['git status*', 'git status', true],
    ['git status*', 'git status -s', true],
    ['git status *', 'git status', false],
    ['git status*', 'git stat', false],
    ['git status*', 'sudo git status', false],
    ['npm test *', 'npm test a b', true],
    ['npm * --dry-run', 'npm publish --dry-run', true],
    ['npm * --dry-run', 'npm publish', false],
    ['npm*run', 'npmrun', true],
    ['npm*mrun', 'npmrun', false],
    ['a*b*c', 'a--b--c', true],
    ['a*b*c', 'a--c--b', false],
    ['*', 'ls', true],
    ['ls?', 'lsx', false],
    ['ls.', 'lsx', false],
    ['[l]s', 'ls', false],
    ['LS', 'ls', false],
  ])('%s on %s: %s', (pattern, value, expected) => {
    expect(matches(pattern, command(value))).toBe(expected);
  });

  it('a literal one takes a star as a star', () => {
    expect(matches('rm *.log', command('rm important.log'), true)).toBe(false);
    expect(matches('rm *.log', command('rm *.log'), true)).toBe(true);
  });

  it.each([
    ['/repo/*', '/repo/a/b.ts', true],
    ['/repo/*', '/repo/./a.ts', false],
    ['/repo/*', '/repo/a/../b.ts', false],
    ['/repo/*', '/repo//a.ts', false],
    ['/repo/../*', '/repo/../a.ts', false],
    ['*.ts', '/repo/a.ts', false],
    ['/repo/*', '/repo/src/**/*.ts', true],
    ['/repo/*', '/repo/../etc/passwd', false],
    ['/repo/*', '/repo/a/../../etc/passwd', false],
    ['/repo/*', '/repo/a//../../../etc/passwd', false],
    ['/repo/*', '/repo/..', false],
    ['/repo/*', '/repository/a', false],
    ['/repo/*', '/repo\\..\\etc', false],
    ['/repo/*', '/repo\\a', false],
    ['src/*', 'src/../../etc', false],
    ['src/*', '../src/a', false],
    ['*', '../../etc', false],
    ['/repo/../etc/*', '/repo/../etc/passwd', false],
    ['/repo/a;b*', '/repo/a;b & c', true],
    ['C:\\repo\\*', 'C:\\repo\\a.ts', true],
    ['C:\\repo\\*', 'C:\\repo\\..\\Windows\\a', false],
    ['C:\\repo\\*', 'C:\\repo\\../Windows/a', false],
  ])('path %s on %s: %s', (pattern, value, expected) => {
    expect(matches(pattern, path(value))).toBe(expected);
  });

  it.each([
    ['example.org', 'example.org', true],
    ['example.org', 'www.example.org', false],
    ['*.example.org', 'docs.example.org', true],
    ['*.example.org', 'example.org', false],
    ['*.example.org', 'example.org.evil.net', false],
    ['*.example.org', 'evilexample.org', false],
    ['*.example.org', 'http://docs.example.org', false],
    ['http://*.example.org', 'http://docs.example.org', true],
    ['*.example.org:8443', 'docs.example.org:8443', true],
    ['*.example.org', 'docs.example.org:8443', false],
    ['example.org:*', 'example.org:8443', true],
    ['example.org:*', 'example.org:80.evil.net', false],
    ['*example.org', 'evilexample.org', false],
    ['example.*', 'example.evil', false],
    ['example.org*', 'example.org.evil.net', false],
    ['*.0.0.1:8080', '127.0.0.1:8080', false],
    ['*', 'docs.example.org', true],
    ['*', 'http://docs.example.org', false],
    ['*', '169.254.169.254', false],
    ['*', '[::1]:8080', false],
    ['*', 'localhost:8080', false],
    ['http://localhost:*', 'http://localhost:8080', true],
  ])('host %s on %s: %s', (pattern, value, expected) => {
    expect(matches(pattern, host(value))).toBe(expected);
  });

  it('[GRANT6] a subject that is meant literally is matched by itself alone', () => {
    const subject: Subject = { kind: 'input', value: '{"command":"ls"}', literal: true };
    expect(matches('{"command":"*"}', subject)).toBe(false);
    expect(matches('{"command":"ls"}', subject)).toBe(true);
  });

  it('a long pattern of stars is worked through in no time', () => {
    const took = processorTime(() =>
      expect(matches(`${'a*'.repeat(5000)}b`, command('a'.repeat(100_000)))).toBe(false),
    );
    expect(took).toBeLessThan(2000);
  });
});

describe('[GRANT7] a wildcard never reaches files that make programs run, nor secrets', () => {
  const reached = (value: string, readOnly = false) =>
    matches('/home/me/repo/*', { kind: 'path', value, readOnly });

  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.GIT/config',
    '.git./config',
    '.git::$INDEX_ALLOCATION/config',
    'sub/.git/config',
    '.claude/settings.json',
    '.codex/config.toml',
    '.mcp.json',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    '.husky/pre-push',
    '.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    'Jenkinsfile',
    '.circleci/config.yml',
    'package.json',
    'web/package.json',
    'Makefile',
    '.npmrc',
    '.bashrc',
    '.zshenv',
    '.profile',
    '.envrc',
    '.gitmodules',
    '.local/bin/git',
    'build.gradle.kts',
  ])('%s can be read and not written', (name) => {
    expect(reached(`/home/me/repo/${name}`)).toBe(false);
    if (name !== '.npmrc') expect(reached(`/home/me/repo/${name}`, true)).toBe(true);
    expect(matches(`/home/me/repo/${name}`, path(`/home/me/repo/${name}`))).toBe(true);
  });

  it.each([
    '.ssh/id_ed25519',
    '.env',
    '.env.local',
    '.aws/credentials',
    '.netrc',
    'server.pem',
    '.beckon/token',
    '.beckon/worktrees/.records/1.json',
    '.beckon/worktrees/shop-1/fix/.env',
    '**/.env',
  ])('%s can be neither', (name) => {
    expect(reached(`/home/me/repo/${name}`)).toBe(false);
    expect(reached(`/home/me/repo/${name}`, true)).toBe(false);
  });

  it.each([
    'src/a.ts',
    'README.md',
    '.gitignore',
    '.github/ISSUE_TEMPLATE/a.md',
    'src/git/hooks.ts',
    'env.ts',
    '.claude/worktrees/x/src/a.ts',
    '.beckon/worktrees/shop-1/fix/src/a.ts',
  ])('%s is a file like any other', (name) => expect(reached(`/home/me/repo/${name}`)).toBe(true));

  it('nor what belongs to the system, whatever directory is named', () => {
    expect(matches('/*', path('/etc/cron.d/x'))).toBe(false);
    expect(matches('/*', path('/usr/bin/x'))).toBe(false);
    expect(matches('/*', { kind: 'path', value: '/etc/hosts', readOnly: true })).toBe(true);
    expect(matches('/*', { kind: 'path', value: '/etc/shadow', readOnly: true })).toBe(false);
    expect(matches('C:\\*', path('C:\\Windows\\x.dll'))).toBe(false);
  });
});

describe('[GRANT6] a pattern over an object names every field', () => {
  const input = (value: unknown): Subject => ({ kind: 'input', value: canonical(value) });
  const pattern = '{"branch":"feature/*"}';

  it.each<[unknown, boolean]>([
    [{ branch: 'feature/a' }, true],
    [{ branch: 'feature/a', env: 'prod' }, false],
    [{ branch: 'feature/a","env":"prod' }, true],
    [{ branch: ['feature/a'] }, false],
    [{ branch: 'main' }, false],
    [{ branch: 'feature/../main' }, false],
    [{ branch: 'feature/a; rm -rf /' }, false],
    [{ branch: 'feature/\u0430' }, false],
    [{}, false],
  ])('on %j: %s', (value, expected) => {
    expect(matches(pattern, input(value))).toBe(expected);
  });

  it('in any depth, and without a wildcard for anything but text', () => {
    const value = { a: { b: ['x1', 2] }, c: null };
    expect(matches('{ "c": null, "a": {"b": ["x*", 2]} }', input(value))).toBe(true);
    expect(matches('{"a":{"b":["x*"]},"c":null}', input(value))).toBe(false);
    expect(matches('{"a":{"b":["x*","*"]},"c":null}', input(value))).toBe(false);
    expect(matches('{"a":"*","c":null}', input(value))).toBe(false);
    expect(matches('*', input(value))).toBe(false);
    expect(matches('{*}', input(value))).toBe(false);
    expect(matches('{"__proto__":"*"}', input(JSON.parse('{"__proto__":"x"}')))).toBe(true);
    expect(matches('{"toString":"*"}', input({}))).toBe(false);
  });
});

describe('[GRANT8] a wildcard never matches text that could be taken for another', () => {
  it.each<[string, Subject]>([
    ['npm *', command('npm t\u0435st')],
    ['npm *', command('npm\u00a0test x')],
    ['npm *', command('npm test\u3164x')],
    ['npm *', command('npm test \u202ecod')],
    ['/repo/*', path('/repo/\u0441\u043e\u0440\u0443')],
    ['*.example.org', host('g\u043e\u043egle.example.org')],
  ])('%s', (pattern, subject) => {
    expect(matches(pattern, subject)).toBe(false);
    expect(matches(subject.value, subject)).toBe(true);
  });

  it('and matches words of any language', () => {
    expect(matches('/repo/*', path('/repo/отчёты/für/日本語ファイル.txt'))).toBe(true);
  });
});

describe('[GRANT1] a grant of an earlier version', () => {
  /** What was matched before: text, whatever it means. */
  function before(pattern: string, { kind, value }: Subject): boolean {
    if (pattern === value) return true;
    if (kind === 'command' && /[;&|<>`$(){}\n\r\\#!\0]/.test(value)) return false;
    const pieces = pattern.split('*').map((piece) => piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
    return new RegExp(`^${pieces.join('[^]*')}$`).test(value);
  }
  const part = fc.constantFrom(
    '/repo',
    '/',
    '.git',
    'a',
    '*',
    '**',
    '..',
    '.',
    'org',
    ':80',
    'http://',
    '{"a":"',
    '","b":"',
    '"}',
    ' ',
    ';',
    'о',
    '1',
  );
  const text = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
  const kind = fc.constantFrom<Subject['kind']>('command', 'path', 'host', 'input');

  it('never matches more than it did', () => {
    fc.assert(
      fc.property(kind, text, text, fc.boolean(), (kind, pattern, value, readOnly) => {
        const subject = { kind, value, readOnly };
        if (matches(pattern, subject)) expect(before(pattern, subject)).toBe(true);
      }),
      { numRuns: times(5_000) },
    );
  });

  it('and what a wildcard matches is below the directory that it names', () => {
    fc.assert(
      fc.property(text, text, (tail, value) => {
        const subject = path(`/repo/${value}`);
        if (matches(`/repo/*${tail}`, subject) && `/repo/*${tail}` !== subject.value) {
          expect(subject.value).toMatch(/^\/repo\/./);
          expect(subject.value.split('/')).not.toContain('..');
          expect(subject.value.split('/')).not.toContain('.git');
        }
      }),
    );
  });
});

describe('[GRANT1] the exact input is the subject of a tool without a better one', () => {
  const ask = (input: Record<string, unknown>): Ask => {
    const { subject: _, ...rest } = bashAsk('r', 'x', { toolName: 'Deploy', input });
    return rest;
  };
  const input = { target: 'prod', options: { force: false, tags: ['a', 'b'] } };
  const exact = grant(canonical(input), { toolName: 'Deploy', subjectKind: 'input', literal: true });

  it('whatever the order of its keys', () => {
    expect(covered(exact, ask(input))).toBe(true);
    expect(covered(exact, ask({ options: { tags: ['a', 'b'], force: false }, target: 'prod' }))).toBe(true);
  });
  it.each([
    { target: 'prod', options: { force: true, tags: ['a', 'b'] } },
    { target: 'prod', options: { force: false, tags: ['b', 'a'] } },
    { target: 'prod', options: { force: false, tags: ['a', 'b'] }, extra: null },
    { target: 'prod' },
  ])('and nothing else: %j', (other) => {
    expect(covered(exact, ask(other))).toBe(false);
  });
  it('text that looks like JSON is told from JSON', () => {
    expect(canonical({ a: '{"b":1}' })).not.toBe(canonical({ a: { b: 1 } }));
    expect(canonical({ a: '1' })).not.toBe(canonical({ a: 1 }));
  });
});

describe('[GRANT1] [GRANT5] what a grant covers', () => {
  it('its tool alone', () => {
    expect(covered(grant('ls'), bashAsk('r', 'ls'))).toBe(true);
    expect(covered(grant('ls', { toolName: 'bash' }), bashAsk('r', 'ls'))).toBe(false);
    expect(covered(grant('*', { toolName: '*' }), bashAsk('r', 'ls'))).toBe(false);
  });
  it('its kind of subject alone: a grant for commands says nothing about an input that has none', () => {
    const odd = bashAsk('r', 'ls', { subject: { kind: 'input', value: '{"command":["a","; rm"]}' } });
    expect(covered(grant('*'), odd)).toBe(false);
  });
  it('until it ends', () => {
    expect(covered(grant('ls', { expiresAt: '2026-01-01T12:00:01Z' }), bashAsk('r', 'ls'))).toBe(true);
    expect(covered(grant('ls', { expiresAt: '2026-01-01T12:00:00Z' }), bashAsk('r', 'ls'))).toBe(false);
    expect(covered(grant('ls', { expiresAt: '2026-01-01T13:30:00+02:00' }), bashAsk('r', 'ls'))).toBe(false);
  });
  const { toolCallId: _, ...untied } = bashAsk('r', 'ls');
  it.each<[string, Ask]>([
    ['an ask that needs a person', bashAsk('r', 'ls', { requiresPerson: true })],
    ['[ASK10] a plan', bashAsk('r', 'ls', { plan: 'do it' })],
    ['[ASK10] a question', bashAsk('r', 'ls', { kind: 'question', questions: [] })],
    ['a form', bashAsk('r', 'ls', { kind: 'form' })],
    ['[ASK10] an ask without a tool call', untied],
  ])('never %s', (_name, ask) => {
    expect(covered(grant('*'), ask)).toBe(false);
    expect(covered(grant('ls'), ask)).toBe(false);
  });
});

describe('[GRANT1] [GRANT2] [GRANT4] grants in a session', () => {
  it('for this session: the next like ask is answered without a person, and its use is on record', () => {
    const played = new PlayedSession().up().working();
    const first = played.asks(bashAsk('r1', 'ls'));
    played.respond(first, allow({ scope: 'session' }));
    const created = played.last('grant.created').grant;
    expect(created).toMatchObject({
      pattern: 'ls',
      literal: true,
      scope: 'session',
      sessionId: 'ses_1',
      by: person,
    });
    expect(played.globalGrants).toEqual([]);
    const second = played.asks(bashAsk('r2', 'ls'));
    expect(played.last('interaction.decided')).toMatchObject({
      interactionId: second,
      outcome: 'allowed',
      by: { kind: 'grant', grantId: created.id },
    });
    played.asks(bashAsk('r3', 'ls -l'));
    expect(played.all('interaction.decided')).toHaveLength(2);
    expect(played.state.status).toBe('waiting');
  });

  it('always: kept outside of the session', () => {
    const played = new PlayedSession().up().working();
    played.respond(played.asks(bashAsk('r1', 'ls -l')), allow({ scope: 'always', pattern: 'ls *' }));
    expect(played.globalGrants).toMatchObject([{ pattern: 'ls *', literal: false, scope: 'always' }]);
    expect(played.globalGrants[0]?.sessionId).toBeUndefined();
    expect(played.state.grants).toEqual([]);
    played.asks(bashAsk('r2', 'ls -a'));
    expect(played.last('interaction.decided').by.kind).toBe('grant');
  });

  it('once leaves nothing behind', () => {
    const played = new PlayedSession().up().working();
    played.respond(played.asks(bashAsk('r1', 'ls')), allow({ scope: 'once', pattern: 'ls' }));
    expect(played.all('grant.created')).toEqual([]);
    expect(played.globalGrants).toEqual([]);
  });

  it('a star in the command that was asked is no wildcard, also if the pattern is sent along as it stands', () => {
    const played = new PlayedSession().up().working();
    played.respond(played.asks(bashAsk('r1', 'rm *.log')), allow({ scope: 'session', pattern: 'rm *.log' }));
    played.asks(bashAsk('r2', 'rm important.log'));
    expect(played.state.status).toBe('waiting');
  });

  it('stop ends them, a new start does not bring them back', () => {
    const played = new PlayedSession().up().working();
    played.respond(played.asks(bashAsk('r1', 'ls')), allow({ scope: 'session' }));
    played.command({ type: 'stop', by: person });
    expect(played.last('grant.ended')).toMatchObject({ cause: 'session-ended' });
    played.fact({ type: 'exited', code: 0, signal: null, stderr: [] });
    played.command({ type: 'reopen', by: person });
    expect(played.state.grants).toEqual([]);
    played.up('run_2').working();
    played.asks(bashAsk('r2', 'ls'));
    expect(played.state.status).toBe('waiting');
  });

  it('revoked: the next ask goes to a person; an unknown one is refused', () => {
    const played = new PlayedSession().up().working();
    played.respond(played.asks(bashAsk('r1', 'ls')), allow({ scope: 'session' }));
    const grantId = played.last('grant.created').grant.id;
    expect(played.command({ type: 'revoke-grant', grantId, by: person })).toBeUndefined();
    expect(played.command({ type: 'revoke-grant', grantId, by: person })?.code).toBe('grant_not_found');
    played.asks(bashAsk('r2', 'ls'));
    expect(played.state.status).toBe('waiting');
  });

  it('a crash does not end them', () => {
    const played = new PlayedSession().up().working();
    played.respond(played.asks(bashAsk('r1', 'ls')), allow({ scope: 'session' }));
    played.fact({ type: 'exited', code: 1, signal: null, stderr: [] });
    expect(played.state.grants).toHaveLength(1);
  });

  it.each<[string, Ask, Parameters<typeof allow>[0], string]>([
    [
      'a pattern that does not match what was asked',
      bashAsk('r', 'ls'),
      { scope: 'session', pattern: 'cat *' },
      'pattern',
    ],
    [
      'a wildcard over a compound command',
      bashAsk('r', 'ls; rm x'),
      { scope: 'always', pattern: 'ls*' },
      'pattern',
    ],
    [
      'an ask that needs a person',
      bashAsk('r', 'ls', { requiresPerson: true }),
      { scope: 'session' },
      'scope',
    ],
    ['a plan', bashAsk('r', 'ls', { plan: 'x' }), { scope: 'always' }, 'scope'],
    [
      'an edited input without a pattern',
      bashAsk('r', 'ls'),
      { scope: 'session', updatedInput: { command: 'ls -l' } },
      'pattern',
    ],
  ])('refused, with nothing decided: %s', (_, ask, response, field) => {
    const played = new PlayedSession().up().working();
    const before = played.state;
    const id = played.asks(ask);
    const refusal = played.respond(id, allow(response));
    expect(refusal).toMatchObject({ code: 'invalid_value', details: { field } });
    expect(played.all('interaction.decided')).toEqual([]);
    expect(played.all('grant.created')).toEqual([]);
    expect(played.state.lastSeq).toBe(before.lastSeq + 1);
  });
});
