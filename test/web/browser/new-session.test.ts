import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { drawn, withBrowser } from './browser.ts';
import { focused } from './focus.ts';

const { come } = withBrowser();
const patient = { timeout: 20_000 };

/** A folder with two repositories and a plain folder. */
async function workshop(): Promise<string> {
  const home = await temporaryDirectory();
  for (const name of ['api', 'app', 'docs']) await mkdir(join(home, name, '.git'), { recursive: true });
  await writeFile(join(home, 'api', '.git', 'HEAD'), 'ref: refs/heads/fix/login\n');
  await writeFile(join(home, 'app', '.git', 'HEAD'), 'ref: refs/heads/main\n');
  return home;
}

const directoryOf = (page: Page) => page.getByRole('combobox', { name: 'Directory' });
const offers = (page: Page) => page.getByRole('listbox', { name: 'Directories' }).getByRole('option');

async function open(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New session' }).first().waitFor();
  await drawn(page);
  await page.keyboard.press('n');
  await focused(page.getByRole('textbox', { name: 'First message' }));
}

describe('a new session in a browser', () => {
  it('[UI23] [UI8] is started by keyboard alone, in a directory that is completed, with a variable that no browser keeps', async () => {
    const home = await workshop();
    const beckon = await startBeckon();
    const { page, problems } = await come(beckon);
    await open(page);
    await page.keyboard.type('run touch "$MARK"');
    // Past what keeps it as a template.
    await page.keyboard.press('Tab');
    await focused(page.getByRole('button', { name: 'Keep as a template' }));
    await page.keyboard.press('Tab');
    await focused(directoryOf(page));
    await page.keyboard.type(`${home}/a`);
    await expect
      .poll(() => offers(page).allTextContents(), patient)
      .toEqual([`${home}/apifix/login`, `${home}/appmain`]);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: `${home}/api`, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => directoryOf(page).inputValue()).toBe(`${home}/api`);
    await page.getByText('On branch fix/login').waitFor();
    expect(await offers(page).count()).toBe(0);

    await page.getByText('More choices').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add a variable' }).press('Enter');
    await focused(page.getByRole('textbox', { name: 'Name of a variable' }));
    await page.keyboard.type('MARK');
    await page.keyboard.press('Tab');
    await page.keyboard.type('hush.txt');
    expect(await violationsOf(page)).toEqual([]);
    const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(await stored()).not.toContain('hush');
    await page.keyboard.press('Control+Enter');

    await page
      .getByRole('button', { name: /^Allow\b/ })
      .first()
      .waitFor();
    expect(await stored()).not.toContain('hush');
    const { body } = await beckon.api('GET', '/api/pending');
    const [{ sessionId, interactionId }] = body.pending;
    await beckon.api('POST', `/api/sessions/${sessionId}/approve`, { requestId: interactionId });
    await expect.poll(() => readdir(join(home, 'api')), patient).toContain('hush.txt');
    expect(problems).toEqual([]);
  });

  it('[UI23] [SES9] everything that is chosen for it reaches the session, and a title and description the agent', async () => {
    const beckon = await startBeckon();
    const { page, problems } = await come(beckon);
    await open(page);
    await page.getByRole('radio', { name: /Demo agent/ }).check();
    const box = (name: string) => page.getByRole('textbox', { name, exact: true });
    await page.getByRole('combobox', { name: 'Permission mode' }).selectOption('plan');
    await box('Model').fill('large');
    await page.getByText('More choices').click();
    await box('Title').fill('Fix the login');
    await box('First message').fill('x');
    await page.getByText('Not sent: the agent is told the first message instead.').waitFor();
    await box('First message').fill('');
    await box('Description').fill('It fails\nfor long names.');
    await box('Labels').fill('web, urgent');
    await box('Key').fill('SHOP-17');
    await page.getByText('Leave nothing behind').click();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/s\//);
    const { body } = await beckon.api('GET', '/api/sessions/SHOP-17/events');
    const [created, ...others] = body.events;
    expect(created).toMatchObject({
      type: 'session.created',
      title: 'Fix the login',
      labels: ['web', 'urgent'],
      permissionMode: 'plan',
      model: 'large',
      ephemeral: true,
    });
    expect(others.find(({ type }: { type: string }) => type === 'message.queued').text).toBe(
      'Fix the login\n\nIt fails\nfor long names.',
    );
    expect(problems).toEqual([]);
  });

  it('[UI23] begins with what was chosen last, and offers the directories that were used', async () => {
    const home = await workshop();
    const beckon = await startBeckon();
    const { page, problems } = await come(beckon);
    await open(page);
    await directoryOf(page).fill(`${home}/docs`);
    await page.getByRole('combobox', { name: 'Permission mode' }).selectOption('plan');
    await page.getByRole('textbox', { name: 'First message' }).fill('hello');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/s\//);
    await page.goto(`${beckon.url}/`);
    await open(page);
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Permission mode' }).inputValue())
      .toBe('plan');
    await expect.poll(() => directoryOf(page).inputValue()).toBe(`${home}/docs`);
    await directoryOf(page).fill('docs');
    await expect
      .poll(() => offers(page).allTextContents(), patient)
      .toEqual([`${home}/docs`, expect.stringMatching(/docs$/)]);
    await offers(page).first().click();
    await expect.poll(() => directoryOf(page).inputValue()).toBe(`${home}/docs`);
    await directoryOf(page).fill('/nowhere/at/all');
    await page.getByText('There is no directory', { exact: false }).waitFor();
    expect(problems.filter((problem) => !problem.includes('422'))).toEqual([]);
  });

  it('[UI23] keeps a prompt as a template, asks for its blanks, also on another device, and removes it', async () => {
    const beckon = await startBeckon();
    const first = await come(beckon);
    await open(first.page);
    await first.page.keyboard.type('Say {{word}} to {{who}}, {{word}}');
    await first.page.getByRole('button', { name: 'Keep as a template' }).click();
    await focused(first.page.getByRole('textbox', { name: 'Name of the template' }));
    await first.page.keyboard.type('greet');
    await first.page.keyboard.press('Enter');
    await first.page.getByRole('combobox', { name: 'Template' }).waitFor();

    const { page, problems } = await come(beckon);
    await open(page);
    await page.getByRole('radio', { name: /Demo agent/ }).check();
    await page.getByRole('combobox', { name: 'Template' }).selectOption('greet');
    const blanks = page.getByRole('group', { name: 'Blanks of the template' });
    await blanks.getByRole('textbox', { name: 'word' }).fill('{{hello}}');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
    const who = blanks.getByRole('textbox', { name: 'who' });
    await expect.poll(() => who.evaluate((field) => field === document.activeElement), patient).toBe(true);
    await page.keyboard.type('me');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/s\//);
    const { body } = await beckon.api('GET', '/api/sessions');
    expect(body.sessions.map(({ title }: { title: string }) => title)).toEqual([
      'Say {{hello}} to me, {{hello}}',
    ]);

    await first.page.getByRole('button', { name: 'Remove the template' }).click();
    await first.page.getByRole('button', { name: 'Remove “greet”?' }).click();
    await first.page.getByRole('combobox', { name: 'Template' }).waitFor({ state: 'detached' });
    expect((await beckon.api('GET', '/api/templates')).body).toEqual({ templates: [] });
    expect([...problems, ...first.problems]).toEqual([]);
  });
});
