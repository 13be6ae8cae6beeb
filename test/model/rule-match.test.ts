import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findGrant } from '../../src/model/grants.ts';
import { type HeldRule, verdictOn } from '../../src/model/policy.ts';
import { type Match, matchRule } from '../../src/model/rule-match.ts';
import type { Grant } from '../../src/protocol/grant.ts';
import { GrantId } from '../../src/protocol/ids.ts';
import type { Ask, Subject } from '../../src/protocol/interaction.ts';
import type { RuleEffect } from '../../src/protocol/rule.ts';
import { processorTime } from '../support/processor-time.ts';
import { times } from '../support/seeded-random.ts';
import { allow, bashAsk, PlayedSession, person } from '../support/session-states.ts';

const place = { cwd: '/work/shop', realCwd: '/work/shop' };
const at = '2026-01-01T12:00:00Z';

const onCommand = (pattern: string, command: string, effect: RuleEffect = 'deny'): Match =>
  matchRule({ effect, tool: 'Bash', pattern }, bashAsk('r', command), place);

const about = (toolName: string, subject: Subject, input = {}): Ask =>
  bashAsk('r', '', { toolName, subject, input });
const onPath = (pattern: string, value: string, more: Partial<Subject> = {}): Match =>
  matchRule(
    { effect: 'deny', tool: 'Read', pattern },
    about('Read', { kind: 'path', value, ...more }),
    place,
  );

describe('[POL2] a rule that denies is not evaded by the way a command is written', () => {
  const written = [
    'git push',
    'git push origin main',
    '  git   push',
    'git "push"',
    "g'i't pu\\sh",
    'GIT push',
    '/usr/bin/git push',
    'git -C /elsewhere push',
    'git -c user.name=x --no-pager push -f',
    'X=1 git push',
    'X=1 Y="a b" git push',
    'env X=1 git push',
    'sudo -u root git push',
    'timeout 5 nohup git push',
    'ls && git push',
    'ls;git push',
    'ls | git push',
    'ls & git push',
    'ls\ngit push',
    '(cd x; git push)',
    '{ git push; }',
    '! git push',
    'if true; then git push; fi',
    'for i in 1 2; do git push; done',
    'echo $(git push)',
    'echo "$(git push)"',
    'echo `git push`',
    'cat <(git push)',
    '>out git push',
    '2>&1 git push',
    'bash -c "git push"',
    "sh -c 'ls; git push'",
    'eval "git push"',
    'xargs git push',
    'find . -exec git push \\;',
    'bash <<EOF\ngit push\nEOF',
    `git$\{IFS}push`,
    'git \\\npush',
    '{git,push}',
    "$'git' push",
    'npm exec git push',
  ];
  it.each(written)('%j', (command) => expect(onCommand('git push*', command)).toBe('yes'));
  it.each(written)('without a star: %j', (command) => expect(onCommand('git push', command)).toBe('yes'));

  it.each([
    '$X push',
    '$X',
    'git $X',
    'git $(true)push',
    "$'\\x67it' push",
    '/usr/bin/g?t push',
    '$(echo git) push',
  ])('where only the shell knows, a person is asked: %j', (command) =>
    expect(onCommand('git push', command)).toBe('maybe'),
  );

  it.each([
    'git status',
    'git commit -m "push it"',
    'echo git',
    'git commit -m push',
    'gitk push',
    'pushd git',
    'ls $HOME',
  ])('what is something else is let alone: %j', (command) =>
    expect(onCommand('git push', command)).toBe('no'),
  );

  it('options are found wherever they stand, and in whatever order', () => {
    expect(onCommand('git push --force', 'git push origin main --force')).toBe('yes');
    expect(onCommand('rm -rf *', 'rm -fr /')).toBe('yes');
    expect(onCommand('rm -rf', 'rm -rfv /')).toBe('yes');
    expect(onCommand('rm -rf', 'rm file')).toBe('no');
    expect(onCommand('*--force*', 'git push --force-with-lease')).toBe('yes');
  });

  it('a command in an input that is not known is found, too', () => {
    const ask = about('Bash', { kind: 'input', value: '{}', literal: true }, { command: 'git push', x: [1] });
    expect(matchRule({ effect: 'deny', tool: 'Bash', pattern: 'git push' }, ask, place)).toBe('yes');
    const words = about('Bash', { kind: 'input', value: '{}' });
    expect(matchRule({ effect: 'deny', tool: 'Bash', pattern: 'git push' }, words, place)).toBe('maybe');
  });

  it('stays quick on a text that is made to be slow', () => {
    const hostile = ['$(', '`', '{a,', 'env $a ', '"$(', "bash -c '", 'a -', '\\'].map((piece) =>
      piece.repeat(100_000 / piece.length),
    );
    const took = processorTime(() => {
      for (const command of hostile) onCommand('a * b * c -d *', command);
    });
    expect(took).toBeLessThan(2000);
  });
});

