import { existsSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Console } from '../../src/cli/console.ts';
import { run } from '../../src/cli/run.ts';
import { policyDigest } from '../../src/model/policy-digest.ts';
import type { Event } from '../../src/protocol/event.ts';
import type { PolicyRule } from '../../src/protocol/rule.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { endTerminals, openTerminal } from '../support/terminal.ts';

let beckon: Beckon;
beforeAll(async () => {
  beckon = await startBeckon();
});
afterEach(endTerminals);
afterAll(endBeckons);

const policyText = (...rules: PolicyRule[]): string => JSON.stringify({ version: 1, rules }, null, 2);

async function fileWith(...rules: PolicyRule[]): Promise<string> {
  const path = join(await temporaryDirectory(), 'rules.json');
  await writeFile(path, policyText(...rules));
  return path;
}

/** Has the demo agent run a command, and gives the events once its turn has ended or it waits. */
async function have(cwd: string, prompt: string): Promise<{ id: string; events: Event[] }> {
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd, prompt });
  const id: string = body.session.id;
  await eventually('it is done, or waits', async () => {
    const { session } = (await beckon.api('GET', `/api/sessions/${id}`)).body;
    return ['idle', 'waiting'].includes(session.status) && session.usage.turns + session.pendingCount > 0;
  });
  return { id, events: (await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`)).body.events };
}

const decisions = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'interaction.decided' ? [event] : []));

describe('[POL9] policies with a real agent and the terminal', () => {
  it('a file that exists because a rule allows it, and one that does not because a rule denies it, in words that reach the agent', async () => {
    const cwd = await realpath(await temporaryDirectory());
    const rules = await fileWith(
      { effect: 'allow', tool: 'Bash', pattern: 'touch yes-*' },
      { effect: 'deny', tool: 'Bash', pattern: 'touch no', reason: 'That file is not wanted.' },
    );
    expect((await beckon.run(['policy', 'set', rules])).stdout).toBe('In effect: 2 rules.\n');
    await have(cwd, 'run touch yes-1');
    expect(existsSync(join(cwd, 'yes-1'))).toBe(true);
    const denied = await have(cwd, 'run env X=1 touch no');
    expect(existsSync(join(cwd, 'no'))).toBe(false);
    expect(decisions(denied.events)).toMatchObject([
      { outcome: 'denied', by: { kind: 'rule', rule: { source: 'policy' } } },
    ]);
    expect(JSON.stringify(denied.events.filter(({ type }) => type === 'tool.result'))).toContain(
      'not wanted',
    );

    const shown = await beckon.run(['policy', 'show']);
    expect(shown.stdout).toMatch(/2\s+deny\s+Bash\s+touch no\s+That file is not wanted\./);
    const tried = await beckon.run([
      'policy',
      'try',
      await fileWith({ effect: 'ask', tool: 'Bash' }),
      '--days',
      '7',
    ]);
    expect(tried.stdout).toContain(
      'Of 2 asks in 7 days, 2 would come to you (0 did), 0 be allowed, 0 be denied.',
    );
    const trial = JSON.parse((await beckon.run(['policy', 'try', rules, '--json'])).stdout);
    expect(trial).toMatchObject({
      after: { asked: 0, allowed: 1, denied: 1 },
      rules: [{ decided: 1 }, { decided: 1 }],
    });
  });

  it('the file of a repository: denied from the start, allowed once its very content is trusted', async () => {
    const cwd = await realpath(await temporaryDirectory());
    await mkdir(join(cwd, '.beckon'));
    const text = policyText(
      { effect: 'allow', tool: 'Bash', pattern: 'touch made' },
      { effect: 'deny', tool: 'Bash', pattern: 'touch never' },
    );
    await writeFile(join(cwd, '.beckon/policy.json'), text);
    const { events } = await have(cwd, 'run touch never');
    expect(decisions(events)).toMatchObject([{ outcome: 'denied', by: { rule: { source: 'repository' } } }]);
    const waiting = await have(cwd, 'run touch made');
    expect(decisions(waiting.events)).toEqual([]);
    expect(existsSync(join(cwd, 'made'))).toBe(false);

    const { directories } = JSON.parse((await beckon.run(['policy', 'show', '--json'])).stdout);
    expect(directories).toMatchObject([{ directory: cwd, text, needsTrust: true }]);
    const [{ id }] = directories;
    const other = await beckon.run(['policy', 'trust', id, '--digest', policyDigest('something else')]);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('not what was shown') });
    const { dataDir } = beckon;
    const hesitating = openTerminal(['policy', 'trust', id], { dataDir });
    await hesitating.seen('Type "trust" to let it hold:');
    expect(hesitating.all().join('\n')).toContain('"pattern": "touch made"');
    hesitating.type('yes\r');
    expect(await hesitating.exited).toBe(1);
    await hesitating.seen('nothing was trusted');
    const sure = openTerminal(['policy', 'trust', id.slice(0, 8)], { dataDir });
    await sure.seen('Type "trust" to let it hold:');
    sure.type('trust\r');
    await sure.seen('is trusted as it is now.');
    expect(await sure.exited).toBe(0);
    await have(cwd, 'run touch made');
    expect(existsSync(join(cwd, 'made'))).toBe(true);
  });

  it('what is wrong with a file is said with its place, before anything is asked of the server', async () => {
    const path = join(await temporaryDirectory(), 'rules.json');
    await writeFile(
      path,
      '{"version":1,"rules":[{"effect":"deny","tool":"Bash"},{"effect":"allow","tol":"x"}]}',
    );
    const told = async (...args: string[]): Promise<string> => {
      const stderr = new PassThrough();
      const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
      expect(
        await run(['policy', ...args], { env: {}, cwd: '/', ...streams } as unknown as Console),
      ).not.toBe(0);
      return String(stderr.read());
    };
    expect(await told('try', path)).toContain(
      '"rules.1.tol" is not known here; did you mean "rules.1.tool"?',
    );
    expect(await told('try')).toContain('which file?');
    expect(await told('shw')).toContain('none of show, try, set and trust');
    expect(await told('show', '--days', '3')).toContain('--days does nothing without "try"');
  });
});
