import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { startBeckon } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { withBrowser } from './browser.ts';

const { come } = withBrowser();
const webRoot = resolve(import.meta.dirname, '../../../dist/web');

test('[REACH13] the page can be installed as an app, whose badge counts what waits', async () => {
  const beckon = await startBeckon();
  const { page, context, problems } = await come(beckon);
  const devtools = await context.newCDPSession(page);
  expect((await devtools.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([]);
  const { url, errors, data = '' } = await devtools.send('Page.getAppManifest');
  expect({ url, errors }).toEqual({ url: `${beckon.url}/manifest.webmanifest`, errors: [] });
  const manifest = JSON.parse(data);
  for (const { src, sizes, purpose } of manifest.icons) {
    const reply = await fetch(new URL(src, url));
    expect(reply.headers.get('content-type')).toBe('image/png');
    const icon = Buffer.from(await reply.arrayBuffer());
    expect(`${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`, purpose).toBe(sizes);
  }

  await page.evaluate(() => {
    const badges: number[] = [];
    Object.assign(window, { badges });
    navigator.setAppBadge = async (count = 1) => void badges.push(count);
  });
  const badges = (): Promise<number[]> => page.evaluate('badges');
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', prompt: 'run touch made' });
  await eventually('the badge counts what waits', async () => (await badges()).at(-1) === 1);
  const { body: asked } = await beckon.api('GET', '/api/pending');
  await beckon.api('POST', `/api/sessions/${body.session.id}/deny`, {
    requestId: asked.pending[0].requestId,
  });
  await eventually('the badge is gone when nothing waits', async () => (await badges()).at(-1) === 0);
  expect(problems).toEqual([]);
});

test('[REACH13] the app lies where its page lies, also below a path', () => {
  const index = readFileSync(join(webRoot, 'index.html'), 'utf8');
  // The server puts its path in front of what begins so.
  for (const file of ['./manifest.webmanifest', './icons/apple-180.png'])
    expect(index).toContain(`="${file}"`);
  const manifest = JSON.parse(readFileSync(join(webRoot, 'manifest.webmanifest'), 'utf8'));
  const places = [
    manifest.start_url,
    manifest.scope,
    ...manifest.icons.map(({ src }: { src: string }) => src),
  ];
  for (const place of places) {
    expect(new URL(place, 'https://example.org/beckon/manifest.webmanifest').pathname).toMatch(/^\/beckon\//);
  }
});
