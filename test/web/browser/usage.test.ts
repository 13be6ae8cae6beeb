import { describe, expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser();

describe('what all sessions took', () => {
  it('[UI27] is shown as a bar for each day, and in a table by day, agent and project', async () => {
    const beckon = await startBeckon();
    const cwd = await temporaryDirectory();
    await startSessions(beckon, [{ title: 'One', prompt: 'slow 3', status: 'idle' }], cwd);
    const { body } = await beckon.api('GET', '/api/usage?days=2');
    expect(body.usage).toMatchObject([{ agent: 'demo', turns: 1 }]);
    const { page, problems } = await come(beckon, '/settings');
    const section = page.getByRole('region', { name: 'Usage' });
    await section.getByRole('button', { name: 'Project' }).click();
    await section.getByRole('rowheader').first().waitFor();
    await expect
      .poll(() => section.getByRole('rowheader').first().getAttribute('title'))
      .toBe(body.usage[0].project);
    await expect.poll(() => section.locator('rect').count()).toBe(30);
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
