import { afterEach, describe, expect, it } from 'vitest';
import { endBeckons, startBeckon } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { scriptedClaude, startScripted } from '../support/scripted-claude/scripted-claude.ts';

afterEach(endBeckons);

describe('beckon trust', () => {
  it('[POL13] says what it means before it is given, shows it in the list, and lists what was allowed', async () => {
    const beckon = await startBeckon({ args: ['--claude', await scriptedClaude()] });
    const agent = await startScripted(beckon, 'Build');
    const { sessionId } = agent;
    const unread = await beckon.run(['trust', sessionId, '--for', '15m']);
    expect(unread.code).toBe(2);
    expect(unread.stderr).toContain('You are still asked for:');
    expect(unread.stderr).toContain('Say --yes to allow everything for 15 minutes.');
    expect((await beckon.run(['trust', sessionId, '--for', '2h', '--yes'])).stderr).toContain('1m to 60m');
    expect((await beckon.run(['trust', sessionId])).stdout).toBe(
      'There is no time of trust: you are asked.\n',
    );

    const given = await beckon.run(['trust', sessionId, '--for', '1h', '--yes']);
    expect(given.stdout).toMatch(
      /^Everything is allowed for (60 min 0 s|59 min \d+ s); 0 calls were allowed so far\.\n$/,
    );
    await agent.script({ ask: [{ id: 't1', input: { command: 'npm test' } }], isGranted: true });
    await eventually('it was told', async () => (await agent.told()).t1 !== undefined);
    expect((await beckon.run(['ls'])).stdout).toMatch(/trust (60|59) min/);
    expect((await beckon.run(['grants'])).stdout).toMatch(/session {2}everything/);

    // Killed and started again, the server still knows of it.
    await beckon.kill9();
    const again = await startBeckon({ dataDir: beckon.dataDir, args: ['--claude', await scriptedClaude()] });
    const ended = await again.run(['trust', sessionId, '--end']);
    expect(ended.stdout).toMatch(
      /^The time of trust is over: 1 call was allowed meanwhile\.\n {2}Bash: .*npm test\n$/,
    );
    const { body } = await again.api('GET', `/api/sessions/${sessionId}/events?limit=1000`);
    const of = (type: string) => body.events.filter((event: { type: string }) => event.type === type);
    expect(of('grant.ended')).toMatchObject([{ cause: 'revoked', uses: 1, by: { kind: 'person' } }]);
    expect(of('interaction.decided')).toMatchObject([{ by: { kind: 'grant', trust: true } }]);
    expect((await again.run(['trust', sessionId, '--end'])).stdout).toBe('There was no time of trust.\n');
  });
});
