import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { policyDigest } from '../../src/model/policy-digest.ts';
import type { DirectoryPolicy, PolicyInForce, PolicyTrial, StandingRule } from '../../src/protocol/policy.ts';
import type { PolicyRule } from '../../src/protocol/rule.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { memoryLog } from '../support/memory-log.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

const made: string[] = [];
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true });
});
function directory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-policy-')));
  made.push(path);
  return path;
}
const fileIn = (cwd: string): string => join(cwd, '.beckon', 'policy.json');
function write(cwd: string, content: string | readonly PolicyRule[]): string {
  const text = typeof content === 'string' ? content : JSON.stringify({ version: 1, rules: content });
  mkdirSync(join(cwd, '.beckon'), { recursive: true });
  writeFileSync(fileIn(cwd), text);
  return text;
}

let asked = 0;
/** Lets the agent ask, and says what became of it: who answered how, or that it is open. */
async function fate(room: EngineRoom, id: string, command: string): Promise<string> {
  const { interactionId, status } = await room.asks(id, bashAsk(`r${++asked}`, command));
  if (status === 'open') return 'open';
  const decided = room.all(id, 'interaction.decided').find((event) => event.interactionId === interactionId);
  return `${decided?.outcome} by ${decided?.by.rule?.source ?? decided?.by.kind}`;
}
const policyOf = async (room: EngineRoom, session: string): Promise<DirectoryPolicy> =>
  (await room.do('getSessionPolicy', { session })).body.policy as DirectoryPolicy;
const trust = async (room: EngineRoom, { id, digest }: DirectoryPolicy) =>
  room.do('trustPolicy', { policyId: id, digest });

describe('[POL1] rules that stand alone', () => {
  it('for all sessions: denied with the reason, before any grant, without asking anyone; removed, asked again', async () => {
    const room = await openRoom();
    const [one, agent] = await room.running();
    const first = await room.asks(one, bashAsk('g', 'git push'));
    await room.do('approve', { session: one, requestId: first.interactionId, scope: 'always' });
    expect(await fate(room, one, 'git push')).toBe('allowed by grant');
    const { rule } = (
      await room.do('addRule', { effect: 'deny', tool: 'Bash', pattern: 'git push', reason: 'CI does.' })
    ).body as { rule: StandingRule };
    expect(rule).toMatchObject({ scope: 'always', by: person.actor });
    const told = room.announcements('approval-requested').length;
    expect(await fate(room, one, 'git push')).toBe('denied by always');
    await room.until('it is told', () => agent.answers().length === 3);
    expect(agent.answers().at(-1)?.decision).toEqual({ type: 'deny', message: 'CI does.', interrupt: false });
    expect(room.announcements('approval-requested')).toHaveLength(told);
    expect((await room.do('listRules')).body.rules).toEqual([rule]);
    await room.do('removeRule', { ruleId: rule.id });
    expect(await fate(room, one, 'git push')).toBe('allowed by grant');
    expect((await room.refused('removeRule', { ruleId: rule.id })).code).toBe('rule_not_found');
  });

  it('for one session, until it is stopped; the others go on as before; all of it outlives a restart', async () => {
    const log = memoryLog();
    const room = await openRoom({ log });
    const [one] = await room.running();
    const [two] = await room.running();
    await room.do('addRule', { effect: 'ask', tool: 'Bash', pattern: 'ls' });
    await room.do('addRule', { effect: 'deny', tool: 'Bash', pattern: 'ls', sessionId: one });
    expect(await fate(room, one, 'ls')).toBe('denied by session');
    expect(await fate(room, two, 'ls')).toBe('open');
    room.abandon();
    const next = await openRoom({ log, run: 'b' });
    const rules = (await next.do('listRules')).body.rules as StandingRule[];
    expect(rules.map(({ effect, scope }) => [effect, scope])).toEqual([
      ['ask', 'always'],
      ['deny', 'session'],
    ]);
    await next.do('stop', { session: one });
    expect((await next.do('listRules')).body.rules).toHaveLength(1);
    expect((await next.refused('addRule', { effect: 'deny', tool: 'Bash', sessionId: one })).code).toBe(
      'session_stopped',
    );
  });
});