describe('[POL2] a rule that denies a file, a host or an input', () => {
  it.each([
    ['/etc', '/etc/passwd'],
    ['/etc/*', '/etc/passwd'],
    ['.env', '/work/shop/.env'],
    ['.env', '/work/shop/deep/.ENV'],
    ['*.pem', '/anywhere/key.pem'],
    ['secrets/', '/work/shop/secrets/a/b'],
    ['./secrets/*', '/work/shop/secrets/a'],
    ['src/../secrets', '/work/shop/secrets/a'],
    ['src/**/*.key', '/work/shop/src/a.key'],
    ['~/.ssh', '/home/me/.ssh/id_ed25519'],
    ['~/.ssh/*', '/root/.ssh/config'],
  ])('%j is about %j', (pattern, path) => expect(onPath(pattern, path)).toBe('yes'));

  it('by the name that leads there and by where it leads', () => {
    expect(onPath('/etc/*', '/work/shop/x', { asked: '/etc/passwd' })).toBe('yes');
    expect(onPath('link', '/etc/passwd', { asked: '/work/shop/link' })).toBe('yes');
    expect(onPath('/etc', '/etcetera/x')).toBe('no');
  });

  it('a search that may come to it goes to a person', () => {
    expect(onPath('secrets/*', '/work/shop/**', { readOnly: true })).toBe('maybe');
    expect(onPath('secrets/*', '/work/shop/src/**', { readOnly: true })).toBe('no');
  });

  it('a host with all below it, whatever scheme and port', () => {
    const on = (pattern: string, value: string): Match =>
      matchRule(
        { effect: 'deny', tool: 'WebFetch', pattern },
        about('WebFetch', { kind: 'host', value }),
        place,
      );
    for (const host of ['evil.example', 'http://evil.example', 'a.evil.example:8080'])
      expect(on('evil.example', host)).toBe('yes');
    expect(on('*.evil.example', 'evil.example')).toBe('yes');
    expect(on('evil.example', 'notevil.example')).toBe('no');
  });

  it('tools by a wildcard, sessions by their directory', () => {
    const ask = about('mcp__github__merge', { kind: 'input', value: '{"pr":1}' }, { pr: 1, title: 'x' });
    const rule = { effect: 'deny', tool: 'mcp__github__*' } as const;
    expect(matchRule(rule, ask, place)).toBe('yes');
    expect(matchRule({ ...rule, pattern: '{"pr":1}' }, ask, place)).toBe('yes');
    expect(matchRule({ ...rule, pattern: '{"pr":2}' }, ask, place)).toBe('no');
    expect(matchRule({ ...rule, cwd: '/work' }, ask, place)).toBe('yes');
    expect(matchRule({ ...rule, cwd: '/other' }, ask, place)).toBe('no');
    expect(matchRule({ ...rule, tool: 'mcp__gitlab__*' }, ask, place)).toBe('no');
  });
});

describe('[POL3] a rule that allows reaches no further than a grant', () => {
  it('is about one tool and what its pattern says', () => {
    expect(onCommand('npm test *', 'npm test unit', 'allow')).toBe('yes');
    expect(onCommand('npm test *', 'npm test x && rm -rf ~', 'allow')).toBe('no');
    const write = about('Write', { kind: 'path', value: '/work/shop/src/a.ts' });
    const on = (pattern: string, ask: Ask): Match =>
      matchRule({ effect: 'allow', tool: 'Write', pattern }, ask, place);
    expect(on('src/*', write)).toBe('yes');
    expect(on('./src/*', write)).toBe('yes');
    expect(on('src/*', about('Write', { kind: 'path', value: '/work/shop/lib/a.ts' }))).toBe('no');
    expect(on('*', about('Write', { kind: 'path', value: '/work/other/a.ts' }))).toBe('no');
  });

  it('never lets an agent write its own policy', () => {
    for (const pattern of ['*', './*', '.beckon/*', '/work/shop/*', '/work/shop/.beckon/*']) {
      const ask = about('Write', { kind: 'path', value: '/work/shop/.beckon/policy.json' });
      expect(matchRule({ effect: 'allow', tool: 'Write', pattern }, ask, place)).toBe('no');
    }
  });
});

const pieces = ['git', 'push', 'npm', 'test', '*', '-f', '&&', ';', '$X', '"a b"', 'env', '/etc/x', '.env'];
const anyText = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 })
  .map((all) => all.join(' '));
const anyAsk: fc.Arbitrary<Ask> = fc
  .record({
    tool: fc.constantFrom('Bash', 'Read', 'mcp__x'),
    kind: fc.constantFrom('command', 'path', 'host', 'input'),
    text: anyText,
    requiresPerson: fc.boolean(),
  })
  .map(({ tool, kind, text, requiresPerson }) =>
    bashAsk('r', text, {
      toolName: tool,
      subject: { kind, value: text },
      ...(requiresPerson && { requiresPerson }),
    }),
  );
