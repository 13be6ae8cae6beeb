import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, drawn, phone, type View, type Visit, withBrowser } from './browser.ts';
import { startSessions, stopSessions } from './demo-sessions.ts';
import { focused } from './focus.ts';

const { come } = withBrowser({ servers: 'all tests' });
let shared: Beckon;
beforeAll(async () => {
  shared = await startBeckon();
});
afterEach(() => stopSessions(shared));

/** A session of the demo agent at work, and its page in a browser. */
async function begin(
  prompt: string,
  status: string,
  view: View = desktop,
): Promise<Visit & { readonly beckon: Beckon; readonly id: string }> {
  const [id = ''] = await startSessions(
    shared,
    [{ title: 'Talk', prompt, status }],
    await temporaryDirectory(),
  );
  return { ...(await come(shared, `/s/${id}`, view)), beckon: shared, id };
}

const composerOf = (page: Page) => page.getByRole('textbox', { name: 'Message to Talk' });
const queueOf = (page: Page) => page.getByRole('region', { name: 'Queued messages' }).getByRole('listitem');

/** The texts that the agent took, in their order. */
async function takenBy(beckon: Beckon, id: string): Promise<string[]> {
  const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
  return body.events
    .filter(({ type }: { type: string }) => type === 'message.taken')
    .map(({ text }: { text: string }) => text);
}

/** A small picture on the clipboard, pasted where messages are written. */
const paste = (page: Page): Promise<void> =>
  composerOf(page).evaluate((field) => {
    const bytes = Uint8Array.from(
      atob(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      ),
      (character) => character.charCodeAt(0),
    );
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], 'shot.png', { type: 'image/png' }));
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });

