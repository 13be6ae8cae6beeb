import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { WebhookReceiver } from '../../support/webhook-receiver.ts';
import { violationsOf } from './accessibility.ts';
import { withBrowser } from './browser.ts';

const { come } = withBrowser();

const receiver = new WebhookReceiver();
afterEach(() => receiver.close());

describe('notices and the page', () => {
  it('[REACH3] [REACH5] [REACH9] nobody is told of the session they look at or have muted; the settings say how things stand', async () => {
    await receiver.listen();
    const dataDir = await temporaryDirectory();
    const webhooks = [{ url: receiver.url, format: 'text', after: 0 }];
    await writeFile(join(dataDir, 'config.json'), JSON.stringify({ webhooks }));
    const beckon = await startBeckon({ dataDir });
    const begin = async (title: string): Promise<string> => {
      const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: dataDir, title });
      return body.session.id;
    };
    const ask = (id: string) => beckon.api('POST', `/api/sessions/${id}/message`, { message: 'run echo hi' });
    const titles = (): (string | undefined)[] => receiver.posts.map(({ body }) => body.split('\n')[0]);
    const [seen, unseen, muted] = [await begin('Seen'), await begin('Unseen'), await begin('Muted')];

    const { page, problems } = await come(beckon, `/s/${muted}`);
    await page.locator('main').getByRole('button', { name: 'Actions for Muted' }).click();
    await page.getByRole('menuitem', { name: 'Mute notifications' }).click();
    await page.getByRole('img', { name: 'Notifications are muted' }).waitFor();
    expect((await beckon.api('GET', `/api/sessions/${muted}`)).body.session.mutedUntil).toBe('forever');

    const said: string[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => said.push(String(payload))));
    await page.goto(`${beckon.url}/s/${seen}`);
    await expect.poll(() => said).toContain(JSON.stringify({ type: 'looking', at: seen }));
    await ask(seen);
    await page.locator('[data-ask]').first().waitFor();
    await ask(muted);
    await ask(unseen);
    await receiver.until(() => titles().includes('Unseen'));
    expect(titles()).toEqual(['Unseen']);

    await page.goto(`${beckon.url}/settings`);
    await page.getByText(`webhook (text) 127.0.0.1:${receiver.port}`).waitFor();
    await receiver.until(() => titles().includes('Seen'));
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    expect(titles()).toEqual(['Unseen', 'Seen']);
  });
});
