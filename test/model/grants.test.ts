import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, findGrant, matches } from '../../src/model/grants.ts';
import type { Grant } from '../../src/protocol/grant.ts';
import { GrantId } from '../../src/protocol/ids.ts';
import type { Ask, Subject } from '../../src/protocol/interaction.ts';
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
    ['/repo/*', '/repo/./a.ts', true],
    ['/repo/*', '/repo/a/../b.ts', true],
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
  ])('host %s on %s: %s', (pattern, value, expected) => {
    expect(matches(pattern, host(value))).toBe(expected);
  });

  it('a long pattern of stars is worked through in no time', () => {
    const started = performance.now();
    expect(matches(`${'a*'.repeat(5000)}b`, command('a'.repeat(100_000)))).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
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
