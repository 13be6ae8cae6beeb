import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { personsGit } from '../../runner/workspace/repositories.ts';
import { type Beckon, startBeckon } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { branchedRepository } from './branched-repository.ts';
import { desktop, phone, type View, withBrowser } from './browser.ts';
import { untilStatus } from './demo-sessions.ts';

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
beforeAll(async () => {
  beckon = await startBeckon({ env: { BECKON_DEMO_PACE: '0' } });
});

async function begin(view: View = desktop) {
  const repository = await branchedRepository(beckon);
  await untilStatus(beckon, repository.id, 'idle');
  const { page, problems } = await come(beckon, `/s/${repository.id}`, view);
  return { ...repository, page, problems };
}

async function open(page: Page, actions: string | RegExp, entry: string) {
  await page.getByRole('main').getByRole('button', { name: actions }).click();
  await page.getByRole('menuitem', { name: entry }).click();
  return page.getByRole('dialog');
}

it('[CHG52] [CHG54] [CHG57] [CHG59] [CHG60] what the agent made is committed with the message it proposes, merged where the base is checked out, and pushed', async () => {
  const { id, main, tree, bare, git, page, problems } = await begin();
  writeFileSync(join(tree, 'greeting.txt'), 'hello, world\n');
  writeFileSync(join(tree, 'scratch.txt'), 'not for anyone\n');
  writeFileSync(join(main, 'mine.txt'), 'of the person\n');
  const dialog = await open(page, 'Actions for Greeting', 'Commit, land, push…');
  await dialog.getByText('2 files are not committed').waitFor();
  await dialog.getByRole('button', { name: 'Commit…' }).click();
  await dialog.getByText('On branch agent/greeting, as Grace <grace@example.org>').waitFor();
  await dialog
    .getByRole('group', { name: /^Files/ })
    .getByRole('checkbox', { name: 'scratch.txt' })
    .uncheck();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Ask the agent for a message' }).click();
  await dialog.getByText('Proposed by the agent').waitFor();
  const message = dialog.getByRole('textbox', { name: 'Message' });
  await expect.poll(() => message.inputValue()).toBe('Work on greeting.txt\n\nAs the demo agent sees it.');
  await untilStatus(beckon, id, 'idle');
  expect(git('rev-list', '--count', 'agent/greeting').trim()).toBe('1');
  await dialog.getByRole('button', { name: 'Commit 1 file', exact: true }).click();

  await dialog.getByText('1 commit to land').waitFor();
  expect(git('log', '-1', '--format=%an: %s', 'agent/greeting').trim()).toBe('Grace: Work on greeting.txt');
  expect(personsGit(tree, ['status', '--porcelain'])).toBe('?? scratch.txt\n');
  await dialog.getByText(`main is checked out in ${main}; the files there go along.`).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Merge into main' }).click();
  await dialog.getByText(/^Landed on main as/).waitFor();
  expect(readFileSync(join(main, 'greeting.txt'), 'utf8')).toBe('hello, world\n');
  expect(git('status', '--porcelain')).toBe('?? mine.txt\n');
  expect(git('log', '-1', '--format=%s').trim()).toBe("Merge branch 'agent/greeting'");

  expect(personsGit(bare, ['for-each-ref'])).toBe('');
  await dialog.getByText(`main to origin: ${bare}`).waitFor();
  await dialog.getByRole('button', { name: 'Push main' }).click();
  await dialog.getByText('Pushed.').waitFor();
  expect(personsGit(bare, ['rev-parse', 'main'])).toBe(git('rev-parse', 'main'));
  await page.keyboard.press('Escape');
  for (const told of [
    '1 file was committed on agent/greeting: Work on greeting.txt',
    'agent/greeting landed on main.',
    `main was pushed to ${bare}.`,
  ])
    await page.getByRole('main').getByText(told).waitFor();
  expect(problems).toEqual([]);
});

it('[CHG55] [CHG59] conflicts are shown as they are, nothing is done, and the agent can be asked; on a phone, in German', async () => {
  const { main, tree, git, page, problems } = await begin({ ...phone, language: 'de' });
  writeFileSync(join(tree, 'greeting.txt'), 'hello, world\n');
  personsGit(tree, ['commit', '-q', '-a', '-m', 'World']);
  writeFileSync(join(main, 'greeting.txt'), 'good morning\n');
  git('commit', '-q', '-a', '-m', 'Morning');
  const before = git('rev-parse', 'main');
  const dialog = await open(page, 'Aktionen für Greeting', 'Committen, übernehmen, pushen …');
  await dialog.getByText('auf beiden Seiten geändert').waitFor();
  await dialog.getByText('good morning').waitFor();
  await dialog.getByText('hello, world').waitFor();
  await expect.poll(() => dialog.getByRole('button', { name: 'In main mergen' }).isDisabled()).toBe(true);
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Den Agenten bitten, main in seinen Branch zu mergen' }).click();
  await page.getByText('Please merge the branch').first().waitFor();
  expect(git('rev-parse', 'main')).toBe(before);
  expect(existsSync(join(main, '.git/index.lock'))).toBe(false);
  // A 409 is answered by looking again, and the console is not the place to complain.
  expect(problems).toEqual([]);
});