describe('the composer in a browser', () => {
  it('[UI24] [UI8] completes the files of the directory at an @, by keyboard and in the middle of a text', async () => {
    const beckon = shared;
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'src'));
    for (const name of ['src/room.ts', 'src/room-view.ts', 'a file.md'])
      await writeFile(join(directory, name), '');
    const [id = ''] = await startSessions(
      beckon,
      [{ title: 'Talk', prompt: 'hello', status: 'idle' }],
      directory,
    );
    const { page, problems } = await come(beckon, `/s/${id}`);
    await composerOf(page).fill('Look into  and tell.');
    for (let step = 0; step < ' and tell.'.length; step += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('@room');
    const files = page.getByRole('listbox', { name: 'Files of the session' }).getByRole('option');
    await expect.poll(() => files.allTextContents()).toEqual(['src/room-view.ts', 'src/room.ts']);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'src/room.ts', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => composerOf(page).inputValue()).toBe('Look into @src/room.ts and tell.');
    await page.keyboard.type('@file');
    await files.filter({ hasText: 'a file.md' }).click();
    await expect
      .poll(() => composerOf(page).inputValue())
      .toBe('Look into @src/room.ts @"a file.md" and tell.');
    await focused(composerOf(page));
    await page.keyboard.press('Enter');
    await expect
      .poll(() => takenBy(beckon, id))
      .toEqual(['hello', 'Look into @src/room.ts @"a file.md" and tell.']);
    expect(problems).toEqual([]);
  });

  it('[MSG2] [MSG3] queues, edits, reorders and removes by keyboard and by hand, and sends in that order', async () => {
    const { page, beckon, id, problems } = await begin('slow 100000', 'running');
    await composerOf(page).waitFor();
    await drawn(page);
    await page.keyboard.press('m');
    await focused(composerOf(page));
    for (const text of ['first', 'second', 'third', 'fourth']) {
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await queueOf(page).filter({ hasText: text }).waitFor();
    }
    await page.keyboard.press('ArrowUp');
    const editing = page.getByRole('textbox', { name: 'Edit the queued message' });
    await focused(editing);
    await page.keyboard.type(', edited');
    await page.keyboard.press('Enter');
    await editing.waitFor({ state: 'detached' });
    await queueOf(page).filter({ hasText: 'fourth, edited' }).waitFor();

    await queueOf(page).nth(2).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => queueOf(page).nth(1).textContent()).toContain('third');
    // A message whose change is not confirmed yet takes no other one.
    const unconfirmed = page.locator('[data-queued][aria-busy]');
    await unconfirmed.waitFor({ state: 'detached' });
    await focused(queueOf(page).nth(1));
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => queueOf(page).first().textContent()).toContain('third');
    await unconfirmed.waitFor({ state: 'detached' });
    await queueOf(page).nth(1).focus();
    await page.keyboard.press('Delete');
    await expect.poll(() => queueOf(page).count()).toBe(3);
    await focused(queueOf(page).nth(1));
    await queueOf(page).nth(2).dragTo(queueOf(page).first());
    await expect.poll(() => queueOf(page).first().textContent()).toContain('fourth');

    await beckon.api('POST', `/api/sessions/${id}/interrupt`, {});
    await expect
      .poll(() => takenBy(beckon, id))
      .toEqual(['slow 100000', 'fourth, edited', 'third', 'second']);
    await expect.poll(() => queueOf(page).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('[MSG1] redirects the agent with Ctrl+Enter', async () => {
    const { page, beckon, id, problems } = await begin('slow 100000', 'running');
    await composerOf(page).fill('turn around');
    await composerOf(page).press('Control+Enter');
    await expect.poll(() => takenBy(beckon, id)).toEqual(['slow 100000', 'turn around']);
    const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
    const ends = body.events.filter(({ type }: { type: string }) => type === 'turn.ended');
    expect(ends[0]?.outcome).toBe('interrupted');
    expect(problems).toEqual([]);
  });

  it('[MSG7] Enter does while the agent works what is set, Ctrl+Enter the other, and the button says which', async () => {
    const { page, beckon, id, problems } = await begin('slow 100000', 'running');
    const send = page.getByRole('button', { name: /^(Queue|Interrupt) Enter$/ });
    const set = async (choice: string): Promise<void> => {
      await page.getByRole('button', { name: 'Other ways to send' }).click();
      await page.getByRole('menuitemradio', { name: choice }).click();
    };
    await composerOf(page).fill('wait for it');
    await expect.poll(() => send.textContent()).toContain('Queue');
    await composerOf(page).press('Enter');
    await queueOf(page).filter({ hasText: 'wait for it' }).waitFor();

    await composerOf(page).fill('slow 99999');
    await set('Enter interrupts');
    await page.getByRole('button', { name: /^Interrupt Enter$/ }).waitFor();
    expect(await composerOf(page).inputValue()).toBe('slow 99999');
    await expect.poll(() => composerOf(page).getAttribute('placeholder')).toBe('Interrupt with a message…');
    await composerOf(page).press('Control+Enter');
    await expect.poll(() => queueOf(page).count()).toBe(2);
    await composerOf(page).fill('slow 88888');
    await composerOf(page).press('Enter');
    await expect.poll(() => takenBy(beckon, id)).toEqual(['slow 100000', 'slow 88888']);
    await expect.poll(() => queueOf(page).count()).toBe(2);

    const other = await come(beckon, `/s/${id}`);
    await composerOf(other.page).fill('typed elsewhere');
    await other.page.getByRole('button', { name: /^Interrupt Enter$/ }).waitFor();
    await set('Enter queues');
    await other.page.getByRole('button', { name: /^Queue Enter$/ }).waitFor();
    await composerOf(other.page).press('Enter');
    await expect.poll(() => queueOf(page).count()).toBe(3);
    expect([...problems, ...other.problems]).toEqual([]);
  });

  it('[MSG7] a server that is set to interrupt does so in every session that is not set for itself', async () => {
    const dataDir = await temporaryDirectory();
    await writeFile(join(dataDir, 'config.json'), JSON.stringify({ whileBusy: 'interrupt' }));
    const beckon = await startBeckon({ dataDir });
    const [id = ''] = await startSessions(
      beckon,
      [{ title: 'Talk', prompt: 'slow 100000', status: 'running' }],
      await temporaryDirectory(),
    );
    const { page, problems } = await come(beckon, `/s/${id}`);
    await composerOf(page).fill('turn around');
    await page.getByRole('button', { name: /^Interrupt Enter$/ }).waitFor();
    await composerOf(page).press('Enter');
    await expect.poll(() => takenBy(beckon, id)).toEqual(['slow 100000', 'turn around']);
    expect(problems).toEqual([]);
  });

  it('[MSG6] [SES10] keeps text and image of a draft across a reload and a restart, and sends both', async () => {
    const dataDir = await temporaryDirectory();
    const beckon = await startBeckon({ dataDir });
    const [id = ''] = await startSessions(
      beckon,
      [{ title: 'Talk', prompt: 'hello', status: 'idle' }],
      await temporaryDirectory(),
    );
    const { page } = await come(beckon, `/s/${id}`);
    await composerOf(page).fill('image');
    await paste(page);
    await page.getByRole('button', { name: 'Remove shot.png' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Remove shot.png' }).waitFor();
    await beckon.stop();
    await page.getByText('Not connected. What you type is safe.').waitFor();
    await composerOf(page).press('Enter');
    expect(await composerOf(page).inputValue()).toBe('image');
    const again = await startBeckon({ dataDir, args: ['--port', new URL(beckon.url).port] });
    await page.getByText('Not connected. What you type is safe.').waitFor({ state: 'detached' });
    await composerOf(page).press('Enter');
    await page
      .getByText(/image\/png/)
      .first()
      .waitFor();
    expect(await takenBy(again, id)).toEqual(['hello', 'image']);
    await page.getByRole('button', { name: 'Remove shot.png' }).waitFor({ state: 'detached' });
  });

  it('[MSG5] keeps a message whose reply was lost, also across a reload, and sends it once', async () => {
    const { page, beckon, id } = await begin('hello', 'idle');
    let isFirst = true;
    await page.route('**/api/sessions/*/message', async (request) => {
      if (!isFirst) return request.continue();
      isFirst = false;
      await request.fetch();
      await request.abort();
    });
    await composerOf(page).fill('say it once');
    await composerOf(page).press('Enter');
    await page.getByRole('region', { name: 'Not sent' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Not sent' }).waitFor({ state: 'detached' });
    await expect.poll(() => takenBy(beckon, id)).toEqual(['hello', 'say it once']);
  });

  it('[UI4] answers the one open question with what was typed', async () => {
    const { page, beckon, id } = await begin('tour', 'waiting');
    const { body } = await beckon.api('GET', `/api/sessions/${id}/pending`);
    await beckon.api('POST', `/api/sessions/${id}/approve`, {
      requestId: body.pending[0].requestId,
      decision: 'allow',
    });
    await page.getByRole('button', { name: 'Answer the question', pressed: true }).click();
    await composerOf(page).fill('Paint the shed');
    await composerOf(page).press('Enter');
    await page.getByText(/You answered my question with Paint the shed/).waitFor();
  });

  it('[UI4] [UI8] offers the agent’s commands at a slash, by keyboard, and sends only what is meant to be sent', async () => {
    const { page, beckon, id, problems } = await begin('hello', 'idle');
    await composerOf(page).waitFor();
    await drawn(page);
    await page.keyboard.press('m');
    await focused(composerOf(page));
    await page.keyboard.type('/');
    const choosing = page.getByRole('combobox', { name: 'Message to Talk', expanded: true });
    await choosing.waitFor();
    const options = page.getByRole('listbox', { name: 'Commands of the agent' }).getByRole('option');
    await expect.poll(() => options.first().textContent()).toContain('/tour');
    await page.keyboard.type('r');
    await expect.poll(() => options.first().textContent()).toContain('/run');
    const chosen = page.getByRole('option', { selected: true });
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => chosen.textContent()).toContain('/remember');
    await expect
      .poll(
        async () =>
          (await chosen.getAttribute('id')) === (await choosing.getAttribute('aria-activedescendant')),
      )
      .toBe(true);
    await page.keyboard.press('Escape');
    await options.first().waitFor({ state: 'detached' });
    expect(await composerOf(page).inputValue()).toBe('/r');

    await page.keyboard.press('Control+A');
    await page.keyboard.type('x');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('/rem');
    await page.getByRole('option', { name: /\/remember/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => composerOf(page).inputValue()).toBe('/remember ');
    expect(await takenBy(beckon, id)).toEqual(['hello']);
    await page.keyboard.type('the milk');
    await page.keyboard.press('Enter');
    await page.getByText('I will remember: the milk').first().waitFor();
    expect(await takenBy(beckon, id)).toEqual(['hello', '/remember the milk']);
    expect(problems).toEqual([]);
  });

  it.each([
    ['desktop, dark', { ...desktop, theme: 'dark' as const }, 'en'],
    ['phone, light, German', phone, 'de'],
  ] as const)(
    '[UI8] [UI10] the list of commands is whole, pressed by hand and breaks no accessibility rule: %s',
    async (_, view, language) => {
      const { page, problems } = await begin('hello', 'idle', { ...view, language });
      const field = page.locator('main textarea');
      await field.fill('/');
      const list = page.getByRole('listbox');
      await list.waitFor();
      expect(await violationsOf(page)).toEqual([]);
      const box = await list.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(view.width);
      expect(box?.y).toBeGreaterThanOrEqual(0);
      const option = list.getByRole('option', { name: '/slow' });
      if (view.width < 600) {
        expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
        await option.tap();
      } else await option.click();
      await list.waitFor({ state: 'detached' });
      await expect.poll(() => field.inputValue()).toBe('/slow ');
      await focused(field);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(view.width);
      expect(problems).toEqual([]);
    },
  );

  it.each([
    ['desktop, light', desktop],
    ['phone, dark', { ...phone, theme: 'dark' as const }],
  ])(
    '[UI8] [UI10] breaks no accessibility rule with a full queue, an image and the menu open: %s',
    async (_, view) => {
      const { page, beckon, id, problems } = await begin('slow 100000', 'running', view);
      for (const message of ['short', 'long '.repeat(200), 'x'.repeat(400)])
        await beckon.api('POST', `/api/sessions/${id}/message`, { message });
      await expect.poll(() => queueOf(page).count()).toBe(3);
      await paste(page);
      await composerOf(page).fill('line\n'.repeat(60));
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Other ways to send' }).click();
      await page.getByRole('menuitem', { name: /^Steer/ }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(view.width);
      expect(problems).toEqual([]);
    },
  );
});
