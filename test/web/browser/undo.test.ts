import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, withBrowser } from './browser.ts';
import { untilStatus } from './demo-sessions.ts';

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
beforeAll(async () => {
  beckon = await startBeckon({ env: { BECKON_DEMO_PACE: '0' } });
});

/** A session that has written a file in a repository, in its second turn, at its end. */
async function begin() {
  const cwd = await temporaryDirectory();
  execFileSync('git', ['init', '-q', cwd]);
  await writeFile(join(cwd, 'own.txt'), 'mine\n');
  const { body } = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd,
    title: 'Writing',
    prompt: 'remember the blue door',
  });
  const id: string = body.session.id;
  const { page, problems } = await come(beckon, `/s/${id}`, desktop);
  await page.getByRole('textbox', { name: /Writing/ }).fill('write notes.md');
  await page.keyboard.press('Enter');
  const card = page.getByRole('main').locator('[data-ask]');
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await card.getByText('Status: reviewed by a person').waitFor();
  // What comes with it from the file moves the button.
  await card.getByText('The lines around it are those of the file as it is now.').waitFor();
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  const foot = page.getByRole('button', { name: /^1 file changed/ });
  await foot.waitFor();
  await untilStatus(beckon, id, 'idle');
  return { id, cwd, page, problems, foot, notes: join(cwd, 'notes.md') };
}

async function openUndo(page: Page) {
  await page.getByRole('button', { name: 'What can be done with this turn' }).last().click();
  await page.getByRole('menuitem', { name: 'Go back to before this turn…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('notes.md', { exact: false }).first().waitFor();
  return dialog;
}

it('[CHG40] [CHG41] a turn says what it changed; going back takes that away and nothing else, can be redone, and waits for turns', async () => {
  const { cwd, page, problems, foot, notes } = await begin();
  const written = await readFile(notes, 'utf8');
  await writeFile(join(cwd, 'own.txt'), 'mine, edited meanwhile\n');
  await expect.poll(() => foot.textContent()).toMatch(/1 file changed\+\d+$/);

  const dialog = await openUndo(page);
  await dialog.getByText('is removed: it was not there before').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(existsSync(notes)).toBe(true);
  await dialog.getByRole('button', { name: 'Put back' }).click();
  await page.getByText('1 file was put back to before a turn.').waitFor();
  expect(existsSync(notes)).toBe(false);
  expect(await readFile(join(cwd, 'own.txt'), 'utf8')).toBe('mine, edited meanwhile\n');
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole('button', { name: 'Redo' }).click();
  await dialog.getByText('notes.md').waitFor();
  await dialog.getByRole('button', { name: 'Redo' }).click();
  await page.getByText('1 file was put back to before an undo.').waitFor();
  expect(await readFile(notes, 'utf8')).toBe(written);
  expect(problems).toEqual([]);

  // A turn of another session runs in the same files.
  const other = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd,
    title: 'At work there',
    prompt: 'write other.md',
  });
  await eventually('it asks', async () => {
    const { body } = await beckon.api('GET', `/api/sessions/${other.body.session.id}`);
    return body.session.status === 'waiting';
  });
  await openUndo(page);
  await dialog.getByRole('button', { name: 'Put back' }).click();
  await dialog.getByRole('link', { name: 'At work there' }).waitFor();
  expect(existsSync(notes)).toBe(true);
});

it('[CHG40] [CHG41] what a person edited since is asked for, shown, and overwritten only when that was chosen for what was seen', async () => {
  const { id, page, problems, notes } = await begin();
  const written = await readFile(notes, 'utf8');
  await writeFile(notes, `${written}my own line\n`);
  const dialog = await openUndo(page);
  const go = dialog.getByRole('button', { name: 'Put back' });
  await go.click();
  await dialog.getByText('It was edited since.').waitFor();
  await expect.poll(() => go.isDisabled()).toBe(true);
  expect(await readFile(notes, 'utf8')).toBe(`${written}my own line\n`);
  await dialog.getByRole('button', { name: 'What was edited' }).click();
  await dialog.getByText('my own line').waitFor();
  expect(await violationsOf(page)).toEqual([]);

  // Edited once more, after it was shown.
  await dialog.getByLabel('Overwrite it').check();
  await writeFile(notes, `${written}my own line\nand another\n`);
  await go.click();
  await dialog.getByText('It has changed again meanwhile').waitFor();
  expect(await readFile(notes, 'utf8')).toContain('and another');
  await dialog.getByLabel('Leave it as it is').check();
  await go.click();
  await dialog.waitFor({ state: 'detached' });
  expect(await readFile(notes, 'utf8')).toContain('and another');

  // With the choice to overwrite, and the conversation from there.
  const again = await openUndo(page);
  await again.getByLabel(/Go on with the conversation from there/).check();
  await again.getByRole('button', { name: 'Put back' }).click();
  await again.getByLabel('Overwrite it').check();
  await again.getByRole('button', { name: 'Put back' }).click();
  await page.getByText('What was said before is in the session that this is a fork of:').waitFor();
  expect(existsSync(notes)).toBe(false);
  const fork = new URL(page.url()).pathname.split('/').at(-1);
  expect(fork).not.toBe(id);
  await page.getByRole('textbox', { name: /Writing \(fork\)/ }).fill('what do you remember');
  await page.keyboard.press('Enter');
  await page.getByText('You asked me to remember: the blue door', { exact: false }).waitFor();
  expect(await page.getByText('write notes.md').count()).toBe(0);
  await page.getByRole('main').getByRole('link', { name: 'Writing', exact: true }).click();
  await page.getByText('This conversation goes on in a fork:').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  // The obstacles come as refusals.
  expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
});
