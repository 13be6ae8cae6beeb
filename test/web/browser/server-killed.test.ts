import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser();

describe('a page whose server is killed and started again', () => {
  it('[ASK2] [MULTI5] [SES10] comes back by itself with the card still open, and Allow runs the tool', async () => {
    const cwd = await temporaryDirectory();
    const first = await startBeckon();
    const session = { title: 'Asking', prompt: 'run echo made >> made.txt', status: 'waiting' };
    const [id = ''] = await startSessions(first, [session], cwd);
    const { page } = await come(first, `/s/${id}`);
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
