import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, withBrowser } from './browser.ts';
import { startSessions, stopSessions, threeSessions } from './demo-sessions.ts';
import { focused } from './focus.ts';
import { storeSession } from './stored-session.ts';
import { long } from './told-conversations.ts';

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
beforeAll(async () => {
  const dataDir = await temporaryDirectory();
  await storeSession(dataDir, { id: 'ses_long', title: 'Long', events: long(6_000) });
  beckon = await startBeckon({ dataDir });
});
afterEach(() => stopSessions(beckon));

const column = (page: Page, name: string) => page.locator('main').getByRole('region', { name });

describe('the board in a browser', () => {
  it('[UI2] has a card for each session in its column, with a badge, and moves it by itself', async () => {
    const [, , asking = ''] = await startSessions(beckon, threeSessions, await temporaryDirectory());
    await beckon.api('PATCH', `/api/sessions/${asking}`, { labels: ['tests'] });
    const { page, problems } = await come(beckon, '/board');
    const card = column(page, 'Needs you').getByRole('link', { name: /Fix the flaky login test/ });
    await card.waitFor();
    await expect.poll(() => card.textContent()).toContain('1 open request');
    await column(page, 'Working').getByText('Migrate the session store').waitFor();
    await column(page, 'Idle').getByText('Greet the new contributors').waitFor();

    await page.getByRole('button', { name: 'tests', exact: true }).click();
    await expect.poll(() => page.locator('[data-card]').count()).toBe(1);
    await page.getByRole('button', { name: 'Show all' }).click();
    const next = (name: string, title: RegExp) => column(page, name).getByRole('link', { name: title });
    await next('Idle', /Greet the new contributors/).waitFor();
    await card.focus();
    await page.keyboard.press('ArrowRight');
    await focused(next('Working', /Migrate the session store/));
    await page.keyboard.press('ArrowRight');
    await focused(next('Idle', /Greet the new contributors/));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/s\//);
    await page.getByRole('heading', { name: 'Greet the new contributors' }).waitFor();

    await page.goBack();
    await column(page, 'Needs you').getByText('Fix the flaky login test').waitFor();
    await beckon.api('POST', `/api/sessions/${asking}/stop`, {});
    await column(page, 'Ended').getByText('Fix the flaky login test').waitFor();
    await column(page, 'Needs you').getByText('Nothing waits for you.').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('the settings in a browser', () => {
  it('[UI10] [GRANT4] change language and theme at once and for good, and take an approval back', async () => {
    const [, , asking = ''] = await startSessions(beckon, threeSessions, await temporaryDirectory());
    const { body } = await beckon.api('GET', `/api/sessions/${asking}/pending`);
    const { requestId } = body.pending[0];
    await beckon.api('POST', `/api/sessions/${asking}/approve`, {
      requestId,
      decision: 'allow',
      scope: 'always',
      pattern: 'npm test *',
    });
    const { page, problems } = await come(beckon, '/settings');
    await page.getByText('npm test *').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Dauerhafte Freigaben' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await page.getByText('npm test *').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /^Zurücknehmen/ }).click();
    await page.getByRole('button', { name: /noch einmal drücken/ }).click();
    await page.getByText(/Es gibt keine: Jede Anfrage kommt zu dir/).waitFor();
    expect((await beckon.api('GET', '/api/grants')).body.grants).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('[SEC1] send a device away, which is asked for a code where it is and keeps what was typed', async () => {
    // With two devices only, so that the other one is the one that can be removed.
    const beckon = await startBeckon();
    const [id = ''] = await startSessions(beckon, threeSessions.slice(0, 1), await temporaryDirectory());
    const other = await come(beckon, `/s/${id}`, phone);
    const composer = other.page.getByRole('textbox', { name: 'Message to Greet the new contributors' });
    await composer.fill('half a thought');
    const { page } = await come(beckon, '/settings');
    const removals = page.getByRole('region', { name: 'Devices' }).getByRole('button', { name: /^Remove/ });
    await removals.first().click();
    await page.getByRole('button', { name: 'Press again to remove' }).click();
    await other.page.getByRole('heading', { name: 'This browser is no longer let in' }).waitFor();

    await page.getByRole('button', { name: 'Pair another device' }).click();
    const code = await page.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/).textContent();
    await page.getByRole('img', { name: /square to be scanned/ }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await other.page.getByRole('textbox', { name: 'Link or code' }).fill(code ?? '');
    await other.page.keyboard.press('Enter');
    await composer.waitFor();
    await expect.poll(() => composer.inputValue()).toBe('half a thought');
    expect(new URL(other.page.url()).pathname).toBe(`/s/${id}`);
  });

  it.each([
    ['desktop, dark', { ...desktop, theme: 'dark' as const }],
    ['phone, German', { ...phone, language: 'de' as const }],
  ])('[UI8] [UI10] break no accessibility rule and fit the screen: %s', async (_, view) => {
    await startSessions(beckon, threeSessions, await temporaryDirectory());
    const { page, problems } = await come(beckon, '/settings', view);
    await page.getByText('Demo agent').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(view.width);
    expect(problems).toEqual([]);
  });
});

describe('the palette in a browser', () => {
  it('[STORE5] [UI8] finds what was said and opens it, by keyboard alone', async () => {
    const [id = ''] = await startSessions(beckon, threeSessions.slice(0, 1), await temporaryDirectory());
    await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'the kangaroo is in the attic' });
    const { page, problems } = await come(beckon, '/board');
    await column(page, 'Idle').getByText('Greet the new contributors').waitFor();
    await expect
      .poll(async () => (await beckon.api('GET', '/api/search?q=kangaroo')).body.hits.length)
      .toBeGreaterThan(0);
    await page.keyboard.press('Control+k');
    await focused(page.getByRole('combobox', { name: 'Search and commands' }));
    await page.keyboard.type('kangaroo');
    await page.getByRole('option', { name: /kangaroo/, selected: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${beckon.url}/s/${id}`);
    expect(problems).toEqual([]);
  });
});

describe('what was found in a browser', () => {
  it('[STORE5] [UI9] is shown where it was said, however long ago, opened and marked', async () => {
    const { page, problems } = await come(beckon, '/s/ses_long');
    for (const word of ['number123', 'number321', 'number123']) {
      await page.getByRole('region', { name: 'Conversation' }).waitFor();
      await page.keyboard.press('Control+k');
      await focused(page.getByRole('combobox', { name: 'Search and commands' }));
      await page.keyboard.type(word);
      // Of what was found for its beginning, it may be a later one.
      await page.getByRole('option', { name: word, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      const marked = page.locator('[aria-current=location]', { hasText: word });
      await marked.waitFor();
      await expect.poll(() => marked.evaluate(isInView)).toBe(true);
      await page.waitForURL(`${beckon.url}/s/ses_long`);
    }
    expect(problems).toEqual([]);
  });
});

/** Whether it can be seen: within its scroller, and not only drawn ahead. */
function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const box = element.closest('section')?.getBoundingClientRect();
  return box !== undefined && top >= box.top && bottom <= box.bottom;
}

describe('notifications in a browser', () => {
  it('[UI11] show what waits in another session once, and lead to it', async () => {
    const [id = ''] = await startSessions(beckon, threeSessions.slice(0, 1), await temporaryDirectory());
    const { page, context } = await come(beckon, '/settings');
    await context.grantPermissions(['notifications'], { origin: beckon.url });
    // The browser without a screen has no place to show one: it is kept to be looked at, and pressed.
    await page.addInitScript(() => {
      const shown: { title: string; body: string; press: () => void }[] = [];
      class Kept {
        static permission = 'granted';
        onclick: (() => void) | null = null;
        constructor(title: string, { body }: { body: string }) {
          shown.push({ title, body, press: () => this.onclick?.() });
        }
        close(): void {}
      }
      Object.assign(globalThis, { Notification: Kept, shown });
    });
    await page.goto(`${beckon.url}/s/${id}`);
    await page.getByRole('textbox', { name: 'Message to Greet the new contributors' }).waitFor();
    const [asking = ''] = await startSessions(
      beckon,
      [{ title: 'Ask me', prompt: 'run npm test', status: 'waiting' }],
      await temporaryDirectory(),
    );
    const shown = (): Promise<string[]> =>
      page.evaluate(() =>
        (globalThis as unknown as { shown: { title: string; body: string }[] }).shown.map(
          ({ title, body }) => `${title} | ${body}`,
        ),
      );
    await expect.poll(shown).toEqual([expect.stringMatching(/^Ask me \| Waits for you: .*npm test/)]);
    await expect.poll(() => page.title()).toContain('(1)');
    await page.evaluate(() =>
      (globalThis as unknown as { shown: { press: () => void }[] }).shown[0]?.press(),
    );
    await page.waitForURL(`${beckon.url}/s/${asking}`);
  });
});
