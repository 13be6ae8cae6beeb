import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { openBrowser, type Visit, visitPaired } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

let browser: Browser;
let visited: Visit | undefined;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => browser.close());
afterEach(async () => {
  await visited?.context.close();
  await endBeckons();
});

describe('a page whose server is killed and started again', () => {
  it('[ASK2] [MULTI5] [SES10] comes back by itself with the card still open, and Allow runs the tool', async () => {
    const cwd = await temporaryDirectory();
    const first = await startBeckon();
    const session = { title: 'Asking', prompt: 'run echo made >> made.txt', status: 'waiting' };
    const [id = ''] = await startSessions(first, [session], cwd);
    visited = await visitPaired(browser, first, `/s/${id}`);
    const { page } = visited;
    const main = page.getByRole('main');
    const card = main.locator('[data-ask]');
    await card.waitFor();

    await first.kill9();
    const lost = page.getByText('Connection lost.');
    await lost.waitFor();
    await card.waitFor();

    const { port } = new URL(first.url);
    const second = await startBeckon({ dataDir: first.dataDir, args: ['--port', port] });
    expect(second.url).toBe(first.url);
    await lost.waitFor({ state: 'detached' });
    await card.waitFor();
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
    await main.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('I ran echo made >> made.txt').waitFor();
    await main.locator('summary', { hasText: 'Allowed' }).waitFor();
    await card.waitFor({ state: 'detached' });
    expect(readFileSync(join(cwd, 'made.txt'), 'utf8')).toBe('made\n');
  });
});
