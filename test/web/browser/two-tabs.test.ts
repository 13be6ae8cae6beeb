import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser();

const reasonIn = (page: Page) => page.getByRole('main').locator('[data-ask] textarea');

async function begin(page: Page, reason: string): Promise<void> {
  const deny = page.getByRole('main').getByRole('button', { name: 'Deny', exact: true });
  await expect.poll(() => deny.getAttribute('aria-disabled')).toBeNull();
  await deny.click();
  await reasonIn(page).fill(reason);
}

it('[UI7] what is typed for one ask is not lost by typing for another in a second tab', async () => {
  const beckon = await startBeckon();
  const asking = ['one', 'two'].map((title) => ({ title, prompt: `run echo ${title}`, status: 'waiting' }));
  const [one = '', two = ''] = await startSessions(beckon, asking, await temporaryDirectory());
  const { page, context } = await come(beckon, `/s/${one}`);
  const other = await context.newPage();
  await other.goto(`${beckon.url}/s/${two}`);
  await begin(page, 'not this one');
  await begin(other, 'nor this');
  await reasonIn(page).fill('not this one, please');
  await Promise.all([page.reload(), other.reload()]);
  await expect.poll(() => reasonIn(page).inputValue()).toBe('not this one, please');
  await expect.poll(() => reasonIn(other).inputValue()).toBe('nor this');

  // The same ask in both: what was typed is there in the other, and what was opened here stays shut there.
  await other.goto(`${beckon.url}/s/${one}`);
  await expect.poll(() => reasonIn(other).inputValue()).toBe('not this one, please');
  await reasonIn(page).fill('rather not');
  await expect.poll(() => reasonIn(other).inputValue()).toBe('rather not');
  await other.getByRole('textbox', { name: 'Message to one' }).fill('typed in the other tab');
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Message to one' }).inputValue())
    .toBe('typed in the other tab');
});
