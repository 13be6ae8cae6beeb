import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { longestText } from '../../../src/protocol/text-limit.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, type Visit, withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';
import { focused } from './focus.ts';

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
let id: string;
beforeAll(async () => {
  beckon = await startBeckon();
  const talk = { title: 'Talk', prompt: 'hello', status: 'idle' };
  [id = ''] = await startSessions(beckon, [talk], await temporaryDirectory());
});

const log = Array.from({ length: 214 }, (_, at) => `line ${at + 1} of the log`).join('\n');
const delimited = `<pasted-text lines="214">\n${log}\n</pasted-text>`;

const fieldIn = (page: Page) => page.getByRole('main').getByRole('textbox', { name: 'Message to Talk' });
const chipIn = (page: Page, lines = 214) =>
  page
    .getByRole('list', { name: 'Pasted texts' })
    .getByRole('button', { name: `Pasted text, ${lines} lines` });

/** A person with a text on the clipboard. */
async function comeWith(text: string, path: string, view = desktop): Promise<Visit> {
  const visit = await come(beckon, path, view);
  await visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await visit.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  return visit;
}

async function lastTaken(): Promise<string> {
  const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
  const taken = body.events.filter(({ type }: { type: string }) => type === 'message.taken');
  return taken.at(-1).text;
}

describe('a long text that is pasted', () => {
  it('[UI30] [MSG8] is a chip that is looked at, changed, kept over a reload and in two tabs, and sent behind what was typed', async () => {
    const { page, context, problems } = await comeWith(log, `/s/${id}`);
    await fieldIn(page).focus();
    await page.keyboard.type('What is wrong here?');
    await page.keyboard.press('Control+V');
    await chipIn(page).waitFor();
    await expect.poll(() => fieldIn(page).inputValue()).toBe('What is wrong here?');
    await page.reload();
    await chipIn(page).click();
    const dialog = page.getByRole('dialog', { name: 'Pasted text, 214 lines' });
    const whole = dialog.getByRole('textbox');
    await expect.poll(() => whole.inputValue()).toBe(log);
    expect(await violationsOf(page)).toEqual([]);
    await whole.press('Control+End');
    await page.keyboard.type('\nthe end');
    await page.keyboard.press('Escape');
    await chipIn(page, 215).waitFor();
    const other = await context.newPage();
    await other.goto(`${beckon.url}/s/${id}`);
    await chipIn(other, 215).waitFor();
    await other.getByRole('button', { name: 'Remove the pasted text' }).click();
    await chipIn(page, 215).waitFor({ state: 'detached' });
    await fieldIn(page).focus();
    await page.keyboard.press('Control+V');
    await chipIn(other).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(lastTaken, { timeout: 20_000 }).toBe(`What is wrong here?\n\n${delimited}`);
    await chipIn(other).waitFor({ state: 'detached' });

    const said = page.getByRole('main').getByRole('button', { name: 'Pasted text, 214 lines' });
    await page.getByText('What is wrong here?', { exact: true }).waitFor();
    await said.click();
    await said.locator('xpath=..').getByText('line 3 of the log').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('[UI30] undone at once, or on request, is text in the field; short ones are from the beginning', async () => {
    const { page } = await comeWith(log, `/s/${id}`);
    await fieldIn(page).focus();
    await page.keyboard.type('<>');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+V');
    await chipIn(page).waitFor();
    await page.keyboard.press('Control+Z');
    await expect.poll(() => fieldIn(page).inputValue()).toBe(`<${log}>`);
    await chipIn(page).waitFor({ state: 'detached' });
    // Pasted over what is selected, it takes its place.
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+V');
    await chipIn(page).click();
    await expect.poll(() => fieldIn(page).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Put into the field' }).click();
    await expect.poll(() => fieldIn(page).inputValue()).toBe(log);
    await chipIn(page).waitFor({ state: 'detached' });
    await focused(fieldIn(page));
    await fieldIn(page).fill('');
    await page.evaluate(() => navigator.clipboard.writeText('one\ntwo'));
    await fieldIn(page).press('Control+V');
    await expect.poll(() => fieldIn(page).inputValue()).toBe('one\ntwo');
    await fieldIn(page).fill('');
  });

  it('[UI30] [MSG8] is sent alone from a monitor, and starts a session that is not called by its first tag', async () => {
    const { page, problems } = await comeWith(log, '/', { ...phone, theme: 'dark' });
    await fieldIn(page).focus();
    await page.keyboard.press('Control+V');
    await chipIn(page).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    await page.keyboard.press('Enter');
    await expect.poll(lastTaken, { timeout: 20_000 }).toBe(delimited);
    await page.getByRole('article', { name: 'Talk' }).getByText('You: [Pasted text, 214 lines]').waitFor();
    await chipIn(page).waitFor({ state: 'detached' });

    await page.keyboard.press('Escape');
    await fieldIn(page).blur();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New session' });
    await focused(dialog.getByRole('textbox', { name: 'First message' }));
    await page.keyboard.press('Control+V');
    await dialog.getByRole('button', { name: 'Pasted text, 214 lines' }).waitFor();
    await dialog.getByRole('button', { name: /^Start/ }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'line 1 of the log' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('[MSG8] that is longer than a message may be is not sent, and says so', async () => {
    const { page } = await comeWith('x'.repeat(longestText), `/s/${id}`);
    await fieldIn(page).focus();
    await page.keyboard.press('Control+V');
    await chipIn(page, 1)
      .or(page.getByRole('button', { name: 'Pasted text, 1 line' }))
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('This is too long: a message has up to 4,000,000 characters.').waitFor();
    await page.getByRole('button', { name: 'Remove the pasted text' }).click();
  });
});
