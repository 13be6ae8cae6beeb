import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type KeyName, type KeyScope, keyTable } from '../../../src/web/ui/keys.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { drawn, withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';
import { focused, pressInARow } from './focus.ts';

const { come } = withBrowser();

const names = (scope: KeyScope): KeyName[] =>
  Object.keys(keyTable[scope]).map((name) => `${scope}.${name}` as KeyName);
const keysOf = (name: KeyName): readonly string[] => {
  const [scope = '', own = ''] = name.split('.');
  const rows: Readonly<Record<string, Readonly<Record<string, { readonly keys: readonly string[] }>>>> =
    keyTable;
  return rows[scope]?.[own]?.keys ?? [];
};

/** Presses what the table says, each of the keys in turn, and notes which rows were seen to do what they say. */
function presser(page: Page) {
  const seen = new Set<KeyName>();
  const press = async (key: string): Promise<void> => {
    await pressInARow(page, key.replace('Mod', 'Control'));
  };
  return {
    seen,
    /** `proof` runs after each of the keys, and puts back what it found. */
    async does(name: KeyName, proof: () => Promise<unknown>): Promise<void> {
      for (const key of keysOf(name)) {
        await press(key);
        await proof();
      }
      seen.add(name);
    },
  };
}

/** As long as a slow machine may take. */
const poll = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 20_000 });
const prompts = [
  'hello',
  'think',
  'help',
  'slow 100000',
  'run touch one',
  'run touch two',
  'run touch three',
  'question',
];
const states = ['idle', 'idle', 'idle', 'running', 'waiting', 'waiting', 'waiting', 'waiting'];

async function room(): Promise<{ readonly beckon: Beckon; readonly ids: readonly string[] }> {
  const beckon = await startBeckon();
  const sessions = prompts.map((prompt, at) => ({
    title: at === 0 ? 'Quokka' : `Session ${at}`,
    prompt,
    status: states[at] ?? '',
  }));
  return { beckon, ids: await startSessions(beckon, sessions, await temporaryDirectory()) };
}

