import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { personsGit } from '../../runner/workspace/repositories.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { type HeardAgent, heardAgent } from '../../support/heard-agent.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, type Visit, withBrowser } from './browser.ts';
import { focused } from './focus.ts';

const { come } = withBrowser({ servers: 'all tests', pages: 'all tests' });
let beckon: Beckon;
let agent: HeardAgent;
let tree: string;
let id: string;
let page: Page;
let problems: readonly string[];

const lines = Array.from({ length: 12 }, (_, at) => `export const line${at + 1} = ${at + 1};`);

beforeAll(async () => {
  tree = await temporaryDirectory();
  personsGit(tree, ['init', '-q', '-b', 'main']);
  write('app.ts', lines.join('\n'));
  write('gone.ts', 'export const gone = `\n```\n`;');
  personsGit(tree, ['add', '.']);
  personsGit(tree, ['commit', '-q', '-m', 'first']);
  agent = heardAgent(await temporaryDirectory());
  beckon = await startBeckon({ args: ['--claude', agent.program] });
  const made = await beckon.api('POST', '/api/sessions', { agent: 'claude', cwd: tree, title: 'Work' });
  id = made.body.session.id;
  await beckon.api('POST', `/api/sessions/${id}/trust`, { minutes: 60 });
  await turn("run sed -i 's/line3 = 3/line3 = 33/; s/line9 = 9/line9 = 99/' app.ts && rm gone.ts");
  ({ page, problems } = await open());
});

const write = (path: string, content: string): void => writeFileSync(join(tree, path), `${content}\n`);

/** Tells the agent to do something, and waits until it has. */
async function turn(message: string): Promise<void> {
  const ends = async (): Promise<number> => {
    const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
    return body.events.filter(({ type }: { type: string }) => type === 'turn.ended').length;
  };
  const before = await ends();
  expect((await beckon.api('POST', `/api/sessions/${id}/message`, { message })).status).toBeLessThan(300);
  await eventually('the turn has ended', async () => (await ends()) > before);
}

const comments = async () => (await beckon.api('GET', `/api/sessions/${id}/comments`)).body.comments;
const open = (view = desktop): Promise<Visit> => come(beckon, `/s/${id}/changes?since=start`, view);
const number = (page: Page, name: string, path = 'app.ts'): Locator =>
  page.getByRole('region', { name: path, exact: true }).getByRole('button', { name, exact: true });
const field = (page: Page, place: string): Locator =>
  page.getByRole('textbox', { name: `Comment on ${place}`, exact: true });
/** Types into the field that picking lines opens, once it has the focus. */
async function typeInto(page: Page, place: string, text: string): Promise<void> {
  await focused(field(page, place));
  await page.keyboard.type(text);
}
const said = (page: Page, text: string): Locator => page.getByRole('paragraph').filter({ hasText: text });
const toSend = (page: Page, count: number): Locator =>
  page.getByRole('button', { name: count === 1 ? '1 comment' : `${count} comments`, exact: true });

