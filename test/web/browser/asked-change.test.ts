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

it('[CHG39] an edit is asked for with its lines in the file and what is around them, and says when the file has changed', async () => {
  const cwd = await temporaryDirectory();
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
  expect(await violationsOf(page)).toEqual([]);

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
  expect(await change.evaluate(isInSight)).toBe(true);

  await writeFile(path, 'all of it is new\n');
  await page.reload();
  await card.getByText('does not hold the old text').waitFor();
  await card.getByText('Status: draft').waitFor();
  await card.getByRole('button', { name: 'Deny', exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(problems).toEqual([]);
});

const isInSight = (element: Element): boolean => {
  const box = element.closest('.overflow-auto')?.getBoundingClientRect();
  const { top, bottom } = element.getBoundingClientRect();
  return box !== undefined && top >= box.top && bottom <= box.bottom;
};
