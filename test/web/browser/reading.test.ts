import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, drawn, phone, type View, withBrowser } from './browser.ts';
import { storeSession } from './stored-session.ts';
import { everyday, long } from './told-conversations.ts';

const { come } = withBrowser();

const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });

const changed = (page: Page) =>
  conversation(page).getByRole('button', { name: /Edited src\/server\/cart-store/ });

async function withEveryday(view?: View) {
  const dataDir = await temporaryDirectory();
  await storeSession(dataDir, { id: 'ses_everyday', title: 'Keep the cart', events: everyday });
  const beckon = await startBeckon({ dataDir });
  return { ...(await come(beckon, '/s/ses_everyday', view)), beckon };
}

describe('reading an agent’s work', () => {
  it.each([
    ['light', { ...desktop, theme: 'light' }],
    ['dark', { ...desktop, theme: 'dark' }],
  ] as const)(
    '[UI26] shows a change in the colours of its language, side by side if one likes: %s',
    async (_, view) => {
      const { page, problems } = await withEveryday(view);
      await changed(page).scrollIntoViewIfNeeded();
      await changed(page).click();
      const line = conversation(page).getByText('find(sessionId: string): Cart | undefined {').first();
      await conversation(page).locator('.bg-done-tint .code-function').first().waitFor();
      await line.waitFor();
      expect(await violationsOf(page)).toEqual([]);
      const isBeside = (): Promise<boolean> =>
        conversation(page).evaluate((element) => {
          const [gone, come] = ['.bg-fail-tint', '.bg-done-tint'].map((each) =>
            element.querySelector(each)?.getBoundingClientRect(),
          );
          return gone !== undefined && come !== undefined && come.left >= gone.right && come.top === gone.top;
        });
      expect(await isBeside()).toBe(false);
      await line.hover();
      await page.getByRole('button', { name: 'Show side by side' }).click();
      await expect.poll(isBeside).toBe(true);
      expect(await violationsOf(page)).toEqual([]);
      await page.reload();
      await changed(page).scrollIntoViewIfNeeded();
      await changed(page).click();
      await expect.poll(isBeside).toBe(true);
      await page.getByRole('button', { name: 'Show line by line' }).waitFor();
      expect(problems).toEqual([]);
    },
  );

  it('[UI26] gives a link to one message, which leads there', async () => {
    const { page, beckon } = await withEveryday();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const text = conversation(page).getByText('I remove the unused variable.');
    await text.hover();
    await text
      .locator('xpath=ancestor::*[@data-entry]')
      .getByRole('button', { name: 'Copy a link to this' })
      .click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(new RegExp(`^${beckon.url}/s/ses_everyday\\?at=\\d+$`));
    await page.goto(link);
    const row = page.locator('[aria-current=location]');
    await row.getByText('I remove the unused variable.').waitFor();
  });

  it('[UI26] goes from one’s own message to the next, by keys and by buttons, also to one not read yet', async () => {
    const dataDir = await temporaryDirectory();
    await storeSession(dataDir, { id: 'ses_long', title: 'Long', events: long(2_000) });
    const beckon = await startBeckon({ dataDir });
    const { page } = await come(beckon, '/s/ses_long');
    await conversation(page).getByText('You:').first().waitFor({ state: 'attached' });
    await drawn(page);
    const current = page.locator('[aria-current=location]');
    const seen: string[] = [];
    const jumped = async (jump: () => Promise<void>): Promise<string> => {
      const before = seen.at(-1);
      await jump();
      const name = (): Promise<string | null> => current.getAttribute('data-entry');
      await expect.poll(name).not.toBe(before);
      const found = (await name()) ?? '';
      seen.push(found);
      await expect
        .poll(() =>
          conversation(page).evaluate((element, key) => {
            const row = element.querySelector(`[data-entry="${key}"]`);
            return row === null
              ? null
              : Math.round(row.getBoundingClientRect().top - element.getBoundingClientRect().top);
          }, found),
        )
        .toBe(0);
      return found;
    };
    for (let press = 0; press < 12; press += 1) await jumped(() => page.keyboard.press('Alt+ArrowUp'));
    expect(new Set(seen).size).toBe(12);
    const back = await jumped(() => page.getByRole('button', { name: 'Your message after' }).click());
    expect(back).toBe(seen[10]);
    const again = await jumped(() => page.getByRole('button', { name: 'Your message before' }).click());
    expect(again).toBe(seen[11]);

    // By touch, too: there the words and a link to them can be taken along without hovering.
    const touched = await come(beckon, '/s/ses_long', phone);
    await touched.context.grantPermissions(['clipboard-write']);
    const own = touched.page.locator('[aria-current=location]');
    await conversation(touched.page).getByText('You:').first().waitFor({ state: 'attached' });
    await touched.page.getByRole('button', { name: 'Your message before' }).tap();
    const marked = await own.getAttribute('data-entry', { timeout: 20_000 });
    const said = touched.page.locator(`[data-entry="${marked}"]`);
    for (const name of ['Copy the text', 'Copy a link to this']) {
      const target = await said.getByRole('button', { name }).boundingBox();
      expect(target?.width).toBeGreaterThanOrEqual(44);
      expect(target?.height).toBeGreaterThanOrEqual(44);
      await said.getByRole('button', { name }).tap({ trial: true });
    }
    for (const name of ['Your message before', 'Your message after']) {
      const target = await touched.page.getByRole('button', { name }).boundingBox();
      expect(Math.min(target?.width ?? 0, target?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
    await said.getByRole('button', { name: 'Copy a link to this' }).tap();
    await said.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await violationsOf(touched.page)).toEqual([]);
  });
});
