import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/protocol/event.ts';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { drawn, phone, withBrowser } from './browser.ts';
import { startSessions, threeSessions, untilStatus } from './demo-sessions.ts';
import { focused } from './focus.ts';
import { storeSession } from './stored-session.ts';

const { come } = withBrowser();

const sidebar = (page: Page): Locator => page.getByRole('complementary', { name: 'Sessions' });
const row = (page: Page, title: string): Locator => sidebar(page).getByRole('link', { name: title });
const group = (page: Page, name: string): Locator =>
  sidebar(page).locator('details', { has: page.locator('summary', { hasText: name }) });

async function choose(page: Page, within: Locator, title: string, item: string): Promise<void> {
  await within.getByRole('link', { name: title }).hover();
  await within.getByRole('button', { name: `Actions for ${title}` }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

describe('archiving in a browser', () => {
  it('[UI20] [SES21] takes a session out of every list, into the archived, and back when it is written to', async () => {
    const beckon = await startBeckon();
    const [id = ''] = await startSessions(beckon, threeSessions, await temporaryDirectory());
    const title = 'Greet the new contributors';
    const { page, problems } = await come(beckon, '/');
    await page.getByRole('article', { name: title }).waitFor();
    await choose(page, sidebar(page), title, 'Archive');
    await page.getByRole('article', { name: title }).waitFor({ state: 'detached' });
    await row(page, title).waitFor({ state: 'detached' });
    const archived = async () => (await beckon.api('GET', `/api/sessions/${id}`)).body.session.archived;
    await expect.poll(archived).toBe(true);
    await page.goto(`${beckon.url}/board`);
    await page.locator('[data-card]').first().waitFor();
    expect(await page.locator('[data-card]', { hasText: title }).count()).toBe(0);

    await page.reload();
    await sidebar(page).getByRole('button', { name: 'Archived (1)' }).click();
    await row(page, title).waitFor();
    expect(await row(page, 'Fix the flaky login test').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await sidebar(page).getByRole('button', { name: 'Back to all sessions' }).click();
    await page.keyboard.press('Control+k');
    await focused(page.getByRole('combobox', { name: 'Search and commands' }));
    await page.keyboard.type('greet');
    await page
      .getByRole('option', { name: new RegExp(title) })
      .first()
      .click();
    await page.waitForURL(`${beckon.url}/s/${id}`);
    await page.locator('main').getByText('Archived').waitFor();
    await page.getByRole('textbox', { name: `Message to ${title}` }).fill('hello again');
    await page.keyboard.press('Enter');
    await row(page, title).waitFor();
    await expect.poll(archived).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it('[UI20] refuses what waits for you, in words', async () => {
    const beckon = await startBeckon();
    await startSessions(beckon, threeSessions.slice(2), await temporaryDirectory());
    const { page } = await come(beckon, '/inbox');
    await choose(page, sidebar(page), 'Fix the flaky login test', 'Archive');
    await page.getByText('Something is asked in the session').waitFor();
    await row(page, 'Fix the flaky login test').waitFor();
  });
});

describe('deleting in a browser', () => {
  it('[UI20] says what goes with the session, stops it first, and leaves its page', async () => {
    const beckon = await startBeckon();
    const [, id = '', asking = ''] = await startSessions(beckon, threeSessions, await temporaryDirectory());
    const title = 'Migrate the session store to SQLite';
    const allow = async (scope: string): Promise<void> => {
      const asked = async () => (await beckon.api('GET', `/api/sessions/${asking}/pending`)).body.pending;
      await expect.poll(asked, { timeout: 20_000 }).toHaveLength(1);
      const [{ requestId }] = await asked();
      const { status } = await beckon.api('POST', `/api/sessions/${asking}/approve`, { requestId, scope });
      expect(status).toBe(200);
    };
    await allow('session');
    const { page, problems } = await come(beckon, `/s/${id}`);
    const dialog = page.getByRole('dialog', { name: 'Delete this session?' });
    // A row that moves to another group closes its menu.
    const isAtRest = (): Promise<void> =>
      group(page, 'Idle').getByRole('link', { name: 'Fix the flaky login test' }).waitFor();
    await isAtRest();
    // What was allowed is counted: what holds for this session goes, what holds always stays.
    await choose(page, sidebar(page), 'Fix the flaky login test', 'Delete…');
    await dialog.getByText('what you allowed for this session (1 approval)').waitFor();
    expect(await dialog.getByText('always').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await beckon.api('POST', `/api/sessions/${asking}/message`, { message: 'run npm publish' });
    await allow('always');
    await untilStatus(beckon, asking, 'idle');
    await isAtRest();
    await choose(page, sidebar(page), title, 'Delete…');
    await dialog.getByText('what you allowed for this session (0 approvals)').waitFor();
    await dialog.getByText('So does 1 approval that holds always; it is in the settings.').waitFor();
    for (const part of [title, 'conversation', 'images', 'raw output', 'allowed'])
      await dialog.getByText(part).first().waitFor();
    await dialog.getByText('It is still running, and is stopped first.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await beckon.api('GET', `/api/sessions/${id}`)).status).toBe(200);
    await choose(page, sidebar(page), title, 'Delete…');
    await dialog.getByRole('button', { name: 'Stop and delete' }).click();
    await page.waitForURL(`${beckon.url}/`);
    await row(page, title).waitFor({ state: 'detached' });
    expect((await beckon.api('GET', `/api/sessions/${id}`)).status).toBe(404);
    expect(problems).toEqual([]);
  });
});

describe('renaming in a browser', () => {
  it('[UI20] happens where the title stands: sidebar, board, header; Escape leaves it as it was', async () => {
    const beckon = await startBeckon();
    const [id = ''] = await startSessions(beckon, threeSessions.slice(0, 1), await temporaryDirectory());
    const titled = async (): Promise<string> =>
      (await beckon.api('GET', `/api/sessions/${id}`)).body.session.title;
    const { page, problems } = await come(beckon, '/board');
    await choose(page, sidebar(page), 'Greet the new contributors', 'Rename');
    const field = page.getByRole('textbox', { name: 'Title' });
    await field.fill('Side');
    await page.keyboard.press('Enter');
    await row(page, 'Side').waitFor();
    await expect.poll(titled).toBe('Side');
    await choose(page, page.locator('main'), 'Side', 'Rename');
    await field.fill('Board');
    await page.keyboard.press('Enter');
    await page.locator('main').getByRole('link', { name: 'Board' }).waitFor();
    await expect.poll(titled).toBe('Board');
    await choose(page, sidebar(page), 'Board', 'Rename');
    await field.fill('never');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    expect(await titled()).toBe('Board');

    await page.goto(`${beckon.url}/s/${id}`);
    await page.getByRole('heading', { name: 'Board' }).waitFor();
    await drawn(page);
    await page.keyboard.press('Control+k');
    await focused(page.getByRole('combobox', { name: 'Search and commands' }));
    await page.keyboard.type('rename');
    await page.getByRole('option', { name: /Rename/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await field.fill('Header');
    // Whoever goes on to something else keeps the focus there.
    await page.getByRole('textbox', { name: /^Message to/ }).click();
    await page.getByRole('heading', { name: 'Header' }).waitFor();
    await focused(page.getByRole('textbox', { name: /^Message to/ }));
    expect(problems).toEqual([]);
  });
});

describe('the list of sessions in a browser', () => {
  it('[UI20] [SES22] keeps a pinned session at the head, also after a reload', async () => {
    const beckon = await startBeckon();
    await startSessions(beckon, threeSessions, await temporaryDirectory());
    const { page } = await come(beckon, '/inbox');
    await choose(page, sidebar(page), 'Greet the new contributors', 'Pin');
    await group(page, 'Pinned').getByText('Greet the new contributors').waitFor();
    await page.reload();
    await group(page, 'Pinned').getByText('Greet the new contributors').waitFor();
    expect(await group(page, 'Idle').count()).toBe(0);
    await choose(page, sidebar(page), 'Greet the new contributors', 'Unpin');
    await group(page, 'Idle').getByText('Greet the new contributors').waitFor();
  });

  it('[UI20] folds what ended more than a week ago under Older', async () => {
    const dataDir = await temporaryDirectory();
    const stopped: NewEvent = { type: 'session.stopped', by: { kind: 'person' }, returned: [] };
    await storeSession(dataDir, { id: 'ses_old', title: 'Long over', events: [stopped] });
    const beckon = await startBeckon({ dataDir });
    const [id = ''] = await startSessions(beckon, threeSessions.slice(0, 1), await temporaryDirectory());
    await beckon.api('POST', `/api/sessions/${id}/stop`, {});
    const { page } = await come(beckon, '/sessions', phone);
    const main = page.locator('main');
    await main.getByText('Ended').click();
    await main.getByRole('link', { name: 'Greet the new contributors' }).waitFor();
    expect(await main.getByRole('link', { name: 'Long over' }).isVisible()).toBe(false);
    await main.getByText('Older').click();
    await main.getByRole('link', { name: 'Long over' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${beckon.url}/board`);
    const column = page.getByRole('region', { name: 'Ended' });
    await column.getByRole('link', { name: 'Greet the new contributors' }).waitFor();
    expect(await column.getByRole('link', { name: 'Long over' }).isVisible()).toBe(false);
  });
});
