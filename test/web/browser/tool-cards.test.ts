import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, type View, withBrowser } from './browser.ts';
import { stopSessions } from './demo-sessions.ts';
import { focused } from './focus.ts';

const example = (name: string): string => resolve(import.meta.dirname, `../../../examples/tools/${name}.ts`);

const { come } = withBrowser({ servers: 'all tests' });
let shared: Beckon;
beforeAll(async () => {
  const examples = ['approval-gate', 'email-field', 'ask-user'].map(example);
  shared = await startBeckon({
    args: [...examples, await lateTool()].flatMap((file) => ['--tools', file]),
  });
});
afterEach(() => stopSessions(shared));

/** An idle session of the demo agent, on the screen of someone who can answer. */
async function begin(view: View = desktop, beckon = shared) {
  const { body } = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    title: 'Asking',
    cwd: await temporaryDirectory(),
  });
  const id: string = body.session.id;
  const { page, problems } = await come(beckon, `/s/${id}`, view);
  return { id, page, problems, say: (text: string) => say(page, text), card: cardOn(page) };
}

const cardOn = (page: Page): Locator => page.getByRole('main').locator('[data-ask]');

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /Asking/ }).fill(text);
  await page.keyboard.press('Enter');
}

const inMain = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('main').getByRole('button', { name, exact: typeof name === 'string' });

const outcome = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('main').locator('summary', { hasText: text });

/** A tool that lets the agent go on at once and takes the answer whenever it comes. */
async function lateTool(): Promise<string> {
  const file = join(await temporaryDirectory(), 'ask-later.ts');
  await writeFile(
    file,
    `import { defineTool } from 'beckon/tools';
import { z } from 'zod';
export default defineTool({
  name: 'ask_later',
  description: 'Asks, and does not wait.',
  input: z.object({ question: z.string() }),
  handler: ({ question }, context) => context.requestInteraction({
    type: 'input',
    prompt: question,
    timeoutMs: 300,
    inputSchema: { type: 'form', fields: [{ id: 'centre', type: 'text', label: 'Cost centre', required: true }] },
    onResponse: (response) => ({ complete: response.action === 'submit' ? 'It is ' + response.input.centre : 'No answer' }),
    onTimeout: () => ({ pending: { message: 'No hurry with this one.' } }),
  }),
});
`,
  );
  return file;
}