describe('each key of the table in a browser', () => {
  it('[UI34] does what the list of keys says: everywhere, in lists, on Mission Control, on the board', async () => {
    const { beckon } = await room();
    const { page, problems } = await come(beckon, '/settings');
    const { seen, does } = presser(page);
    const dialog = page.getByRole('dialog');
    const close = async (): Promise<void> => {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await does('everywhere.new-session', async () => {
      await page.getByRole('dialog', { name: 'New session' }).waitFor();
      await close();
    });
    await does('everywhere.help', async () => {
      const shown = page.getByRole('dialog', { name: 'Keys' });
      for (const name of ['Everywhere', 'On a queued message', 'Choosing from a list'])
        await shown.getByRole('heading', { name }).waitFor();
      expect(await shown.locator('dd').count()).toBeGreaterThan(30);
      expect(await violationsOf(page)).toEqual([]);
      await close();
    });
    const sidebar = page.getByRole('complementary', { name: 'Sessions' });
    const button = sidebar.getByRole('button', { name: 'New session' });
    expect(await button.getAttribute('aria-keyshortcuts')).toBe('n');
    await button.hover();
    const hint = page.locator('[popover]:popover-open').filter({ hasText: 'New session' });
    await poll(() => hint.locator('kbd').allTextContents()).toEqual(['n']);
    await page.mouse.move(700, 500);
    await hint.waitFor({ state: 'detached' });

    // A menu is walked by arrows and letters, and gives the focus back.
    const actions = sidebar.getByRole('button', { name: 'Actions for Quokka' });
    await actions.focus();
    await page.keyboard.press('Enter');
    const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
    await focused(page.getByRole('menuitem').first());
    await page.keyboard.press('End');
    await focused(item('Delete…'));
    await page.keyboard.press('p');
    await focused(item('Pin'));
    await page.keyboard.press('ArrowDown');
    await focused(item('Mute notifications'));
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await focused(actions);
    await does('everywhere.toggle-list', () => sidebar.waitFor({ state: 'hidden' }));
    await does('everywhere.toggle-list', () => sidebar.waitFor());

    await does('everywhere.palette', () =>
      page.getByRole('combobox', { name: 'Search and commands' }).waitFor(),
    );
    const chosen = dialog.getByRole('option', { selected: true });
    const count = Number(await chosen.getAttribute('aria-setsize'));
    expect(count).toBeGreaterThan(12);
    const isAt = (place: number) => () =>
      poll(() => chosen.getAttribute('aria-posinset')).toBe(String(place));
    await does('list.next', isAt(2));
    await does('list.previous', isAt(1));
    await does('list.last', isAt(count));
    await does('list.page-up', isAt(count - 10));
    await does('list.page-down', isAt(count));
    await does('list.first', isAt(1));
    await page.keyboard.type('quokka');
    await chosen.getByText('Quokka').waitFor();
    await does('list.take', () => page.waitForURL(/\/s\//));

    const isAtPath = (path: string) => () => page.waitForURL(`${beckon.url}${path}`);
    await does('everywhere.go-inbox', isAtPath('/inbox'));
    await does('everywhere.go-board', isAtPath('/board'));
    const cards = page.locator('[data-card]');
    const columns = page.locator('main').locator(':scope > * > *').filter({ has: cards });
    const card = (column: number, row: number): Locator =>
      columns.nth(column).locator('[data-card]').nth(row);
    await poll(() => cards.count()).toBe(prompts.length);
    for (const [name, column, row] of [
      ['board.down', 0, 1],
      ['board.up', 0, 0],
      ['board.right', 1, 0],
      ['board.left', 0, 0],
    ] as const)
      for (const key of keysOf(name)) {
        await card(name === 'board.left' ? 1 : 0, name === 'board.up' ? 1 : 0).focus();
        await page.keyboard.press(key);
        await focused(card(column, row));
        seen.add(name);
      }

    await does('everywhere.go-control', isAtPath('/'));
    const monitors = page.locator('[data-flip]');
    await poll(() => monitors.count()).toBe(prompts.length);
    const tops = await monitors.evaluateAll((all) => all.map((each) => (each as HTMLElement).offsetTop));
    const wide = tops.filter((top) => top === tops[0]).length;
    expect(wide).toBeGreaterThan(1);
    for (const [name, from, to] of [
      ['control.right', 0, 1],
      ['control.left', 1, 0],
      ['control.down', 0, wide],
      ['control.up', wide, 0],
    ] as const)
      for (const key of keysOf(name)) {
        await monitors.nth(from).focus();
        await page.keyboard.press(key);
        await focused(monitors.nth(to));
        seen.add(name);
      }
    await does('control.message', () =>
      focused(monitors.first().getByRole('textbox', { name: /^Message to / })),
    );
    await monitors.first().focus();
    await does('control.open', () => page.waitForURL(/\/s\//));
    const all = (['everywhere', 'board', 'control'] as const).flatMap(names);
    expect(all.filter((name) => !seen.has(name))).toEqual([]);
    expect(names('list').filter((name) => !seen.has(name))).toEqual(['list.complete']);
    expect(problems).toEqual([]);
  });

  it('[UI34] does what the list of keys says: in the inbox, a session, its composer and queue, and in fields', async () => {
    const { beckon, ids } = await room();
    const { page, problems } = await come(beckon, '/inbox');
    const { seen, does } = presser(page);
    const open = (count: number) => page.getByText(`${count} open`, { exact: true }).waitFor();
    const title = () => page.locator('[data-row][aria-current=true] .font-medium').first().textContent();
    const isAt = (wanted: string) => () => poll(title).toBe(wanted);
    const order: string[] = [];
    await open(4);
    for (let step = 0; step < 4; step += 1) {
      order.push((await title()) ?? '');
      await page.keyboard.press('j');
      // At the last one there is no further.
      if (step < 3) await poll(title).not.toBe(order.at(-1));
    }
    expect(new Set(order).size).toBe(4);
    const question = order.indexOf('Session 7');
    const toRow = async (row: number): Promise<void> => {
      for (let step = 0; step < 4; step += 1) await page.keyboard.press('k');
      for (let step = 0; step < row; step += 1) await page.keyboard.press('j');
      await isAt(order[row] ?? '')();
    };
    await toRow(0);
    for (const key of keysOf('inbox.next')) {
      await toRow(1);
      await page.keyboard.press(key);
      await isAt(order[2] ?? '')();
      seen.add('inbox.next');
    }
    for (const key of keysOf('inbox.previous')) {
      await toRow(1);
      await page.keyboard.press(key);
      await isAt(order[0] ?? '')();
      seen.add('inbox.previous');
    }
    // The question: its form is sent from any field.
    await toRow(question);
    const card = page.locator('section[data-inbox]');
    for (const group of await card.getByRole('radiogroup').or(card.getByRole('group')).all())
      await group.locator('input').first().check();
    await card.getByRole('button', { name: 'Answer', exact: true }).click({ trial: true });
    await card.locator('input').first().focus();
    await does('field.submit', () => open(3));
    order.splice(question, 1);
    // What was answered stays in the list for a moment, and the choice goes on by itself.
    await page.locator('[data-row]').nth(3).waitFor({ state: 'detached' });
    await toRow(0);
    await does('inbox.select', () => page.getByText('1 selected').waitFor());
    await does('inbox.batch', async () => {
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
    const isReady = () => page.getByRole('button', { name: 'Allow', exact: true }).click({ trial: true });
    await isReady();
    const reason = page.getByRole('textbox', { name: /^Why not/ });
    await does('inbox.deny', () => focused(reason));
    await does('field.leave', () => reason.waitFor({ state: 'detached' }));
    await does('inbox.edit', async () => {
      await focused(page.getByRole('textbox', { name: 'Command' }));
      await page.keyboard.press('Escape');
    });
    // The button that opened it has the focus again, and Enter for itself.
    await page.locator('[data-row][aria-current=true]').focus();
    await does('inbox.open', () => page.waitForURL(/\/s\//));
    await page.goBack();
    await open(3);
    await isReady();
    await does('inbox.allow', () => open(2));
    await isReady();
    await does('inbox.allow-session', () => open(1));

    // The session at work: its composer and queue.
    await page.goto(`${beckon.url}/s/${ids[3]}`);
    const composer = page.getByRole('textbox', { name: 'Message to Session 3' });
    const queue = page.getByRole('region', { name: 'Queued messages' }).getByRole('listitem');
    await composer.waitFor();
    await drawn(page);
    await does('session.write', () => focused(composer));
    for (const text of ['one', 'two', 'three', 'four']) {
      await composer.fill(text);
      await does('composer.send', () => queue.filter({ hasText: text }).waitFor());
    }
    await composer.fill('five');
    await does('composer.break', () => poll(() => composer.inputValue()).toBe('five\n'));
    await composer.fill('');
    const editing = page.getByRole('textbox', { name: 'Edit the queued message' });
    await does('composer.edit-last', () => focused(editing));
    await does('field.leave', () => editing.waitFor({ state: 'detached' }));
    for (const key of keysOf('queue.edit')) {
      await queue.nth(3).focus();
      await page.keyboard.press(key);
      await editing.fill(`four by ${key}`);
      await does('field.send', () => editing.waitFor({ state: 'detached' }));
      await queue.filter({ hasText: `four by ${key}` }).waitFor();
      await page.locator('[data-queued][aria-busy]').waitFor({ state: 'detached' });
      seen.add('queue.edit');
    }
    // One whose change is not confirmed yet takes no other.
    const confirmed = () => page.locator('[data-queued][aria-busy]').waitFor({ state: 'detached' });
    await confirmed();
    await queue.nth(1).focus();
    await does('queue.up', () => poll(() => queue.first().textContent()).toContain('two'));
    await confirmed();
    await queue.first().focus();
    await does('queue.down', () => poll(() => queue.nth(1).textContent()).toContain('two'));
    await confirmed();
    let left = 4;
    for (const key of keysOf('queue.remove')) {
      left -= 1;
      await queue.nth(1).focus();
      await page.keyboard.press(key);
      await poll(() => queue.count()).toBe(left);
      // The focus goes on to the next one when the server has agreed.
      await focused(queue.nth(Math.min(1, left - 1)));
      seen.add('queue.remove');
    }
    await composer.fill('/he');
    await page.getByRole('listbox').waitFor();
    await does('list.complete', () => poll(() => composer.inputValue()).toMatch(/^\/he\w+ $/));
    await composer.fill('now');
    await does('composer.send-otherwise', () => page.getByText('You said: “now”').waitFor());

    // The session that has said much.
    for (const message of ['todo', 'help'])
      await beckon.api('POST', `/api/sessions/${ids[2]}/message`, { message });
    await poll(async () => {
      const { body } = await beckon.api('GET', `/api/sessions/${ids[2]}/events?limit=1000`);
      return body.events.filter(({ type }: { type: string }) => type === 'turn.ended').length;
    }).toBe(3);
    await page.setViewportSize({ width: 1440, height: 420 });
    await page.goto(`${beckon.url}/s/${ids[2]}`);
    await page.getByRole('textbox', { name: 'Message to Session 2' }).waitFor();
    await drawn(page);
    const conversation = page.getByRole('region', { name: 'Conversation' });
    /** How far it is to the end. */
    const toEnd = () =>
      conversation.evaluate(({ scrollHeight, clientHeight, scrollTop }) =>
        Math.round(scrollHeight - clientHeight - scrollTop),
      );
    await conversation.focus();
    await page.keyboard.press('End');
    await poll(toEnd).toBe(0);
    await does('session.message-before', () => poll(toEnd).toBeGreaterThan(0));
    await poll(async () => {
      const before = await toEnd();
      await drawn(page);
      return (await toEnd()) === before;
    }).toBe(true);
    const last = await toEnd();
    await does('session.message-before', () => poll(toEnd).toBeGreaterThan(last));
    await does('session.message-after', () => poll(toEnd).toBe(last));
    const unfolded = conversation.locator('[aria-expanded=true]');
    await does('session.tools', () => poll(() => unfolded.count()).toBeGreaterThan(0));
    await does('session.latest', () => poll(toEnd).toBe(0));
    await does('session.changes', () => page.getByRole('region', { name: 'Changes', exact: true }).waitFor());
    const all = (['inbox', 'session', 'composer', 'queue', 'field'] as const).flatMap(names);
    // Seen where things are pasted.
    seen.add('composer.undo-paste');
    expect(all.filter((name) => !seen.has(name))).toEqual([]);
    expect(seen.has('list.complete')).toBe(true);
    // A directory without git has no changes to tell of: that is a refusal.
    expect(problems.filter((problem) => !/ 422 /.test(problem))).toEqual([]);
  });
});
