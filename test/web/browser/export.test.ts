import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { withBrowser } from './browser.ts';

const { come, comeAsStranger } = withBrowser();

test('[STORE16] [SEC16] a session is saved from its menu as a page that shows everything and does nothing', async () => {
  const folder = await temporaryDirectory();
  const beckon = await startBeckon({ cwd: folder });
  const hostile = '<img src="http://127.0.0.1:9/x.png" onerror="alert(1)"><script>alert(2)</script>';
  const created = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    title: `Greet <b>everyone</b>`,
    prompt: `run echo '${hostile}'`,
    env: { SECRET_OF_THE_SESSION: 'hunter2-hunter2' },
  });
  const { id } = created.body.session;
  const { page, problems } = await come(beckon, `/s/${id}`);
  await page.getByRole('button', { name: 'Allow', exact: true }).first().click();
  await page.getByText('Allowed', { exact: false }).first().waitFor();
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Actions for / })
    .click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  await page.getByRole('radio', { name: /A page to show someone/ }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the file' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('greet-b-everyone-b.html');
  const file = join(folder, 'saved.html');
  await download.saveAs(file);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);

  const text = await readFile(file, 'utf8');
  for (const secret of ['hunter2', beckon.token]) expect(text).not.toContain(secret);
  const reader = await comeAsStranger();
  const asked: string[] = [];
  reader.page.on('request', (request) => asked.push(request.url()));
  reader.page.on('dialog', () => asked.push('a dialog'));
  await reader.page.goto(pathToFileURL(file).href);
  await reader.page.getByRole('heading', { name: 'Greet <b>everyone</b>' }).waitFor();
  await reader.page.getByText(hostile).first().waitFor();
  await reader.page
    .getByText(/^Allowed on /)
    .first()
    .waitFor();
  expect(await reader.page.locator('script, img, iframe').count()).toBe(0);
  expect(asked).toEqual([pathToFileURL(file).href]);
  expect(reader.problems).toEqual([]);
  expect(await violationsOf(reader.page)).toEqual([]);

  const printed = await beckon.run(['export', id, '--format', 'markdown']);
  expect(printed.stdout).toMatch(/^# Greet &lt;b>|^# Greet &lt;b\\>/);
  const json = JSON.parse((await beckon.run(['export', id, '--json'])).stdout);
  expect(json.events.at(0).type).toBe('session.created');
  expect(JSON.stringify(json)).not.toContain('hunter2');
  const kept = await beckon.run(['export', id, '--output', file]);
  expect(kept).toMatchObject({ code: 1, stdout: '' });
  expect(kept.stderr).toContain('--force replaces it');
});
