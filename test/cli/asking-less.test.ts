import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { Console } from '../../src/cli/console.ts';
import { run } from '../../src/cli/run.ts';
import { type Beckon, endBeckons, startBeckon } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { scriptedClaude, startScripted } from '../support/scripted-claude/scripted-claude.ts';
import { endTerminals, openTerminal } from '../support/terminal.ts';

afterEach(async () => {
  await endTerminals();
  await endBeckons();
});

/** The terminal client in this process: to start a program for each command would take most of the time. */
async function terminal({ dataDir }: Beckon, args: readonly string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const console = { env: { BECKON_DATA_DIR: dataDir }, cwd: dataDir, stdin, stdout, stderr };
  const code = await run(args, console as unknown as Console);
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

describe('beckon trust', () => {
  it('[POL13] says what it means before it is given, shows it in the list, and lists what was allowed', async () => {
    const beckon = await startBeckon({ args: ['--claude', await scriptedClaude()] });
    const agent = await startScripted(beckon, 'Build');
    const { sessionId } = agent;
    const unread = await terminal(beckon, ['trust', sessionId, '--for', '15m']);
    expect(unread.code).toBe(2);
    expect(unread.stderr).toContain('You are still asked for:');
    expect(unread.stderr).toContain('Say --yes to allow everything for 15 minutes.');
    expect((await terminal(beckon, ['trust', sessionId, '--for', '2h', '--yes'])).stderr).toContain(
      '1m to 60m',
    );
    expect((await terminal(beckon, ['trust', sessionId])).stdout).toBe(
      'There is no time of trust: you are asked.\n',
    );

    const given = await terminal(beckon, ['trust', sessionId, '--for', '1h', '--yes']);
    expect(given.stdout).toMatch(
      /^Everything is allowed for (60 min 0 s|59 min \d+ s); 0 calls were allowed so far\.\n$/,
    );
    await agent.script({ ask: [{ id: 't1', input: { command: 'npm test' } }], isGranted: true });
    await eventually('it was told', async () => (await agent.told()).t1 !== undefined);
    expect((await terminal(beckon, ['ls'])).stdout).toMatch(/trust (60|59) min/);
    expect((await terminal(beckon, ['grants'])).stdout).toMatch(/session {2}everything/);

    // Killed and started again, the server still knows of it.
    await beckon.kill9();
    const again = await startBeckon({ dataDir: beckon.dataDir, args: ['--claude', await scriptedClaude()] });
    const ended = await terminal(again, ['trust', sessionId, '--end']);
    expect(ended.stdout).toMatch(
      /^The time of trust is over: 1 call was allowed meanwhile\.\n {2}Bash: .*npm test\n$/,
    );
    const { body } = await again.api('GET', `/api/sessions/${sessionId}/events?limit=1000`);
    const of = (type: string) => body.events.filter((event: { type: string }) => event.type === type);
    expect(of('grant.ended')).toMatchObject([{ cause: 'revoked', uses: 1, by: { kind: 'person' } }]);
    expect(of('interaction.decided')).toMatchObject([{ by: { kind: 'grant', trust: true } }]);
    expect((await terminal(again, ['trust', sessionId, '--end'])).stdout).toBe(
      'There was no time of trust.\n',
    );
  });
});

describe('beckon suggestions', () => {
  it('[POL14] [POL16] [INS4] lists them with what they would not match, takes one by its id, and tells what was asked', async () => {
    const beckon = await startBeckon({ args: ['--claude', await scriptedClaude()] });
    const agent = await startScripted(beckon, 'Build');
    for (const id of ['a', 'b', 'c']) {
      const [requestId] = await agent.script({ ask: [{ id, input: { command: 'npm test' } }] });
      await beckon.api('POST', `/api/sessions/${agent.sessionId}/approve`, { requestId });
    }
    const listed = await terminal(beckon, ['suggestions']);
    expect(listed.stdout).toMatch(
      /^ 1\. {2}Bash npm test {2}sug_\w+\n {5}allowed 3 times in 1 session, never denied; only in \/.*\n {5}still asked: npm test --any-option · /,
    );
    const [suggestion] = JSON.parse((await terminal(beckon, ['suggestions', '--json'])).stdout).suggestions;
    const wrong = await terminal(beckon, ['suggestions', '--accept', '1']);
    expect(wrong).toMatchObject({ code: 1, stderr: 'beckon: "1" is not suggested\n' });
    // In a terminal its number is asked for; Enter alone takes nothing.
    const person = openTerminal(['suggestions'], { dataDir: beckon.dataDir, columns: 200 });
    await person.seen('Its number, or Enter for none: ');
    person.type('\r');
    await person.seen('Nothing was changed.');
    expect(await person.exited).toBe(0);
    const taken = await terminal(beckon, ['suggestions', '--accept', suggestion.id.slice(0, 12)]);
    expect(taken.stdout).toBe(`allowed from now on in ${suggestion.directory}: Bash npm test\n`);
    const [{ id: grantId }] = (await beckon.api('GET', '/api/grants')).body.grants;
    await beckon.api('DELETE', `/api/grants/${grantId}`);
    const again = openTerminal(['suggestions'], { dataDir: beckon.dataDir, columns: 200 });
    await again.seen('Its number, or Enter for none: ');
    again.type('1\r');
    await again.seen(`allowed from now on in ${suggestion.directory}: Bash npm test`);
    expect(await again.exited).toBe(0);
    expect((await terminal(beckon, ['grants'])).stdout).toContain(`(in ${suggestion.directory}, `);
    expect((await terminal(beckon, ['suggestions'])).stdout).toBe('Nothing is suggested.\n');

    const told = await terminal(beckon, ['insights', '--days', '7']);
    expect(told.stdout).toMatch(/: 3 asks, 0 still open; 3 waited .+ \(median\), .+ \(90 %\), .+ in all\n/);
    expect(told.stdout).toContain('3  Bash npm test  3 allowed, 0 denied, 0 without asking');
    expect(told.stdout).toContain('3  whoever has the token');
    const figures = JSON.parse((await terminal(beckon, ['insights', '--json'])).stdout);
    expect(figures).toMatchObject({ asked: 3, decidedBy: [{ who: 'token', count: 3 }] });
    const none = await terminal(beckon, ['insights', '--project', '/nowhere']);
    expect(none.stdout).toMatch(/^Nothing was asked from /);
    expect((await terminal(beckon, ['insights', '--days', '0'])).stderr).toContain('--days takes a number');
  });
});