describe('a tool that asks, in a browser', () => {
  it('[TOOL12] [UI5] ask_user is answered in the conversation, and the agent goes on with it', async () => {
    const { page, say, card, problems } = await begin();
    await say('ask');
    await card.getByText('Who should review this?').waitFor();
    await inMain(page, 'Submit').click();
    await card.getByText('This is needed.').waitFor();
    await focused(card.getByRole('combobox', { name: 'Answer' }));
    await card.getByRole('combobox', { name: 'Answer' }).selectOption('Grace');
    await inMain(page, 'Submit').click();
    await page.getByText('Grace it is. Thank you!').waitFor();
    await outcome(page, 'Submitted').waitFor();
    await page.getByRole('main').getByText('Grace', { exact: true }).first().waitFor();
    expect(problems).toEqual([]);
  });

  it('[UI4] [TOOL12] ask_user is answered from the composer, which offers it', async () => {
    const { page, say, card } = await begin();
    await say('call ask_user {"question":"What is it called?"}');
    await card.waitFor();
    await inMain(page, 'Answer the question').click();
    await say('Beckon');
    await page.getByText(/It gave back:.*"answer":"Beckon"/).waitFor();
    await outcome(page, 'Submitted').waitFor();
  });

  it('[TOOL4] [TOOL7] offers the scopes of the tool and no others, and what was approved can be seen', async () => {
    const { page, say, card } = await begin();
    await say('call deploy {"branch":"main","environment":"production"}');
    await card.getByText('Deploy main to production?').waitFor();
    await expect
      .poll(() => card.getByRole('button').allTextContents())
      .toEqual(['Deny', 'Allow for session', 'Allow']);
    await inMain(page, 'Deny').click();
    await focused(card.getByRole('textbox'));
    await page.keyboard.type('Not on a Friday');
    await page.keyboard.press('Enter');
    await page
      .getByText(/"deployed":false,"reason":"Not on a Friday"/)
      .first()
      .waitFor();
    await outcome(page, /Denied.*Not on a Friday/).waitFor();

    await say('call deploy {"branch":"main","environment":"staging"}');
    await inMain(page, 'Always allow').click();
    await page
      .getByText(/"deployed":true,"branch":"main","environment":"staging"/)
      .first()
      .waitFor();
    await say('call deploy {"branch":"other","environment":"staging"}');
    await page
      .getByText(/"deployed":true,"branch":"other"/)
      .first()
      .waitFor();

    const { page: settings } = await come(shared, '/settings');
    await settings.getByText('deploy:staging').waitFor();
    await settings.getByText('approved under the name').waitFor();
    await settings.getByText(example('approval-gate')).waitFor();
  });

  it('[TOOL5] a reprompt keeps what was typed, the place and the focus, and says why', async () => {
    const { page, say, card } = await begin();
    await say('call ask_email {"purpose":"For the report.","domain":"example.org"}');
    const field = card.getByRole('textbox', { name: 'E-mail' });
    await field.fill('ada@exmaple.org');
    await card.getByRole('textbox', { name: 'Name' }).fill('Ada');
    const prompt = card.getByText('Which address at example.org?', { exact: false });
    // It stands still when it can be pressed.
    await inMain(page, 'Submit').click({ trial: true });
    const before = await prompt.boundingBox();
    await countAbsences(page);
    await page.keyboard.press('Control+Enter');
    const why = card.getByRole('alert');
    await why.getByText('ada@exmaple.org is not an address at example.org.').waitFor();
    expect(await cardOn(page).count()).toBe(1);
    expect(await field.inputValue()).toBe('ada@exmaple.org');
    expect(await card.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada');
    await page.waitForFunction(() => document.activeElement?.hasAttribute('data-why'));
    await expect.poll(() => prompt.boundingBox()).toEqual(before);
    expect(await absences(page)).toBe(0);
    await page.getByText('Asked 2 times').waitFor();

    await field.fill('ada@example.org');
    await page.keyboard.press('Control+Enter');
    await outcome(page, 'E-mail submitted ada@example.org').waitFor();
    await focused(outcome(page, 'E-mail submitted ada@example.org'));
    await page.getByText(/It gave back:.*ada@example.org/).waitFor();
    await page.getByText('Asked 2 times').click();
    await outcome(page, 'E-mail submitted ada@exmaple.org').waitFor();
  });

  it('[TOOL5] a reprompt goes on where it was answered: in the inbox, a monitor, the dock and the large dialog', async () => {
    const { page, say, card } = await begin();
    await say('call ask_email {"purpose":"For the report.","domain":"example.org"}');
    await card.waitFor();
    const { page: inbox } = await come(shared, '/inbox');
    const shown = cardOn(inbox);
    await shown.getByRole('textbox', { name: 'E-mail' }).fill('one@elsewhere.org');
    await countAbsences(inbox);
    await shown.getByRole('button', { name: 'Submit' }).click();
    await shown.getByText('one@elsewhere.org is not an address at example.org.').waitFor();
    expect(await shown.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('one@elsewhere.org');
    expect(await absences(inbox)).toBe(0);
    await expect.poll(() => inbox.locator('[data-row]').count()).toBe(1);

    await inbox.goto(`${shared.url}/`);
    const monitor = cardOn(inbox);
    await monitor.getByRole('textbox', { name: 'E-mail' }).fill('three@elsewhere.org');
    await countAbsences(inbox);
    await monitor.getByRole('button', { name: 'Submit' }).click();
    await monitor.getByText('three@elsewhere.org is not an address at example.org.').waitFor();
    await inbox.waitForFunction(() => document.activeElement?.hasAttribute('data-why'));
    expect(await absences(inbox)).toBe(0);

    await inbox.goto(`${shared.url}/board`);
    const dock = inbox.getByRole('region', { name: 'Waits for you' });
    await dock.getByRole('textbox', { name: 'E-mail' }).fill('four@elsewhere.org');
    await dock.getByRole('button', { name: 'Submit' }).click();
    await dock.getByText('four@elsewhere.org is not an address at example.org.').waitFor();
    expect(await dock.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('four@elsewhere.org');

    await dock.getByRole('button', { name: 'Open large' }).click();
    const dialog = inbox.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('two@elsewhere.org');
    await inbox.keyboard.press('Control+Enter');
    await dialog.getByText('two@elsewhere.org is not an address at example.org.').waitFor();
    await inbox.waitForFunction(() => document.activeElement?.hasAttribute('data-why'));
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.org');
    await inbox.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Asked 5 times').waitFor();
  });

  it('[UI4] [UI8] a half-filled form survives a reload, opens large with what was typed, and keeps it', async () => {
    const { page, say, card } = await begin();
    await say('call plan_release {"version":"2.4.0"}');
    await card.getByRole('textbox', { name: 'Release notes' }).fill('Faster');
    await page.reload();
    const notes = card.getByRole('textbox', { name: 'Release notes' });
    await expect.poll(() => notes.inputValue()).toBe('Faster');
    await expect.poll(() => card.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Release 2.4.0');

    const larger = card.getByRole('button', { name: 'Write in a larger field: Release notes' });
    await larger.click();
    const dialog = page.getByRole('dialog');
    await focused(dialog.getByRole('textbox', { name: 'Release notes' }));
    await page.keyboard.type(' than before');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => notes.inputValue()).toBe('Faster than before');
    await focused(larger);
  });

  it('[UI5] [UI10] a card higher than a phone is read from its beginning, and stays put while one answers', async () => {
    const { page, say, card } = await begin(phone);
    await say('call plan_release {"version":"2.4.0"}');
    const prompt = card.getByText('How shall 2.4.0 be released?');
    await expect.poll(() => prompt.evaluate(isInView)).toBe(true);
    await page.reload();
    await expect.poll(() => prompt.evaluate(isInView)).toBe(true);
    expect(await card.getByRole('button', { name: 'Submit' }).evaluate(isInView)).toBe(false);

    const freeze = card.getByRole('checkbox', { name: 'Freeze the branch until then' });
    await freeze.uncheck();
    await inMain(page, 'Submit').click();
    await page.waitForFunction(() => document.activeElement?.hasAttribute('data-faults'));
    await inMain(page, 'Dismiss').click();
    await outcome(page, 'Dismissed').waitFor();
    await expect.poll(() => outcome(page, 'Dismissed').evaluate(isInView)).toBe(true);
  });

  it('[TOOL3] [UI8] leads to what is missing, and shows the tool’s own words when it is over', async () => {
    const { page, say, card } = await begin();
    await say('call plan_release {"version":"2.4.0"}');
    await card.getByRole('textbox', { name: 'Share of users at first' }).fill('200');
    await inMain(page, 'Submit').click();
    await card.getByText('3 fields need a look').waitFor();
    await page.waitForFunction(() => document.activeElement?.hasAttribute('data-faults'));
    await card.getByRole('button', { name: /^Channel/ }).click();
    await focused(card.getByRole('radio', { name: /Beta/ }));
    await page.keyboard.press('Space');
    await card.getByRole('textbox', { name: 'Share of users at first' }).fill('20');
    await card.getByLabel('On', { exact: true }).fill('2026-12-24');
    await inMain(page, 'Submit').click();
    await outcome(
      page,
      'Release submitted. Release 2.4.0 Beta, for those who asked for it December 24, 2026',
    ).waitFor();
  });
});

describe('an ask that was left open', () => {
  it('[TOOL6] says so, is counted, and its answer comes as a message that leads back to it', async () => {
    const { page, say, card } = await begin();
    await say('call ask_later {"question":"Which cost centre?"}');
    await card.getByText('The call that asked this has ended.', { exact: false }).waitFor();
    await card.getByText('No hurry with this one.').waitFor();
    await page.getByRole('button', { name: /1 .*wait/i }).waitFor();
    await card.getByRole('textbox', { name: 'Cost centre' }).fill('4711');
    await inMain(page, 'Submit').click();
    const back = inMain(page, /^Answer to: Which cost centre\?/);
    await back.waitFor();
    await page.getByRole('main').getByText('It is 4711').first().waitFor();
    await back.click();
    await outcome(page, 'Submitted').waitFor();
    await card.waitFor({ state: 'detached' });
  });

  it('[TOOL6] [ASK2] stays open when the server ends, and is answered afterwards', async () => {
    const dataDir = await temporaryDirectory();
    const args = ['--tools', example('email-field')];
    const beckon = await startBeckon({ dataDir, args });
    const { id, say, card } = await begin(desktop, beckon);
    await say('call ask_email {"purpose":"For the report.","domain":"example.org"}');
    await card.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await beckon.stop();
    const again = await startBeckon({ dataDir, args });
    const { page: later } = await come(again, `/s/${id}`);
    const open = cardOn(later);
    await open.getByText('Beckon was restarted while this was open', { exact: false }).waitFor();
    await open.getByRole('textbox', { name: 'E-mail' }).fill('ada@elsewhere.org');
    await inMain(later, 'Submit').click();
    await inMain(later, /^Answer to:/).waitFor();
    await later
      .getByRole('main')
      .getByText(/ada@elsewhere\.org/)
      .first()
      .waitFor();
  });
});

describe('two browsers and a tool', () => {
  it('[MULTI2] [ASK4] one that does not answer sees it read-only, is switched on in the card, and answers', async () => {
    const { id, page, say, card } = await begin();
    const other = await come(shared, '/settings', phone);
    // By a key: its row may still move.
    await other.page.getByRole('switch', { name: /Answer agents/ }).press('Space');
    await other.page.getByRole('switch', { name: /Answer agents/, checked: false }).waitFor();
    await other.page.goto(`${shared.url}/s/${id}`);
    await say('call ask_email {"purpose":"For the report.","domain":"example.org"}');
    await card.waitFor();

    const theirs = cardOn(other.page);
    await theirs.getByText('Answering is switched off in this browser.').waitFor();
    await expect.poll(() => theirs.getByRole('textbox', { name: 'E-mail' }).isDisabled()).toBe(true);
    await theirs.getByRole('button', { name: 'Switch it on' }).click();
    await theirs.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.org');
    await theirs.getByRole('button', { name: 'Submit' }).click();
    await outcome(other.page, /E-mail submitted ada@example\.org · by this browser/).waitFor();
    await outcome(page, /E-mail submitted ada@example\.org · by Chrome/).waitFor();

    // A page that comes later knows it, too.
    await Promise.all([page.reload(), other.page.reload()]);
    await outcome(other.page, /E-mail submitted ada@example\.org · by this browser/).waitFor();
    await outcome(page, /E-mail submitted ada@example\.org · by Chrome/).waitFor();
  });
});

describe('the cards of tools for everyone', () => {
  const looks: readonly (readonly [string, View])[] = [
    ['light', { ...desktop, theme: 'light' }],
    ['dark, on a phone, in German', { ...phone, theme: 'dark', language: 'de' }],
  ];
  it.each(looks)('[UI8] [UI10] break no rule of accessibility: %s', async (_, view) => {
    const { page, say, card, problems } = await begin(view);
    await say('call plan_release {"version":"2.4.0"}');
    await card.getByRole('button', { name: /Submit|Abschicken/ }).click();
    await card.locator('[data-faults]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await card.getByRole('button', { name: /Dismiss|Verwerfen/ }).click();
    await outcome(page, /Dismissed|Verworfen/).waitFor();
    await say('call deploy {"branch":"main","environment":"production"}');
    await card.getByText('Deploy main to production?').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** Whether it can be seen in the conversation, and is not only drawn. */
function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const box = element.closest('section')?.getBoundingClientRect();
  return box !== undefined && top >= box.top && bottom <= box.bottom;
}

/** Counts how often no open card was on the page, from now on. */
const countAbsences = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const { body } = document;
    body.dataset.absences = '0';
    new MutationObserver(() => {
      if (document.querySelector('main [data-ask]') === null)
        body.dataset.absences = String(Number(body.dataset.absences) + 1);
    }).observe(body, { childList: true, subtree: true });
  });

const absences = (page: Page): Promise<number> => page.evaluate(() => Number(document.body.dataset.absences));