const anyRule = (effect: fc.Arbitrary<RuleEffect>): fc.Arbitrary<HeldRule> =>
  fc
    .record({ effect, tool: fc.constantFrom('Bash', 'Read', '*', 'mcp__x'), pattern: fc.option(anyText) })
    .map(({ effect, tool, pattern }) => ({
      source: 'always',
      effect,
      tool,
      ...(pattern !== null && { pattern }),
    }));
const anyGrant: fc.Arbitrary<Grant> = fc
  .record({
    toolName: fc.constantFrom('Bash', 'Read'),
    pattern: anyText,
    literal: fc.boolean(),
    subjectKind: fc.constantFrom('command', 'path', 'host', 'input'),
  })
  .map((given) => ({
    id: GrantId.parse('grant_1'),
    scope: 'always',
    createdAt: at,
    by: person,
    ...given,
  }));

describe('[POL1] rules over what is granted', () => {
  it('a rule that denies or asks lets nothing through that was asked before', () => {
    const more = anyRule(fc.constantFrom('deny', 'ask'));
    fc.assert(
      fc.property(
        anyAsk,
        fc.array(anyRule(fc.constantFrom('allow', 'deny', 'ask')), { maxLength: 4 }),
        fc.array(anyGrant, { maxLength: 4 }),
        more,
        fc.nat(4),
        (ask, rules, grants, added, where) => {
          const before = verdictOn(ask, { rules, grants, place, at }).is;
          const after = verdictOn(ask, { rules: rules.toSpliced(where, 0, added), grants, place, at }).is;
          const order = ['allow', 'ask', 'deny'];
          expect(order.indexOf(after)).toBeGreaterThanOrEqual(order.indexOf(before));
        },
      ),
      { numRuns: times(500) },
    );
  });

  it('without rules a grant does what it did', () => {
    fc.assert(
      fc.property(anyAsk, fc.array(anyGrant, { maxLength: 4 }), (ask, grants) => {
        const grant = findGrant(grants, ask, at);
        expect(verdictOn(ask, { rules: [], grants, place, at })).toEqual(
          grant === undefined ? { is: 'ask' } : { is: 'allow', grant },
        );
      }),
      { numRuns: times(500) },
    );
  });

  it('what a rule that allows would let through, a grant of the same words would', () => {
    fc.assert(
      fc.property(anyAsk, anyText, (ask, pattern) => {
        if (matchRule({ effect: 'allow', tool: 'Bash', pattern }, ask, { cwd: '/', realCwd: null }) !== 'yes')
          return;
        expect(ask.toolName).toBe('Bash');
        expect(ask.requiresPerson).toBeUndefined();
      }),
      { numRuns: times(500) },
    );
  });
});

describe('[POL1] a rule decides in the same breath as it is asked', () => {
  const rule = (effect: RuleEffect, more: Partial<HeldRule> = {}): HeldRule => ({
    source: 'policy',
    effect,
    tool: 'Bash',
    pattern: 'git push',
    ...more,
  });

  it('denies with its reason, which reaches the agent, and says that it was a rule', () => {
    const played = new PlayedSession().up().working();
    played.globalRules = [rule('allow'), rule('ask'), rule('deny', { reason: 'We deploy from CI.' })];
    played.asks(bashAsk('r1', 'ls && git push'));
    const decided = played.log.find((event) => event.type === 'interaction.decided');
    expect(decided).toMatchObject({
      outcome: 'denied',
      decision: { type: 'deny', message: 'We deploy from CI.', interrupt: false },
      by: { kind: 'rule', rule: { source: 'policy', effect: 'deny', pattern: 'git push' } },
    });
  });

  it('asks a person whatever is granted, and that cannot be granted for later', () => {
    const played = new PlayedSession().up().working();
    played.globalGrants = [
      {
        id: GrantId.parse('grant_1'),
        toolName: 'Bash',
        pattern: 'git push',
        literal: true,
        subjectKind: 'command',
        scope: 'always',
        createdAt: at,
        by: person,
      },
    ];
    played.globalRules = [rule('ask', { reason: 'Look at the branch.' })];
    const asked = played.asks(bashAsk('r1', 'git push'));
    expect(played.types()).not.toContain('interaction.decided');
    expect(played.log.find((event) => event.type === 'interaction.requested')?.ask).toMatchObject({
      requiresPerson: true,
      rule: { reason: 'Look at the branch.' },
    });
    expect(played.respond(asked, allow({ scope: 'always' }))?.code).toBe('invalid_value');
    expect(played.respond(asked, allow())).toBeUndefined();
  });
});
