import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, withBrowser } from './browser.ts';

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
beforeAll(async () => {
  beckon = await startBeckon({ env: { BECKON_DEMO_PACE: '0' } });
});

it('[CHG39] [CHG44] an edit is asked for with its lines in the file and what is around them, and says when the file has changed', async () => {
  const cwd = await temporaryDirectory();
  execFileSync('git', ['init', '-q', cwd]);
  const { body } = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd,
    title: 'Editing',
    prompt: 'write notes.md',
  });
  const { page, problems } = await come(beckon, `/s/${body.session.id}`, desktop);
  const card = page.getByRole('main').locator('[data-ask]');
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await card.getByText('Status: reviewed by a person').waitFor();
  const path = join(cwd, 'notes.md');
  const lines = (await readFile(path, 'utf8')).split('\n');
  const changed = lines.indexOf('Status: draft');
  expect(changed).toBeGreaterThan(0);
  await card
    .getByText(lines[changed - 2] ?? '', { exact: true })
    .first()
    .waitFor();
  await card
    .locator('[data-change]', { hasText: `${changed + 1}` })
    .first()
    .waitFor();
  await card.getByText('The lines around it are those of the file as it is now.').waitFor();

  // Somebody writes much around it, and the page is opened again.
  const far = (where: string): string => Array.from({ length: 60 }, (_, at) => `${where} ${at}`).join('\n');
  await writeFile(path, `${far('above')}\n${lines.join('\n')}\n${far('below')}\n`);
  await page.reload();
  await card
    .locator('[data-change]', { hasText: `${changed + 61}` })
    .first()
    .waitFor();
  expect(await card.getByText('above 1', { exact: true }).count()).toBe(0);
  await card.getByRole('button', { name: 'More of the file' }).click();
  await card.getByText('above 1', { exact: true }).first().waitFor({ state: 'attached' });
  const change = card.locator('[data-change]').first();
  await expect.poll(() => change.evaluate(isInSight)).toBe(true);

  await writeFile(path, 'all of it is new\n');
  await page.reload();
  await card.getByText('does not hold the old text').waitFor();
  await card.getByRole('button', { name: 'What changed in it earlier in this session' }).click();
  await card.getByText('all of it is new').waitFor();
  await expect
    .poll(() => card.getByText('Changed earlier in this session:').textContent())
    .toMatch(/notes\.md \+1 −0$/);
  await card.getByText('Status: draft').waitFor();
  expect(await violationsOf(page)).toEqual([]);

  // With an editor of this machine, and the turn at its end.
  await writeFile(path, lines.join('\n'));
  await page.evaluate(() => localStorage.setItem('beckon.preferences', JSON.stringify({ editor: 'vscode' })));
  await page.reload();
  const link = card.getByRole('link', { name: 'Open in the editor' });
  await expect.poll(() => link.getAttribute('href')).toBe(`vscode://file${path}:${changed + 1}`);
  const { body: pending } = await beckon.api('GET', `/api/sessions/${body.session.id}/pending`);
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByRole('button', { name: /^1 file changed/ }).click();
  const files = `interactions/${pending.pending[0].interactionId}/files`;
  expect(await beckon.api('GET', `/api/sessions/${body.session.id}/${files}`)).toMatchObject({
    status: 200,
    body: { files: [] },
  });
  const panel = page.getByRole('region', { name: 'Changes' });
  await panel.getByText('Status: reviewed by a person').first().waitFor();
  await expect
    .poll(() => panel.getByRole('link', { name: 'Open in the editor' }).getAttribute('href'))
    .toBe(`vscode://file${path}:1`);
  await panel.getByRole('button', { name: 'More for the changes' }).click();
  await page.getByRole('menuitem', { name: 'As a patch…' }).click();
  await page.getByRole('dialog').getByText('diff --git a/notes.md b/notes.md').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const saved = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  expect((await saved).suggestedFilename()).toBe('Editing.patch');
  const patch = await readFile(await (await saved).path(), 'utf8');
  execFileSync('git', ['-C', cwd, 'apply', '--reverse', '--check'], { input: patch });
  expect(problems).toEqual([]);
});

const isInSight = (element: Element): boolean => {
  const box = element.closest('.overflow-auto')?.getBoundingClientRect();
  const { top, bottom } = element.getBoundingClientRect();
  return box !== undefined && top >= box.top && bottom <= box.bottom;
};
