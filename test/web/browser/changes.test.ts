import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { drawn, phone, withBrowser } from './browser.ts';
import { changedRepository, numbered } from './changed-repository.ts';
import { mainThreadDuring, report } from './figures.ts';

const { come } = withBrowser();

const panelOf = (page: Page): Locator => page.getByRole('region', { name: /^(Changes|Änderungen)$/ });
const linesOf = (page: Page): Locator =>
  page.getByRole('region', { name: /^(Changed lines|Geänderte Zeilen)$/ });
const filesOf = (page: Page): Locator =>
  page.getByRole('navigation', { name: /^(Changed files|Geänderte Dateien)$/ });

describe('changes beside the conversation', () => {
  it('[CHG25] show what the agent did to the files, live, beside the conversation, and follow it', async () => {
    const { beckon, id, turn } = await changedRepository({
      'story.txt': numbered(1, 40),
      'kept.ts': 'const a = 1;\n',
    });
    const { page, problems } = await come(beckon, `/s/${id}`);
    await turn('sed -i s/20/twenty/ story.txt');
    const button = page.getByRole('button', { name: /^Changes/ });
    await expect.poll(() => button.textContent()).toBe('Changes+1−1');
    await button.click();
    const panel = panelOf(page);
    await panel.getByText('1 file', { exact: true }).waitFor();
    await linesOf(page).getByText('line twenty', { exact: true }).waitFor();
    expect(page.url()).toMatch(/\/changes$/);
    // The conversation is still there, and what the agent does next comes by itself.
    await page.getByRole('region', { name: 'Conversation' }).waitFor();
    await turn('printf "const a = 2;\\n" > kept.ts');
    await linesOf(page).getByText('const a = 2;').waitFor();
    await panel.getByText('2 files', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(page.url()).not.toMatch(/changes/);
  });

  it('[CHG26] [CHG27] [CHG30] are read by keys and address: since when, whose, images, folds, side by side', async () => {
    const { beckon, id, write, turn } = await changedRepository({
      'long.txt': numbered(1, 200),
      'mine.txt': 'one\n',
      'picture.png': pixel,
      'src/deep/app.ts': 'export const step = 1;\n',
    });
    await turn('sed -i s/^line.100$/changed/ long.txt; rm picture.png');
    write('mine.txt', 'two\n');
    await turn('sed -i s/1/2/ src/deep/app.ts');
    const { page, problems } = await come(beckon, `/s/${id}/changes?file=src/deep/app.ts`);
    const lines = linesOf(page);
    await lines.getByText('export const step = 2;').waitFor();
    await expect.poll(() => lines.locator('.bg-done-edge').allTextContents()).toEqual(['2']);
    // What a person did between the turns is told apart.
    await panelOf(page).getByText('Outside of them').click();
    await expect.poll(() => headersIn(page)).toEqual(['mine.txt']);
    await panelOf(page).getByText('All', { exact: true }).click();
    await expect.poll(() => headersIn(page)).toContain('long.txt');
    // An image as it was before it went.
    await page.goto(`${beckon.url}/s/${id}/changes?file=picture.png`);
    await lines.getByRole('img', { name: 'Before: picture.png' }).waitFor();
    await lines.getByText('Before · 1 × 1').waitFor();
    await page.goto(`${beckon.url}/s/${id}/changes?file=long.txt`);
    await lines.getByText('96 unchanged lines').click();
    await lines.getByText('line 5', { exact: true }).waitFor();
    await page.keyboard.press('u');
    expect(await lines.locator('[data-split]').count()).toBe(0);
    await page.getByRole('button', { name: 'Give the changes all the room' }).click();
    await lines.locator('[data-split]').first().waitFor();
    await page.keyboard.press('u');
    await lines.locator('[data-split]').first().waitFor({ state: 'detached' });
    // Only the last turn, remembered for the next time.
    await page.getByRole('button', { name: 'Since the session began' }).click();
    await page.getByRole('menuitemradio', { name: 'In the last turn' }).click();
    await expect.poll(() => headersIn(page)).toEqual(['src/deep/app.ts']);
    await page.goto(`${beckon.url}/s/${id}`);
    await page.getByRole('button', { name: /^Changes/ }).waitFor();
    await drawn(page);
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'In the last turn' }).waitFor();
    await page.getByRole('button', { name: 'In the last turn' }).click();
    await page.getByRole('menuitemradio', { name: 'Since the last commit' }).click();
    await expect.poll(() => headersIn(page)).toContain('mine.txt');
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('[CHG28] [CHG30] of 5,000 files and of 50,000 lines are drawn as far as they are in view', async () => {
    const { beckon, id, write } = await changedRepository({ 'a/big.txt': numbered(1, 50_000) });
    write('a/big.txt', numbered(1, 50_000).replaceAll('line', 'row'));
    for (let at = 1; at <= 5_000; at += 1) write(`many/file-${at}.txt`, `${at}\n`);
    const { page } = await come(beckon, `/s/${id}/changes?since=commit`);
    const lines = linesOf(page);
    await panelOf(page).getByText('5,001 files').waitFor();
    const rows = (): Promise<number> => lines.locator('[data-index]').count();
    expect(await rows()).toBeLessThan(120);
    // A long change is opened by a press, and is all there.
    const opening = await mainThreadDuring(page, async () => {
      await lines.getByRole('button', { name: /big\.txt/ }).click();
      await lines.getByText('line 1', { exact: true }).waitFor();
    });
    const scrolling = await mainThreadDuring(page, () => scrollThrough(lines));
    await panelOf(page).focus();
    await page.keyboard.press('j');
    await lines.locator('[data-file="many/file-1.txt"]').waitFor();
    await lines.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await lines.locator('[data-file="many/file-999.txt"]').waitFor();
    await lines.getByText('999', { exact: true }).first().waitFor();
    report({ opening, scrolling, drawn: await rows() });
    await expect.poll(rows).toBeLessThan(200);
    expect(scrolling.tasks).toBeGreaterThan(100);
    expect(scrolling.overFifty / scrolling.tasks).toBeLessThan(0.02);
  }, 180_000);

  it('[CHG25] [CHG31] have a view of their own on the phone, in German, and say why there are none', async () => {
    const { beckon, id, turn } = await changedRepository({ 'story.txt': numbered(1, 40) });
    await turn('sed -i s/20/zwanzig/ story.txt');
    const { page } = await come(beckon, `/s/${id}`, { ...phone, language: 'de' });
    await page.getByRole('button', { name: /^Änderungen/ }).click();
    await linesOf(page).getByText('line zwanzig').waitFor();
    expect(await page.getByRole('region', { name: 'Gespräch' }).isVisible()).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Liste der Dateien' }).click();
    await filesOf(page)
      .getByRole('button', { name: /story\.txt/ })
      .click();
    await linesOf(page).getByText('line zwanzig').waitFor();
    await page.getByRole('button', { name: 'Zurück zum Gespräch' }).click();
    await page.getByRole('region', { name: 'Gespräch' }).waitFor();
    const { body } = await beckon.api('POST', '/api/sessions', {
      agent: 'demo',
      cwd: await temporaryDirectory(),
    });
    await page.goto(`${beckon.url}/s/${body.session.id}/changes`);
    await page.getByRole('heading', { name: 'Kein Git-Repository' }).waitFor();
  });
});

/** The files whose lines are drawn, in their order. */
const headersIn = (page: Page): Promise<(string | null)[]> =>
  linesOf(page)
    .locator('[data-file]')
    .evaluateAll((found) => found.map((each) => each.getAttribute('data-file')));

const scrollThrough = (lines: Locator): Promise<void> =>
  lines.evaluate(async (box) => {
    for (let step = 0; step < 80; step += 1) {
      box.scrollBy(0, step < 60 ? 900 : 40_000);
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
    }
  });

/** One dot. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
