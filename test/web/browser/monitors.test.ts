import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { phone, withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser();
const asking = { title: 'Tests', prompt: 'run npm test', status: 'waiting' };

describe('a monitor in a browser', () => {
  it('[UI1] says where its session works: project, branch and agent, and follows the branch', async () => {
    const cwd = join(await temporaryDirectory(), 'web-shop');
    mkdirSync(join(cwd, '.git'), { recursive: true });
    writeFileSync(join(cwd, '.git/HEAD'), 'ref: refs/heads/feature/cart\n');
    const beckon = await startBeckon();
    const [id = ''] = await startSessions(beckon, [{ title: 'Cart', prompt: 'hello', status: 'idle' }], cwd);
    const { page, problems } = await come(beckon);
    const monitor = page.getByRole('article', { name: 'Cart' });
    await monitor.getByText('feature/cart').waitFor();
    expect(await monitor.getByText('web-shop', { exact: true }).getAttribute('title')).toBe(cwd);
    await monitor.getByText('demo', { exact: true }).waitFor();
    writeFileSync(join(cwd, '.git/HEAD'), 'ref: refs/heads/fix/typo\n');
    await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'hello' });
    await monitor.getByText('fix/typo').waitFor();
    expect(problems).toEqual([]);
  });

  it('[UI1] is as tall as what it asks, and has its composer beside it', async () => {
    const beckon = await startBeckon();
    const cwd = await temporaryDirectory();
    await startSessions(beckon, [asking], cwd);
    const { page } = await come(beckon);
    const monitor = page.getByRole('article', { name: 'Tests' });
    await monitor.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await expect.poll(async () => (await monitor.boundingBox())?.height).toBeLessThan(320);
    const composer = monitor.getByRole('textbox', { name: 'Message to Tests' });
    await expect.poll(() => composer.evaluate(isSeen)).toBe(true);
  });

  it('[UI6] [UI1] takes the answers to a whole questionnaire in its place', async () => {
    const beckon = await startBeckon();
    await startSessions(
      beckon,
      [{ title: 'Survey', prompt: 'questions', status: 'waiting' }],
      await temporaryDirectory(),
    );
    const { page, problems } = await come(beckon, '/', phone);
    const monitor = page.getByRole('article', { name: 'Survey' });
    const questions = monitor.locator('fieldset');
    await expect.poll(() => questions.count()).toBeGreaterThan(1);
    for (const question of await questions.all()) await question.locator('input').first().check();
    expect(await violationsOf(page)).toEqual([]);
    await monitor.getByRole('button', { name: 'Answer', exact: true }).click();
    await monitor.getByText(/I got these answers/).waitFor();
    expect(problems).toEqual([]);
  });
});

/** For Playwright, what is transparent is visible. */
function isSeen(element: Element): boolean {
  for (let at: Element | null = element; at !== null; at = at.parentElement)
    if (getComputedStyle(at).opacity === '0' || getComputedStyle(at).visibility === 'hidden') return false;
  return true;
}
