import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { violationsOf } from './accessibility.ts';
import { withScripted } from './with-scripted.ts';

const scripted = withScripted('Mend the tests');

describe('suggestions from what was allowed before', () => {
  it('[POL14] [POL16] stand under the buttons of the fourth like ask, are taken by a second press, and hold there', async () => {
    const { beckon, agent } = scripted;
    const { sessionId } = agent;
    const ask = (id: string, command: string) => ({ id, input: { command } });
    const allow = async (id: string, command: string): Promise<void> => {
      const [requestId] = await agent.script({ ask: [ask(id, command)] });
      await beckon.api('POST', `/api/sessions/${sessionId}/approve`, { requestId });
    };
    for (const turn of [1, 2, 3]) {
      await allow(`test-${turn}`, 'npm test');
      await allow(`lint-${turn}`, 'npm run lint');
    }
    await agent.script({ ask: [ask('fourth', 'npm test')] });
    const { page, problems } = await scripted.come(`/s/${sessionId}`);
    const card = page.getByRole('main').locator('[data-ask]');
    await card.getByText('You allowed npm test 3 times in one session and never denied it.').waitFor();
    // Never the button that stands out, and one press more than all others.
    await card.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await card.getByRole('button', { name: 'Always allow here…' }).click();
    const panel = card.getByRole('group', { name: 'Allow it without asking?' });
    await panel.getByText('npm test && any-program').waitFor();
    expect((await beckon.api('GET', '/api/grants')).body.grants).toEqual([]);
    expect(await violationsOf(page)).toEqual([]);
    await panel.getByRole('button', { name: /^Always allow in / }).click();
    await eventually('the agent was told', async () => (await agent.told()).fourth !== undefined);
    const { body } = await beckon.api('GET', `/api/sessions/${sessionId}`);
    const { cwd, realCwd = cwd } = body.session;
    expect((await beckon.api('GET', '/api/grants')).body.grants).toMatchObject([
      { toolName: 'Bash', pattern: 'npm test', literal: true, scope: 'always', directory: realCwd },
    ]);
    await agent.script({ ask: [ask('fifth', 'npm test')], isGranted: true });
    await eventually('nobody was asked', async () => (await agent.told()).fifth !== undefined);

    await page.goto(new URL('/settings', page.url()).href);
    const list = page.getByRole('region', { name: 'Suggestions' });
    await list.getByText('You allowed npm run lint 3 times in one session and never denied it.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await list.getByRole('button', { name: 'Not again: Bash npm run lint' }).click();
    await list.getByText(/^What you allow often and never deny/).waitFor();
    expect((await beckon.api('GET', '/api/suggestions')).body.suggestions).toEqual([]);
    expect(problems).toEqual([]);
  });
});
