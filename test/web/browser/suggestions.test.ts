import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { violationsOf } from './accessibility.ts';
import { withScripted } from './with-scripted.ts';

const scripted = withScripted('Mend the tests');

describe('suggestions from what was allowed before', () => {
  it('[POL14] [POL16] [INS4] stand under the buttons of the fourth like ask, are taken by a second press, hold there, and are told of by figures', async () => {
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
    await expect.poll(async () => (await beckon.api('GET', '/api/suggestions')).body.suggestions).toEqual([]);

    await page.getByRole('link', { name: 'How long agents waited for you' }).click();
    await page.getByRole('heading', { name: 'Insights', level: 1 }).waitFor();
    const { body: figures } = await beckon.api('GET', '/api/insights?days=30');
    const hours = page.getByRole('region', { name: 'When agents waited' });
    await expect.poll(() => hours.locator('rect[fill="currentColor"]').count()).toBe(24);
    await hours.getByText('As a table').click();
    await expect.poll(() => hours.getByRole('row').count()).toBe(25);
    const most = page.getByRole('region', { name: 'Asked most' }).getByRole('row');
    await expect
      .poll(() => most.nth(1).getByRole('cell').allInnerTexts())
      .toEqual([5, 5, 0, 1].map((count) => String(count)));
    const deciders = page.getByRole('region', { name: 'Who decided' });
    await deciders.getByRole('rowheader', { name: 'Standing approvals' }).waitFor();
    expect(figures.decidedBy.map(({ who }: { who: string }) => who).sort()).toEqual([
      'device',
      'grant',
      'token',
    ]);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Period' }).selectOption('7');
    await page
      .getByRole('region', { name: 'Day by day' })
      .locator('rect[fill="currentColor"]')
      .nth(6)
      .waitFor({ state: 'attached' });
    expect(problems).toEqual([]);
  });
});
