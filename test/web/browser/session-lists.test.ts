import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { storeSessions } from '../../../bench/stored-sessions.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { drawn, withBrowser } from './browser.ts';
import { startSessions, threeSessions } from './demo-sessions.ts';

const { come } = withBrowser();

const sidebar = (page: Page): Locator => page.getByRole('complementary', { name: 'Sessions' });
const row = (page: Page, title: string): Locator => sidebar(page).getByRole('link', { name: title });
const say = (beckon: Beckon, id: string, message: string) =>
  beckon.api('POST', `/api/sessions/${id}/message`, { message });

describe('what is new in a browser', () => {
  it('[UI21] is marked when a turn ended out of sight, until its end was on the screen, for this browser', async () => {
    const beckon = await startBeckon();
    const greet = threeSessions.slice(0, 1);
    const [here = ''] = await startSessions(beckon, greet, await temporaryDirectory());
    const [there = ''] = await startSessions(
      beckon,
      [{ title: 'Elsewhere', prompt: 'hello', status: 'idle' }],
      await temporaryDirectory(),
    );
    const { page, problems } = await come(beckon, `/s/${here}`);
    const unread = row(page, 'Elsewhere').getByText('new', { exact: true });
    await row(page, 'Elsewhere').waitFor();
    expect(await unread.count()).toBe(0);
    await say(beckon, there, 'a thought');
    await unread.waitFor();
    expect(await row(page, 'Greet').getByText('new', { exact: true }).count()).toBe(0);
    await page.reload();
    await unread.waitFor();
    // A new name is no news.
    await beckon.api('PATCH', `/api/sessions/${here}`, { title: 'Renamed' });
    await row(page, 'Renamed').waitFor();
    expect(await row(page, 'Renamed').getByText('new', { exact: true }).count()).toBe(0);

    await row(page, 'Elsewhere').click();
    await page.getByText('You said: “a thought”').waitFor();
    await unread.waitFor({ state: 'detached' });
    await page.reload();
    await row(page, 'Elsewhere').waitFor();
    expect(await unread.count()).toBe(0);

    // Its page is open, and what it says is below the screen.
    await page.setViewportSize({ width: 1440, height: 420 });
    await say(beckon, there, 'help');
    const said = page.getByRole('region', { name: 'Conversation' });
    await expect.poll(() => said.evaluate((box) => box.scrollHeight - box.clientHeight)).toBeGreaterThan(200);
    await said.evaluate((box) => box.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Latest' }).waitFor();
    await say(beckon, there, 'another thought');
    await unread.waitFor();
    await page.keyboard.press('End');
    await unread.waitFor({ state: 'detached' });

    await say(beckon, here, 'run npm test');
    await row(page, 'Renamed').getByText('new', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('filtering in a browser', () => {
  it('[UI22] the sidebar is narrowed by status, project and label, ordered by title, and stays so after a reload', async () => {
    const beckon = await startBeckon();
    const [first = ''] = await startSessions(beckon, threeSessions, await temporaryDirectory());
    const other = await temporaryDirectory();
    await startSessions(beckon, [{ title: 'Another place', prompt: 'hello', status: 'idle' }], other);
    await beckon.api('PATCH', `/api/sessions/${first}`, { labels: ['docs'] });
    const { page, problems } = await come(beckon, '/inbox');
    const titles = (): Promise<string[]> =>
      sidebar(page).locator('a[href^="/s/"] span.truncate').allTextContents();
    await sidebar(page).getByRole('button', { name: 'Filter and sort' }).click();
    const choose = (name: string, option: string) =>
      sidebar(page).getByRole('combobox', { name }).selectOption(option);
    await choose('Status', 'idle');
    await expect.poll(titles).toEqual(['Another place', 'Greet the new contributors']);
    await choose('Project', other);
    await expect.poll(titles).toEqual(['Another place']);
    await sidebar(page).getByRole('button', { name: 'Show all' }).click();
    await sidebar(page).getByRole('button', { name: 'docs', exact: true }).click();
    await expect.poll(titles).toEqual(['Greet the new contributors']);
    await sidebar(page).getByRole('button', { name: 'Show all' }).click();
    await choose('Status', 'idle');
    await choose('Order', 'title');
    await beckon.api('PATCH', `/api/sessions/${first}`, { title: 'A first one' });
    await expect.poll(titles).toEqual(['A first one', 'Another place']);
    await page.reload();
    await expect.poll(titles).toEqual(['A first one', 'Another place']);
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('two thousand sessions in a browser', () => {
  it('[UI22] [UI15] [UI33] hold up neither the lists nor the palette', async () => {
    const dataDir = await temporaryDirectory();
    await storeSessions(
      dataDir,
      Array.from({ length: 2_000 }, () => 3),
    );
    const beckon = await startBeckon({ dataDir });
    const { page, problems } = await come(beckon, '/board');
    for (let left = 1800; left > 0; left -= 200)
      await page
        .locator('main')
        .getByRole('button', { name: `Show older (${left.toLocaleString('en')})` })
        .first()
        .click();
    await page.locator('main').getByText('2000').first().waitFor();
    // A column draws hundreds of them, and more on demand.
    await page.locator('main').getByRole('button', { name: 'Show 400 more' }).click();
    await expect.poll(() => page.locator('[data-card]').count()).toBe(800);
    await page.keyboard.press('Control+k');
    const options = page.getByRole('dialog').getByRole('option');
    await options.first().waitFor();
    const isInView = (option: Locator): Promise<boolean> =>
      option.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        const list = element.closest('[role=listbox]')?.getBoundingClientRect();
        return list !== undefined && top >= list.top - 1 && bottom <= list.bottom + 1;
      });
    const chosen = page.getByRole('dialog').getByRole('option', { selected: true });
    const all = Number(await options.first().getAttribute('aria-setsize'));
    expect(all).toBeGreaterThan(2_000);
    for (const [key, place] of [
      ['End', all],
      ['ArrowUp', all - 1],
      ['PageUp', all - 11],
      ['Home', 1],
      ['ArrowUp', all],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => chosen.getAttribute('aria-posinset'), { timeout: 20_000 }).toBe(String(place));
      await expect.poll(() => isInView(chosen)).toBe(true);
      await expect.poll(() => options.count()).toBeLessThan(130);
    }
    // Scrolled on by hand, the list goes on, and what was looked at stays where it was.
    await drawn(page);
    const first = await options.first().getAttribute('aria-posinset');
    await page.getByRole('listbox').evaluate((list) => list.scrollTo(0, 0));
    await expect
      .poll(() => options.first().getAttribute('aria-posinset'), { timeout: 20_000 })
      .not.toBe(first);
    await expect
      .poll(() => isInView(page.locator(`[aria-posinset="${first}"]`)), { timeout: 20_000 })
      .toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.type('ses_bench_1733');
    await page
      .getByRole('option', { name: /ses_bench_1733\b/ })
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  });
});
