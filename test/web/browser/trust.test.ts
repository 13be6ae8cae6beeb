import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { violationsOf } from './accessibility.ts';
import { withScripted } from './with-scripted.ts';

const scripted = withScripted('Mend the build');

describe('a time of trust', () => {
  it('[POL13] [POL10] is given after it was said what it means, counts down everywhere, and is ended by a press', async () => {
    const { beckon, agent } = scripted;
    const { page, problems } = await scripted.come(`/s/${agent.sessionId}`);
    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Actions for Mend the build' }).click();
    await page.getByRole('menuitem', { name: 'Allow everything for a while…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Allow everything for a while?' });
    await dialog.getByText('You are still asked for:').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('radio', { name: '5 minutes', exact: true }).check();
    await dialog.getByRole('button', { name: 'Allow everything for 5 minutes' }).click();

    const bar = main.locator('[data-trust]');
    await bar.getByText(/^Everything is allowed for [45]:\d\d$/).waitFor();
    await page
      .getByText(/of trust left/)
      .first()
      .waitFor();
    const ask = (id: string, command: string) => ({ id, input: { command } });
    await agent.script({ ask: [ask('t1', 'npm test'), ask('t2', 'npm run build')], isGranted: true });
    await bar.getByText('2 calls so far').waitFor();
    expect(
      await eventually('both were told', async () => {
        const { t1, t2 } = await agent.told();
        return t1 !== undefined && t2 !== undefined && [t1, t2];
      }),
    ).toMatchObject([[{ behavior: 'allow' }], [{ behavior: 'allow' }]]);
    await agent.script({ ask: [ask('t3', 'sudo rm x')] });
    await main.locator('[data-ask]').getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await page.goto(new URL('/', page.url()).href);
    const monitor = page.getByRole('article', { name: 'Mend the build' });
    await monitor.getByText('2 calls so far').waitFor();
    await monitor.getByRole('button', { name: /^End now: the time of trust of Mend/ }).click();
    await monitor.locator('[data-trust]').waitFor({ state: 'detached' });
    const { body } = await beckon.api('GET', `/api/sessions/${agent.sessionId}`);
    expect(body.session.trust).toBeUndefined();

    await page.goto(new URL(`/s/${agent.sessionId}`, page.url()).href);
    await page.getByText('The time of trust is over: 2 calls were allowed meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Show them' }).click();
    await main.getByRole('listitem').filter({ hasText: 'npm run build' }).waitFor();
    expect(problems).toEqual([]);
  });
});