describe('[POL4] the policy for all sessions', () => {
  const rules: PolicyRule[] = [
    { effect: 'allow', tool: 'Bash', pattern: 'npm test *' },
    { effect: 'deny', tool: 'Bash', pattern: 'npm test e2e' },
  ];

  it('holds as soon as it is set, in place of the one before, and after a restart; who set it is on record', async () => {
    const log = memoryLog();
    const room = await openRoom({ log });
    const [id] = await room.running();
    expect(await fate(room, id, 'npm test unit')).toBe('open');
    const set = (await room.do('setPolicy', { policy: { version: 1, rules } })).body.policy as PolicyInForce;
    expect(set).toMatchObject({ by: person.actor, setAt: room.clock.now(), policy: { rules } });
    expect(await fate(room, id, 'npm test unit')).toBe('allowed by policy');
    expect(await fate(room, id, 'npm test e2e')).toBe('denied by policy');
    expect(await fate(room, id, 'npm test unit && rm -rf ~')).toBe('open');
    room.abandon();
    const next = await openRoom({ log, run: 'b' });
    expect((await next.do('listRules')).body.policy).toEqual(set);
    await next.do('setPolicy', { policy: { version: 1, rules: [] }, replaces: set.digest });
    const late = await next.refused('setPolicy', { policy: { version: 1, rules }, replaces: set.digest });
    expect(late.code).toBe('policy_changed');
  });

  it('is refused with the place of what is wrong, in plain words', async () => {
    const room = await openRoom();
    const wrong = async (rule: object): Promise<string> =>
      (await room.refused('setPolicy', { policy: { version: 1, rules: [rule] } })).message;
    expect(await wrong({ effect: 'allow', tool: 'Bash' })).toContain('"policy.rules.0.pattern" is missing');
    expect(await wrong({ effect: 'allow', tool: '*', pattern: 'x' })).toContain('names one tool');
    expect(await wrong({ effect: 'permit', tool: 'Bash' })).toContain('Say "allow", "deny" or "ask".');
    expect(await wrong({ effect: 'deny', tol: 'Bash' })).toContain('"policy.rules.0.tool"');
  });
});

