import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeAcpConfig } from '../../support/acp-config.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { drilledAgent } from '../../support/drilled-agent.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, withBrowser } from './browser.ts';
import { startSessions, stopSessions } from './demo-sessions.ts';
import { focused, pressInARow } from './focus.ts';

const { come, visits } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
beforeAll(async () => {
  const config = await writeAcpConfig(await temporaryDirectory());
  beckon = await startBeckon({
    args: ['--claude', drilledAgent(await temporaryDirectory()), '--config', config],
  });
});

/** A session that waits, and the page that shows it. */
async function ask(prompt: string) {
  const cwd = await temporaryDirectory();
  const [id = ''] = await startSessions(beckon, [{ title: 'Asking', prompt, status: 'waiting' }], cwd);
  const { page, problems } = await come(beckon, `/s/${id}`);
  const card = page.getByRole('main').locator('[data-ask]');
  await card.waitFor();
  return { cwd, id, page, problems, card };
}

const button = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true });

/** What was changed in a command is shown before it is sent: until then it takes a second press. */
const changeShown = (page: Page, command: string): Promise<void> =>
  page.locator('span').getByText(command, { exact: true }).waitFor();

describe('answering in a browser', () => {
  afterEach(() => stopSessions(beckon));

  it('[UI5] [ASK8] allows a command, and the file that it makes is there', async () => {
    const { page, cwd, problems } = await ask('run touch made.txt');
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
    await button(page, 'Allow').click();
    await page.getByText('I ran touch made.txt').waitFor();
    expect(existsSync(join(cwd, 'made.txt'))).toBe(true);
    await page.getByRole('main').locator('summary', { hasText: 'Allowed' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('[ASK8] denies with a reason that reaches the agent', async () => {
    const { page, cwd, card } = await ask('run touch made.txt');
    await button(page, 'Deny').click();
    await focused(card.getByRole('textbox'));
    await page.keyboard.type('Use the build script');
    await page.keyboard.press('Enter');
    await page.getByText('It did not work out: Use the build script').waitFor();
    await card.waitFor({ state: 'detached' });
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
  });

  it('[ASK6] [ASK8] runs the command as it was edited, and says that it was', async () => {
    const { page, cwd } = await ask('run touch made.txt');
    await button(page, 'Edit').click();
    await page.getByRole('textbox', { name: 'Command' }).fill('touch other.txt');
    await changeShown(page, 'touch other.txt');
    await button(page, 'Allow as edited').click();
    await page.getByText('I ran touch other.txt').waitFor();
    expect([existsSync(join(cwd, 'made.txt')), existsSync(join(cwd, 'other.txt'))]).toEqual([false, true]);
    const outcome = page.getByRole('main').locator('summary', { hasText: 'edited' });
    await outcome.click();
    await page.getByText('Allowed with this edit').waitFor();
  });

  it('[UI5] shows an edit of a file as a change, and writes it when allowed', async () => {
    const { page, cwd, card } = await ask('write notes.md');
    await card.getByText('Status: draft').waitFor();
    await button(page, 'Allow').click();
    await page.getByText('May I change this file?').waitFor();
    await card.getByText('Status: reviewed by a person').waitFor();
    await button(page, 'Allow').click();
    await page.getByText('is written and edited').waitFor();
    expect(readFileSync(join(cwd, 'notes.md'), 'utf8')).toContain('reviewed by a person');
  });

  it('[UI6] [ASK9] answers with several choices and an answer of one’s own', async () => {
    const { page, card } = await ask('question');
    const answer = card.getByRole('button', { name: 'Answer', exact: true });
    await card.getByRole('textbox').first().fill('DuckDB');
    expect(await answer.isDisabled()).toBe(true);
    await card.getByRole('checkbox', { name: /Tests/ }).check();
    await card.getByRole('checkbox', { name: /CI/ }).check();
    await answer.click();
    await page.getByText('Which database should I use? → DuckDB').waitFor();
    await page.getByText('Which extras do you want? → Tests, CI').waitFor();
  });

  it('[ASK8] approves a plan and goes on in the mode that was chosen', async () => {
    const { page, cwd } = await ask('plan');
    await page.getByRole('combobox', { name: 'Go on in mode' }).selectOption({ label: 'Accept edits' });
    await button(page, 'Approve').click();
    await page.getByText('is written.').waitFor();
    await page.getByText(/I go on in mode acceptEdits/).waitFor();
    expect(existsSync(join(cwd, 'demo-plan.md'))).toBe(true);
  });

  it('[TOOL11] fills in a form, with what is wrong told at its field', async () => {
    const { page, card } = await ask('form');
    await card.getByRole('textbox', { name: 'Port' }).fill('70000');
    await button(page, 'Submit').click();
    await card.getByText('A number from 1 to 65,535.', { exact: true }).waitFor();
    await card.getByText('This is needed.', { exact: true }).waitFor();
    await card.getByRole('textbox', { name: 'Name' }).fill('Beckon');
    await card.getByRole('textbox', { name: 'Port' }).fill('4590');
    await card.getByRole('combobox', { name: 'Size' }).selectOption('large');
    await button(page, 'Submit').click();
    await page
      .getByText(/"name":"Beckon","port":4590,"https":true,"tier":"large"/)
      .first()
      .waitFor();
  });

  it('[ASK3] [ASK4] takes the first answer of two browsers and tells the other', async () => {
    const { page, id } = await ask('run touch made.txt');
    const other = await come(beckon, '/inbox', phone);
    await other.page.locator('[data-row]').click();
    // A press before the card has been still is dropped.
    for (const each of [button(page, 'Allow'), button(other.page, 'Allow')])
      await each.click({ trial: true });
    // Both are found first: whichever answer comes first takes the other's button away.
    const buttons = await Promise.all([
      button(page, 'Allow').elementHandle(),
      button(other.page, 'Allow').elementHandle(),
    ]);
    await Promise.all(buttons.map((found) => found?.evaluate((element) => (element as HTMLElement).click())));
    await page.getByText('I ran touch made.txt').waitFor();
    await other.page.getByText('Nothing waits for you').waitFor();
    const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=200`);
    const decided = body.events.filter(({ type }: { type: string }) => type === 'interaction.decided');
    expect(decided).toHaveLength(1);
    for (const { problems } of visits)
      expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
  });

  it('[ASK4] shows an answer given elsewhere read-only, with from where', async () => {
    const { page, id, card } = await ask('run touch made.txt');
    const { body } = await beckon.api('GET', `/api/sessions/${id}/pending`);
    await beckon.api('POST', `/api/sessions/${id}/deny`, {
      requestId: body.pending[0].requestId,
      reason: 'Not today',
    });
    await card.waitFor({ state: 'detached' });
    await page.getByText(/Not today · with the token/).waitFor();
  });

  it('[ASK2] keeps an open card, and what was typed into it, across a reload', async () => {
    const { page, card } = await ask('run touch made.txt');
    await button(page, 'Deny').click();
    await focused(card.getByRole('textbox'));
    await page.keyboard.type('half a reason');
    await page.reload();
    await card.waitFor();
    await expect.poll(() => card.getByRole('textbox').inputValue()).toBe('half a reason');
    expect(await card.getByRole('textbox').evaluate((field) => field === document.activeElement)).toBe(false);
    await card.getByRole('textbox').press('Enter');
    await page.getByText('It did not work out: half a reason').waitFor();
  });

  it('[GRANT2] [GRANT1] allows from now on by a pattern, and the next like ask is not asked', async () => {
    const { page, cwd, card, id } = await ask('run mkdir one');
    await button(page, 'Always…').click();
    await card.getByText('It would have allowed 1 ask so far:').waitFor();
    await page.getByRole('textbox', { name: 'Bash may be used for' }).fill('mkdir *');
    // What is known of it moves the button, and a press on one that moves is dropped.
    await card.locator('section[aria-busy=false]').waitFor();
    await button(page, 'Always allow').click();
    await page.getByText('I ran mkdir one').waitFor();
    await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'run mkdir two' });
    await page.getByText('I ran mkdir two').waitFor();
    expect(existsSync(join(cwd, 'two'))).toBe(true);
    await page.getByText(/· by a standing approval/).waitFor();
    const { body } = await beckon.api('GET', '/api/grants');
    expect(body.grants).toMatchObject([{ toolName: 'Bash', pattern: 'mkdir *', scope: 'always' }]);
  });

  it('[MULTI2] shows a card read-only while answering is off, and answers at once when it is on', async () => {
    const { page, card } = await ask('run touch made.txt');
    await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem('beckon.preferences') ?? '{}');
      localStorage.setItem('beckon.preferences', JSON.stringify({ ...kept, interaction: 'disabled' }));
    });
    await page.reload();
    await card.getByText('Answering is switched off in this browser.').waitFor();
    expect(await card.getByRole('button', { name: 'Allow', exact: true }).count()).toBe(0);
    await card.getByRole('button', { name: 'Switch it on' }).click();
    await button(page, 'Allow').click();
    await page.getByText('I ran touch made.txt').waitFor();
  });
});

const three = ['one', 'two', 'three'].map((name) => ({
  title: `Session ${name}`,
  prompt: `run touch ${name}.txt`,
  status: 'waiting',
}));

describe('the inbox in a browser', () => {
  afterEach(() => stopSessions(beckon));

  it('[UI2] [UI8] is worked by keyboard alone, through three sessions', async () => {
    const cwd = await temporaryDirectory();
    await startSessions(beckon, three, cwd);
    const { page, problems } = await come(beckon);
    await page.getByRole('article').first().waitFor();
    await pressInARow(page, 'g i');
    const open = (text: string) => page.getByText(text, { exact: true }).waitFor();
    await open('3 open');
    const title = () => page.locator('[data-row][aria-current=true] .font-medium').first().textContent();
    const [first, second, third] = [await title(), await step('j'), await step('j')];
    expect(new Set([first, second, third]).size).toBe(3);
    await step('k');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/s\//);
    await page.goBack();
    await open('3 open');

    // A key that comes before the card has been still is dropped.
    const isReady = () => page.getByRole('button', { name: 'Allow', exact: true }).click({ trial: true });
    await isReady();
    await page.keyboard.press('a');
    await open('2 open');
    await expect.poll(title).toBe(second);
    await focused(page.locator('[aria-current=true]'));
    await isReady();
    await page.keyboard.press('d');
    await focused(page.getByRole('textbox', { name: /^Why not/ }));
    await page.keyboard.type('a s d');
    await page.keyboard.press('Enter');
    await open('1 open');
    await expect.poll(title).toBe(third);
    await isReady();
    await page.keyboard.press('e');
    await focused(page.getByRole('textbox', { name: 'Command' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('touch edited.txt');
    await changeShown(page, 'touch edited.txt');
    const allows = page.locator('button:focus').filter({ hasText: /^Allow/ });
    for (let stops = 0; stops < 8 && (await allows.count()) === 0; stops += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing waits for you').waitFor();
    await expect.poll(() => existsSync(join(cwd, 'edited.txt'))).toBe(true);
    const made = ['one', 'two', 'three'].filter((name) => existsSync(join(cwd, `${name}.txt`)));
    expect(made).toEqual([first?.replace('Session ', '')]);
    expect(problems).toEqual([]);

    async function step(key: string): Promise<string | null> {
      const before = await title();
      await page.keyboard.press(key);
      await expect.poll(title).not.toBe(before);
      return title();
    }
  });

  it('[UI2] allows like ones together, after showing them all', async () => {
    const cwd = await temporaryDirectory();
    await startSessions(beckon, three, cwd);
    const { page } = await come(beckon, '/inbox');
    await page.getByText('3 open').waitFor();
    await page.keyboard.press('Shift+A');
    const dialog = page.getByRole('dialog', { name: 'Allow these 3?' });
    await focused(dialog.getByRole('button', { name: 'Cancel' }));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('3 open').waitFor();
    await page.keyboard.press('Shift+A');
    await dialog.getByRole('checkbox', { name: 'Session two' }).uncheck();
    await dialog.getByRole('button', { name: 'Allow all 2' }).click();
    await page.getByText('1 open').waitFor();
    await expect
      .poll(() => ['one', 'two', 'three'].filter((name) => existsSync(join(cwd, `${name}.txt`))))
      .toEqual(['one', 'three']);
  });
});

describe('what an agent by ACP asks in a browser', () => {
  /** A scripted agent that asks leave for exactly what is given. */
  async function permit(call: object) {
    const prompt = `permit ${JSON.stringify(call)}`;
    const cwd = await temporaryDirectory();
    const { body } = await beckon.api('POST', '/api/sessions', { agent: 'scripted', cwd, prompt });
    return `/s/${body.session.id}`;
  }
  afterEach(() => stopSessions(beckon));

  it('[ASK18] what it said nothing of takes a second press, on the page, in the dock and on a monitor', async () => {
    const quiet = await startSessions(beckon, [{ title: 'Quiet', prompt: 'hello', status: 'idle' }], '/tmp');
    const paths = [await permit({ kind: 'execute' }), `/s/${quiet[0]}`, '/'];
    const { page, problems } = await come(beckon, paths[0]);
    for (const path of paths) {
      if (path !== paths[0]) await permit({ kind: 'execute' });
      await page.goto(`${beckon.url}${path}`);
      const card = page.locator('[data-ask]').first();
      await card.getByText('The agent did not say what it wants to do.').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await card.getByRole('button', { name: 'Allow', exact: true }).click();
      const again = card.getByRole('button', { name: 'Press again to allow' });
      await again.waitFor();
      await again.click();
      await card.waitFor({ state: 'detached' });
    }
    expect(problems).toEqual([]);
  });

  it('[ACP3] a plan is approved in the way that is chosen among those the agent offers', async () => {
    const path = await permit({ kind: 'switch_mode', rawInput: { plan: '# The plan' } });
    const { page, problems } = await come(beckon, path);
    await page.getByRole('heading', { name: 'The plan' }).first().waitFor();
    const ways = page.getByRole('main').getByRole('combobox', { name: 'Allow as' });
    await ways.waitFor();
    expect(await ways.locator('option').allTextContents()).toEqual(['Yes', 'Always']);
    await ways.selectOption('Always');
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Approve').click();
    await page.getByText('Chosen: ever').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('the dock in a browser', () => {
  const sessions = [
    { title: 'Quiet', prompt: 'hello', status: 'idle' },
    { title: 'Asking', prompt: 'run touch made.txt', status: 'waiting' },
  ];
  afterEach(() => stopSessions(beckon));

  it('[UI5] [UI8] comes while one types elsewhere, covers no composer and takes no focus', async () => {
    const cwd = await temporaryDirectory();
    const [quiet] = await startSessions(beckon, sessions.slice(0, 1), cwd);
    const { page, problems } = await come(beckon, `/s/${quiet}`);
    const composer = page.getByRole('textbox', { name: /Message to Quiet/ });
    await composer.fill('one\ntwo\nthree\nfour\nfive');
    await startSessions(beckon, sessions.slice(1), cwd);
    const dock = page.getByRole('region', { name: 'Waits for you' });
    await dock.waitFor();
    expect(await composer.evaluate((field) => field === document.activeElement)).toBe(true);
    const overlap = async (): Promise<number> => {
      const [docked, typed] = [await dock.boundingBox(), await composer.boundingBox()];
      return (docked?.y ?? Number.NaN) + (docked?.height ?? 0) - (typed?.y ?? 0);
    };
    await expect.poll(overlap).toBeLessThanOrEqual(0);

    await dock.getByRole('button', { name: 'Open large' }).click();
    await page.getByRole('dialog', { name: 'Asking' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focused(dock.getByRole('button', { name: 'Open large' }));
    await dock.getByRole('button', { name: 'Allow', exact: true }).click();
    await expect.poll(() => existsSync(join(cwd, 'made.txt'))).toBe(true);
    await dock.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  it('[UI5] is a bar that opens into a sheet on a phone', async () => {
    const cwd = await temporaryDirectory();
    const [quiet] = await startSessions(beckon, sessions, cwd);
    const { page } = await come(beckon, `/s/${quiet}`, phone);
    const dock = page.getByRole('region', { name: 'Waits for you' });
    await dock.getByRole('button', { name: /Asking/ }).click();
    await dock.getByText('touch made.txt').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dock.getByRole('button', { name: 'Allow', exact: true }).tap();
    await expect.poll(() => existsSync(join(cwd, 'made.txt'))).toBe(true);
  });
});

describe('cards in a browser', () => {
  const prompts = ['run npm test', 'question', 'plan', 'form', 'write notes.md', '!parallel'];
  beforeAll(async () => {
    const sessions = prompts.map((prompt) => ({ title: prompt, prompt, status: 'waiting' }));
    await startSessions(beckon, sessions, await temporaryDirectory());
  });

  it.each([
    ['desktop, light', { ...desktop, theme: 'light' as const }],
    ['desktop, dark, German', { ...desktop, theme: 'dark' as const, language: 'de' as const }],
    ['phone, light', { ...phone, theme: 'light' as const }],
  ])('[UI8] [UI10] break no accessibility rule and never scroll sideways: %s', async (_, view) => {
    const { page, problems } = await come(beckon, '/inbox', view);
    for (const prompt of prompts) {
      await page.locator('[data-row]', { hasText: prompt }).first().click();
      await page.locator('section[data-inbox] [data-ask]').waitFor();
      await sound(prompt);
      if (view.width < 600) await page.getByRole('button', { name: 'Inbox', exact: true }).click();
    }
    await page.locator('[data-row]', { hasText: 'run npm test' }).click();
    for (const panel of ['deny', 'edit', 'always']) {
      await page.locator(`section[data-inbox] [data-opens=${panel}]`).click();
      await page.locator('section[data-inbox] textarea').first().waitFor();
      await sound(panel);
      await page.keyboard.press('Escape');
    }
    expect(problems).toEqual([]);

    async function sound(what: string): Promise<void> {
      expect([what, await violationsOf(page)]).toEqual([what, []]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([what, width]).toEqual([what, view.width]);
    }
  });
});
