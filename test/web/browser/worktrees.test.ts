import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { personsGit } from '../../runner/workspace/repositories.ts';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { violationsOf } from './accessibility.ts';
import { withBrowser } from './browser.ts';

const { come } = withBrowser();

async function project(): Promise<string> {
  const tree = join(await temporaryDirectory(), 'shop');
  mkdirSync(join(tree, '.beckon'), { recursive: true });
  personsGit(tree, ['init', '-q', '-b', 'main']);
  for (const [path, text] of [
    ['a.txt', 'one\n'],
    ['.gitignore', '.env\n'],
    ['.env', 'TOKEN=1\n'],
    ['.worktreeinclude', '.env\n'],
    ['.beckon/worktree.json', '{"default": true}'],
    ['.beckon/setup', 'echo ready > ready\n'],
  ] as const)
    writeFileSync(join(tree, path), text);
  personsGit(tree, ['add', '.']);
  personsGit(tree, ['commit', '-q', '-m', 'The first']);
  personsGit(tree, ['branch', 'release']);
  return tree;
}

const own = (page: Page) => page.getByRole('switch', { name: 'In a worktree of its own' });

async function begin(page: Page, tree: string, prompt: string): Promise<void> {
  await page.keyboard.press('n');
  await page.getByRole('textbox', { name: 'First message' }).fill(prompt);
  await page.getByRole('combobox', { name: 'Directory' }).fill(tree);
  await expect.poll(async () => (await own(page).count()) === 1 && own(page).isChecked()).toBe(true);
}

it('[CHG51] [CHG47] [CHG65] [CHG66] [CHG69] two sessions in two worktrees of one repository edit the same file apart; what is left over is removed as it was shown', async () => {
  const tree = await project();
  const beckon = await startBeckon();
  const { page, problems } = await come(beckon);
  await page.getByRole('button', { name: 'New session' }).first().waitFor();

  // The project wants a worktree; base, files that come along and the whole setup are shown.
  await begin(page, tree, 'run echo of one > a.txt');
  await page.getByText(/^at [0-9a-f]{7}: The first$/).waitFor();
  await page.getByText('Ignored files that come along: .env').waitFor();
  await expect
    .poll(() => page.getByRole('region', { name: '.beckon/setup' }).textContent())
    .toBe('echo ready > ready\n');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Start Ctrl+Enter' }).click();
  await page.getByText('beckon/run-echo-of-one-a-txt from main').waitFor();
  await page.getByText('The project’s setup did not run: nobody has agreed to it.').waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).first().click();

  await begin(page, tree, 'run echo of two > a.txt');
  await page.getByRole('combobox', { name: 'From' }).selectOption('release');
  await page.getByRole('textbox', { name: 'New branch' }).fill('main');
  await page.getByRole('switch', { name: 'Let it run in worktrees of this repository' }).press('Space');
  await page.getByRole('button', { name: 'Start Ctrl+Enter' }).click();
  await page.getByText('The repository has the branch "main".').waitFor();
  await page.getByRole('textbox', { name: 'New branch' }).fill('two');
  await page.getByRole('button', { name: 'Start Ctrl+Enter' }).click();
  await page.getByText('two from release').waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).first().click();

  const { body } = await beckon.api('GET', '/api/sessions');
  const cwdOf = (branch: string): string =>
    body.sessions.find((session: { worktree: { branch: string } }) => session.worktree.branch === branch).cwd;
  const [one, two] = [cwdOf('beckon/run-echo-of-one-a-txt'), cwdOf('two')];
  const read = (folder: string): string => readFileSync(join(folder, 'a.txt'), 'utf8');
  await eventually('both have written', () => read(one) === 'of one\n' && read(two) === 'of two\n');
  expect(read(tree)).toBe('one\n');
  expect([existsSync(join(one, 'ready')), existsSync(join(two, 'ready'))]).toEqual([false, true]);

  // One session goes; its worktree is left over, and shows what would be lost.
  for (const { id, worktree } of body.sessions) {
    await beckon.api('POST', `/api/sessions/${id}/stop`);
    if (worktree.branch !== 'two') await beckon.api('DELETE', `/api/sessions/${id}`);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Settings' }).first().click();
  const section = page.getByRole('region', { name: 'Worktrees' });
  const row = section.getByRole('listitem').filter({ hasText: /beckon\/run-echo-of-one-a-txt.*Left over/ });
  await row.getByText('Left over').waitFor();
  await row.getByText('1 uncommitted file · 1 ignored').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await row.getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('region', { name: 'Uncommitted' }).getByText('a.txt').waitFor();
  await dialog.getByRole('region', { name: 'Ignored' }).getByText('.env').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  writeFileSync(join(one, 'note'), 'written meanwhile\n');
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await dialog.getByText('What lies in the worktree is not what was shown.').waitFor();
  expect(existsSync(join(one, 'note'))).toBe(true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await row.getByText('1 untracked file').waitFor();
  await row.getByRole('button').click();
  await dialog.getByText('note').waitFor();
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await expect.poll(() => row.count()).toBe(0);
  expect(existsSync(one)).toBe(false);
  expect(execFileSync('git', ['branch', '--list'], { cwd: tree, encoding: 'utf8' })).not.toContain('beckon/');

  // It is brought back with what was in no commit, and what was agreed to is taken back.
  const removed = section.getByRole('list', { name: 'Removed' });
  await removed.getByText('3 files').waitFor();
  await removed.getByRole('button', { name: 'Bring the worktree beckon/run-echo-of-one-a-txt back' }).click();
  await dialog.getByText(/What was staged is no longer staged/).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Bring it back' }).click();
  await row.getByText('1 uncommitted file · 1 untracked file · 1 ignored').waitFor();
  expect([read(one), readFileSync(join(one, 'note'), 'utf8')]).toEqual(['of one\n', 'written meanwhile\n']);
  expect(await removed.count()).toBe(0);
  const setups = page.getByRole('region', { name: 'Setups' });
  const revoke = setups.getByRole('button', { name: `Revoke: ${tree}` });
  await revoke.click();
  await setups.getByRole('button', { name: 'Press again to revoke' }).click();
  await setups.getByText('Nobody has agreed to a setup.').waitFor();
  expect((await beckon.api('GET', '/api/setups')).body).toEqual({ setups: [] });
  expect(problems.filter((problem) => !/409/.test(String(problem)))).toEqual([]);
});
