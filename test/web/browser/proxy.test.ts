import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort, hasProxy, type ProxyName, startProxy } from '../../support/proxy.ts';
import { endPrograms } from '../../support/run-program.ts';
import { desktop, withBrowser } from './browser.ts';

const { come, comeAsStranger } = withBrowser();
afterEach(endPrograms);

const cases: readonly (readonly [ProxyName, string])[] = [
  ['nginx', ''],
  ['nginx', '/beckon'],
  ['caddy', '/beckon'],
];

describe.each(cases)('the sample file for %s, at the path "%s"', (name, path) => {
  test.skipIf(!hasProxy(name))(
    '[API17] [API16] a person pairs, allows and sees it; streams and large bodies get through (skipped where it is not installed)',
    { timeout: 180_000 },
    async () => {
      const directory = await temporaryDirectory();
      const port = await freePort();
      const origin = `https://localhost:${port}`;
      const beckon = await startBeckon({ args: ['--public-url', `${origin}${path}`], cwd: directory });
      await startProxy(name, { directory, port, path, upstream: new URL(beckon.url).host });
      const certificate = readFileSync(join(directory, 'certificate.pem'));

      const { stdout } = await beckon.run(['pair']);
      const [link = ''] = stdout.split('\n');
      expect(link).toMatch(new RegExp(`^${origin}${path}/#pair=`));
      const { page, context, problems } = await comeAsStranger({ ...desktop, trustsAnyone: true });
      await page.goto(link);
      await page.getByRole('link', { name: 'Settings' }).first().click();
      await page.waitForURL(`${origin}${path}/settings`);
      expect(await context.cookies()).toMatchObject([
        { name: 'beckon', path: path || '/', secure: true, httpOnly: true },
      ]);

      const headers = { authorization: `Bearer ${beckon.token}` };
      const stream = await openStream(`${origin}${path}/api/events`, { ca: certificate, headers });
      await page.keyboard.press('n');
      await page.getByRole('textbox', { name: 'First message' }).fill('run touch made');
      await page.getByRole('radio', { name: /Demo agent/ }).check();
      await page.keyboard.press('Control+Enter');
      await page.waitForURL(new RegExp(`${path}/s/[^/]+$`));
      await eventually('the ask is told while the stream is open', () =>
        stream.text().includes('touch made'),
      );
      await page.getByRole('button', { name: 'Allow', exact: true }).first().click();
      await eventually('the file is there', () => existsSync(join(directory, 'made')));

      const id = new URL(page.url()).pathname.split('/').at(-1);
      const data = Buffer.alloc(8_000_000, 1).toString('base64');
      const sent = await send(`${origin}${path}/api/sessions/${id}/message`, {
        ca: certificate,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'hello', images: [{ mediaType: 'image/png', data }] }),
      });
      expect(sent.status, sent.text).toBeLessThan(300);
      await page.getByText('hello', { exact: true }).first().waitFor();
      expect(stream.hasEnded()).toBe(false);
      stream.close();
      expect(problems).toEqual([]);
    },
  );
});

test('[API16] a page on the machine itself shows the public address to other devices', async () => {
  const beckon = await startBeckon({ args: ['--public-url', 'https://beckon.example.org/room'] });
  const { page } = await come(beckon, '/settings');
  await page.getByRole('button', { name: 'Pair another device' }).click();
  await page.getByText(/^https:\/\/beckon\.example\.org\/room\/#pair=[\w-]+$/).waitFor();
  expect(await page.getByText(/known only on this machine/).count()).toBe(0);
});

interface Sent {
  readonly ca: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** With the certificate that the test has made for it. */
function send(url: string, { ca, headers, body }: Sent & { readonly body: string }) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sending = request(url, { method: 'POST', ca, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text }));
    });
    sending.on('error', reject).end(body);
  });
}

function openStream(url: string, { ca, headers }: Sent) {
  return new Promise<{ text(): string; hasEnded(): boolean; close(): void }>((resolve, reject) => {
    const asking = request(url, { ca, headers: { ...headers, accept: 'text/event-stream' } }, (reply) => {
      let text = '';
      let hasEnded = false;
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      reply.on('end', () => {
        hasEnded = true;
      });
      reply.on('error', () => undefined);
      resolve({ text: () => text, hasEnded: () => hasEnded, close: () => asking.destroy() });
    });
    asking.on('error', reject).end();
  });
}
