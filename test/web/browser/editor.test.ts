import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { argvEditor } from '../../support/argv-editor.ts';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, withBrowser } from './browser.ts';
import { changedRepository } from './changed-repository.ts';

const { come } = withBrowser({ servers: 'all tests' });

const open = 'Open with the command of the configuration';
const compare = 'Compare with the command of the configuration';

it('[CHG64] a changed file, and what changed in it, open by the commands of the configuration, which Settings name; not on a phone', async () => {
  const editor = argvEditor(await temporaryDirectory(), 'editor');
  const dataDir = await temporaryDirectory();
  const command = [editor.program, '{file}'];
  const diff = [editor.program, '{before}', '{after}'];
  await writeFile(join(dataDir, 'config.json'), JSON.stringify({ editor: { command, diff } }));
  const { beckon, id, tree, turn } = await changedRepository(
    { 'a.txt': 'first\n' },
    await startBeckon({ dataDir }),
  );
  await turn('echo agent > a.txt');

  const { page, problems } = await come(beckon, `/s/${id}/changes`, desktop);
  const panel = page.getByRole('region', { name: 'Changes' });
  await panel.getByRole('button', { name: open }).click();
  expect((await editor.started()).args).toEqual([join(tree, 'a.txt')]);
  await panel.getByRole('button', { name: compare }).click();
  const [before = '', after] = (await editor.started()).args;
  expect([readFileSync(before, 'utf8'), after]).toEqual(['first\n', join(tree, 'a.txt')]);
  expect(await violationsOf(page)).toEqual([]);
  expect(problems).toEqual([]);

  await rm(editor.program);
  await panel.getByRole('button', { name: open }).click();
  await page.getByRole('log').getByText(`There is no program "${editor.program}"`).waitFor();
  await page.goto(`${beckon.url}/settings`);
  await page
    .getByText(`The configuration file of this server opens files with: ${command.join(' ')}`)
    .waitFor();

  const small = await come(beckon, `/s/${id}/changes`, phone);
  const there = small.page.getByRole('region', { name: 'Changes' });
  await there.getByRole('button', { name: open, includeHidden: true }).waitFor({ state: 'attached' });
  expect(await there.getByRole('button', { name: open }).count()).toBe(0);
});
