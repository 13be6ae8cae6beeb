import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { programsIn, writeProject } from '../../support/guide-programs.ts';
import { markedProcesses } from '../../support/marked-processes.ts';
import { endPrograms, startProgram } from '../../support/run-program.ts';
import { signal } from '../../support/running.ts';
import { linkSource } from '../../support/source-package.ts';
import { withBrowser } from './browser.ts';

const { comeAsStranger } = withBrowser();
let dataDir = '';
afterEach(() => {
  endPrograms();
  for (const { pid } of markedProcesses(dataDir)) signal(pid, 'SIGKILL');
});

test.each(['with-express.ts', 'with-fastify.ts', 'with-hono.ts'])(
  '[API15] in the program of the guide, %s, a person pairs, starts a session, allows, and the file is there',
  async (program) => {
    const folder = await temporaryDirectory();
    dataDir = join(folder, 'beckon-data');
    linkSource(folder);
    writeProject(folder, [
      { file: 'package.json', text: '{"type":"module"}' },
      ...programsIn('docs/library.md'),
    ]);
    const { stdout } = startProgram(process.execPath, [program], { cwd: folder });
    const link = await eventually('it tells where it is', () => /^http\S+/m.exec(stdout())?.[0]);
    const { origin, pathname } = new URL(link);
    expect(pathname).toBe('/beckon/');
    expect(await (await fetch(origin)).text()).toContain('My own page');

    const { page, context, problems } = await comeAsStranger();
    const foreign: string[] = [];
    page.on('request', (request) => {
      const { pathname: asked } = new URL(request.url());
      if (request.url().startsWith('http') && !asked.startsWith('/beckon')) foreign.push(asked);
    });
    await page.goto(link);
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.waitForURL(`${origin}/beckon/settings`);
    expect(await context.cookies()).toMatchObject([{ name: 'beckon', path: '/beckon' }]);
    expect(await page.locator('link[rel=manifest]').getAttribute('href')).toBe(
      '/beckon/manifest.webmanifest',
    );
    for (const file of ['manifest.webmanifest', 'worker.js', 'icons/app-192.png'])
      expect((await fetch(`${origin}/beckon/${file}`)).status, file).toBe(200);
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'First message' }).fill('run touch made');
    await page.getByRole('radio', { name: /Demo agent/ }).check();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/beckon\/s\/[^/]+$/);
    // Deep in the page, as from a link.
    await page.reload();
    await page.getByRole('button', { name: 'Allow', exact: true }).first().click();
    await eventually('the file is there', () => existsSync(join(folder, 'made')));
    await page.reload();
    await page.getByText('touch made').first().waitFor();
    expect(foreign).toEqual([]);
    expect(problems).toEqual([]);
  },
);