describe('[POL5] the policy that a directory brings along', () => {
  const rules: PolicyRule[] = [
    { effect: 'allow', tool: 'Bash', pattern: 'make' },
    { effect: 'deny', tool: 'Bash', pattern: 'git push', reason: 'Not from here.' },
  ];

  it('denies from the first ask on, and allows nothing until a person trusts this very content', async () => {
    const cwd = directory();
    const text = write(cwd, rules);
    const room = await openRoom();
    const [id] = await room.running({ cwd });
    expect(await fate(room, id, 'git push')).toBe('denied by repository');
    expect(await fate(room, id, 'make')).toBe('open');
    const found = await policyOf(room, id);
    expect(found).toMatchObject({
      directory: cwd,
      text,
      digest: policyDigest(text),
      trusted: null,
      needsTrust: true,
    });
    const other = await room.refused('trustPolicy', { policyId: found.id, digest: policyDigest(`${text} `) });
    expect(other.code).toBe('policy_changed');
    await trust(room, found);
    expect(await fate(room, id, 'make')).toBe('allowed by repository');
    expect(await policyOf(room, id)).toMatchObject({ trusted: { by: person.actor }, needsTrust: false });
    await room.do('distrustPolicy', { policyId: found.id });
    expect(await fate(room, id, 'make')).toBe('open');
    const [elsewhere] = await room.running({ cwd: directory() });
    expect(await fate(room, elsewhere, 'git push')).toBe('open');
  });

  it('trust is for this directory: the same file in another is not trusted', async () => {
    const [one, two] = [directory(), directory()];
    write(one, rules);
    write(two, rules);
    const room = await openRoom();
    const [first] = await room.running({ cwd: one });
    await trust(room, await policyOf(room, first));
    const [second] = await room.running({ cwd: two });
    expect(await fate(room, second, 'make')).toBe('open');
    expect((await room.do('listRules')).body.directories).toHaveLength(2);
  });

  it('[POL6] a changed file is asked about again; what it no longer denies is denied until then, also after a restart', async () => {
    const cwd = directory();
    write(cwd, rules);
    const log = memoryLog();
    const room = await openRoom({ log });
    const [id, agent] = await room.running({ cwd });
    await trust(room, await policyOf(room, id));
    write(cwd, [
      { effect: 'allow', tool: 'Bash', pattern: 'git push' },
      { effect: 'ask', tool: 'Bash', pattern: 'ls' },
    ]);
    agent.report({ type: 'turn-ended', outcome: 'completed' });
    await room.event(id, 'turn.ended');
    await room.do('sendMessage', { session: id, message: 'more' });
    await room.until('it is sent', () => agent.sent().length > 1);
    agent.begin();
    const changed = await policyOf(room, id);
    expect(changed).toMatchObject({ needsTrust: true, trusted: null, held: [rules[1]] });
    expect(await fate(room, id, 'git push')).toBe('denied by repository');
    expect(await fate(room, id, 'make')).toBe('open');
    expect(await fate(room, id, 'ls')).toBe('open');
    room.abandon();
    const next = await openRoom({ log, run: 'b' });
    const [there] = await next.running({ cwd });
    expect(await fate(next, there, 'git push')).toBe('denied by repository');
    await trust(next, await policyOf(next, there));
    expect(await fate(next, there, 'git push')).toBe('allowed by repository');
  });

  it('[POL6] a file that was removed denies on, until a person accepts that', async () => {
    const cwd = directory();
    write(cwd, rules);
    const room = await openRoom();
    const [id] = await room.running({ cwd });
    rmSync(fileIn(cwd));
    const gone = await policyOf(room, id);
    expect(gone).toMatchObject({ text: null, digest: null, needsTrust: true, held: [rules[1]] });
    expect(await fate(room, id, 'git push')).toBe('denied by repository');
    await trust(room, gone);
    expect(await fate(room, id, 'git push')).toBe('open');
    expect((await room.do('listRules')).body.directories).toEqual([]);
  });

  it.each([
    [
      'is no JSON',
      (cwd: string) => void write(cwd, '{"version":1,\n"rules":[}'),
      'This is not JSON: Unexpected token',
    ],
    [
      'has a rule that makes no sense',
      (cwd: string) => void write(cwd, '{"version":1,"rules":[{"effect":"deny"}]}'),
      '"rules.0.tool" is missing',
    ],
    ['is too long', (cwd: string) => void write(cwd, ' '.repeat(70_000)), 'longer than 64 kB'],
    [
      'is not UTF-8',
      (cwd: string) => {
        write(cwd, '');
        writeFileSync(fileIn(cwd), Buffer.from([0xff, 0xfe]));
      },
      'not UTF-8',
    ],
    ['is a directory', (cwd: string) => void mkdirSync(fileIn(cwd), { recursive: true }), 'no file'],
    [
      'is a link that leads out',
      (cwd: string) => {
        const elsewhere = directory();
        write(elsewhere, rules);
        symlinkSync(join(elsewhere, '.beckon'), join(cwd, '.beckon'));
      },
      'leads out of the directory',
    ],
  ])('[POL6] one that %s allows nothing: everything goes to a person', async (_, make, problem) => {
    const cwd = directory();
    make(cwd);
    const room = await openRoom();
    await room.do('setPolicy', {
      policy: { version: 1, rules: [{ effect: 'allow', tool: 'Bash', pattern: 'make' }] },
    });
    const [id] = await room.running({ cwd });
    expect(await fate(room, id, 'make')).toBe('open');
    const found = await policyOf(room, id);
    expect(found.problem).toContain(problem);
    expect((await room.refused('trustPolicy', { policyId: found.id, digest: found.digest })).code).toBe(
      'policy_changed',
    );
  });

  it('[POL6] a machine that cannot be reached changes nothing that is known; where nothing is, everything goes to a person', async () => {
    const [known, unknown] = [directory(), directory()];
    write(known, rules);
    let isReachable = true;
    const room = await openRoom({
      carry: (runner) => ({
        ...runner,
        policyFile: async (place) => {
          if (!isReachable) throw new Error('The machine does not answer');
          return runner.policyFile(place);
        },
      }),
    });
    await room.do('setPolicy', {
      policy: { version: 1, rules: [{ effect: 'allow', tool: 'Bash', pattern: 'ls' }] },
    });
    const [one] = await room.running({ cwd: known });
    isReachable = false;
    const [two] = await room.running({ cwd: unknown });
    expect(await policyOf(room, one)).toMatchObject({ needsTrust: true });
    expect(await fate(room, one, 'git push')).toBe('denied by repository');
    expect(await fate(room, one, 'ls')).toBe('allowed by policy');
    expect(await fate(room, two, 'ls')).toBe('open');
    isReachable = true;
    await policyOf(room, two);
    expect(await fate(room, two, 'ls')).toBe('allowed by policy');
  });

  it('[POL6] one that changes all the time is not stored for ever: everything goes to a person until someone looks', async () => {
    const cwd = directory();
    const room = await openRoom();
    const [id] = await room.running({ cwd });
    for (let time = 0; time < 60; time += 1) {
      write(cwd, [{ effect: 'allow', tool: 'Bash', pattern: `make ${time}` }]);
      await policyOf(room, id);
    }
    expect(room.events('global').filter(({ type }) => type === 'policy.found')).toHaveLength(50);
    await room.do('setPolicy', {
      policy: { version: 1, rules: [{ effect: 'allow', tool: 'Bash', pattern: 'make' }] },
    });
    expect(await fate(room, id, 'make')).toBe('open');
    await trust(room, await policyOf(room, id));
    expect(await fate(room, id, 'make')).toBe('allowed by policy');
    expect((await policyOf(room, id)).text).toContain('make 59');
  });
});