describe('a review of what an agent did', () => {
  it('[CHG36] [CHG33] [CHG34] three comments, by pointer, drag and keys, on two devices, reach the agent as one message', async () => {
    await number(page, 'Line 3').click();
    await field(page, 'app.ts:3').fill('Why 33?');
    await page.reload();
    // What was typed is there again.
    await expect.poll(() => field(page, 'app.ts:3').inputValue()).toBe('Why 33?');
    await field(page, 'app.ts:3').press('Control+Enter');
    await said(page, 'Why 33?').waitFor();
    await toSend(page, 1).waitFor();

    await number(page, 'Line 8').hover();
    await page.mouse.down();
    await number(page, 'Line 10').hover();
    await page.mouse.up();
    await typeInto(page, 'app.ts:8-10', 'These three\nbelong together.');
    await page.keyboard.press('Control+Enter');
    await toSend(page, 2).waitFor();

    const mobile = await open(phone);
    await toSend(mobile.page, 2).waitFor();
    await number(mobile.page, 'Line 2 before', 'gone.ts').tap();
    await field(mobile.page, 'gone.ts:2').fill('This was needed.');
    await mobile.page.getByRole('button', { name: 'Add comment' }).tap();
    await toSend(mobile.page, 3).tap();
    const sheet = mobile.page.getByRole('dialog', { name: 'Comments to the agent' });
    await expect.poll(() => sheet.getByRole('listitem').count()).toBe(3);
    expect(await violationsOf(mobile.page)).toEqual([]);

    await toSend(page, 3).click();
    const dialog = page.getByRole('dialog', { name: 'Comments to the agent' });
    await dialog.getByRole('textbox', { name: 'On the whole' }).fill('Nearly there.');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send 3 comments' }).click();
    await dialog.waitFor({ state: 'detached' });
    const heard = await eventually('the agent has heard it', () =>
      agent.messages().find((text) => text.startsWith('Nearly there.')),
    );
    expect(heard).toBe(
      [
        'Nearly there.',
        '',
        '3 comments on the changes. Lines marked "after" are counted in the files with the changes, "before" in the files without them.',
        '',
        '1. app.ts:3 (after)',
        '```',
        'export const line3 = 33;',
        '```',
        'Why 33?',
        '',
        '2. app.ts:8-10 (after)',
        '```',
        'export const line8 = 8;',
        'export const line9 = 99;',
        'export const line10 = 10;',
        '```',
        'These three\nbelong together.',
        '',
        '3. gone.ts:2 (before)',
        '````',
        '```',
        '````',
        'This was needed.',
      ].join('\n'),
    );
    // On the other device there is nothing left to send.
    await sheet.getByText('No comments wait to be sent.').waitFor();
    await expect.poll(() => sheet.getByRole('button', { name: /^Send/ }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: '3 comments on the changes' }).waitFor();
    await expect.poll(comments).toEqual([]);
    expect([...problems, ...mobile.problems]).toEqual([]);
    await mobile.context.close();
  });

  it('[CHG36] a comment is edited, removed and put back; what another device made of it meanwhile is shown', async () => {
    await number(page, 'Line 3').focus();
    await page.keyboard.press('Enter');
    await typeInto(page, 'app.ts:3', 'First words');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Edit the comment' }).click();
    await field(page, 'app.ts:3').fill('Second words');
    await expect.poll(comments).toHaveLength(1);
    const [{ commentId, revision: shown }] = await comments();
    await beckon.api('PATCH', `/api/sessions/${id}/comments/${commentId}`, { text: 'Theirs', shown });
    await said(page, 'Theirs').waitFor();
    await page.getByRole('button', { name: 'Save mine instead' }).click();
    await said(page, 'Second words').waitFor();
    await page.getByRole('button', { name: 'Remove the comment' }).click();
    await page.getByText('Comment removed.').waitFor();
    await expect.poll(comments).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Second words').waitFor();

    // A change of one that is sent meanwhile is not lost.
    await page.getByRole('button', { name: 'Edit the comment' }).click();
    await field(page, 'app.ts:3').fill('Third words');
    await expect.poll(comments).toHaveLength(1);
    const [last] = await comments();
    await beckon.api('POST', `/api/sessions/${id}/comments/send`, {
      comments: [{ commentId: last.commentId, shown: last.revision }],
    });
    await page.getByRole('button', { name: 'Add mine as a new comment' }).click();
    await said(page, 'Third words').waitFor();
    await expect.poll(comments).toMatchObject([{ text: 'Third words' }]);
  });

  it('[CHG36] [CHG37] when the agent goes on, comments move with their lines or are told as outdated, and marks are lost', async () => {
    await number(page, 'Line 9').click();
    await typeInto(page, 'app.ts:9', 'Stays with its line');
    await page.keyboard.press('Control+Enter');
    await toSend(page, 2).waitFor();
    const box = page.getByRole('region', { name: 'app.ts' }).getByRole('checkbox', { name: 'Seen: app.ts' });
    await page.getByRole('region', { name: 'app.ts', exact: true }).getByRole('checkbox').check();
    await page.getByText('1 of 2 seen').waitFor();
    expect(await box.isChecked()).toBe(true);

    await turn("run sed -i '1i // new' app.ts && sed -i 's/line3 = 33/line3 = 34/' app.ts");
    expect(readFileSync(join(tree, 'app.ts'), 'utf8')).toContain('line3 = 34');
    await page.getByText('0 of 2 seen').waitFor();
    await page.getByText('now at line 10').waitFor();
    await toSend(page, 2).click();
    const items = page.getByRole('dialog').getByRole('listitem');
    await expect
      .poll(() => items.first().textContent())
      .toMatch(/app\.ts:3The lines have changed since.*line3 = 33;/s);
    await expect
      .poll(() => items.last().textContent())
      .toMatch(/app\.ts:9now at line 10.*Stays with its line/s);
    await page.getByRole('button', { name: 'app.ts:9', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('v');
    await page.getByText('1 of 2 seen').waitFor();
  });

  it('[CHG33] while the agent works the button says that they are queued, and in what other ways they can be sent', async () => {
    await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'slow 100000' });
    await toSend(page, 2).click();
    const dialog = page.getByRole('dialog', { name: 'Comments to the agent' });
    await dialog.getByRole('button', { name: 'Queue 2 comments' }).waitFor();
    await dialog.getByRole('button', { name: 'Other ways to send' }).click();
    await page.getByRole('menuitem', { name: /^Steer/ }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Queue 2 comments' }).click();
    await page.getByText('Comments queued.').waitFor();
    const { body } = await beckon.api('GET', `/api/sessions/${id}/queue`);
    expect(body.queue).toHaveLength(1);
    expect(body.queue[0].message).toContain('app.ts:3 (after; these lines have changed since)');
    // Taken out of the queue, they are drafts again.
    await beckon.api('DELETE', `/api/sessions/${id}/queue/${body.queue[0].messageId}`);
    await toSend(page, 2).waitFor();
  });
});