describe('[POL7] a policy is tried on what was asked', () => {
  it('tells what would have remained, what each rule decides, and first what a person had decided otherwise', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const answer = async (command: string, decision?: 'allow' | 'deny'): Promise<void> => {
      const { interactionId } = await room.asks(id, bashAsk(`r${++asked}`, command));
      if (decision !== undefined)
        await room.do('approve', { session: id, requestId: interactionId, decision });
    };
    await answer('npm test a', 'allow');
    await answer('npm test b', 'deny');
    await answer('npm test b', 'deny');
    await answer('git push', 'allow');
    await answer('ls');
    const policy = {
      version: 1,
      rules: [
        { effect: 'allow', tool: 'Bash', pattern: 'npm test *' },
        { effect: 'deny', tool: 'Bash', pattern: 'git push' },
        { effect: 'ask', tool: 'Bash', pattern: 'rm' },
      ],
    };
    const trial = (await room.do('tryPolicy', { policy, days: 7 })).body as PolicyTrial;
    expect(trial).toMatchObject({
      days: 7,
      asks: 5,
      before: { asked: 5, allowed: 0, denied: 0 },
      after: { asked: 1, allowed: 3, denied: 1 },
      rules: [
        { decided: 3, matched: 3 },
        { decided: 1, matched: 1, examples: [{ subject: 'git push', sessionId: id }] },
        { decided: 0, matched: 0, examples: [] },
      ],
      contradictions: [
        { rule: 0, decided: 'denied', times: 2, subject: 'npm test b' },
        { rule: 1, decided: 'allowed', times: 1, subject: 'git push' },
      ],
    });
    expect((await room.do('listRules')).body.policy).toMatchObject({ setAt: null });
    room.clock.pass(8 * 24 * 60 * 60 * 1000);
    expect((await room.do('tryPolicy', { policy, days: 7 })).body.asks).toBe(0);
  });
});
