import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  endBeckons,
  runBeckon,
  spawnBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

// Several servers are started: on a busy machine that takes its time.
afterEach(endBeckons);

const publicUrl = 'https://beckon.example.org/room';

describe('a public address', () => {
  it('[API16] a notification leads there', async () => {
    const receiver = new WebhookReceiver();
    await receiver.listen();
    try {
      const dataDir = await temporaryDirectory();
      await writeFile(
        join(dataDir, 'config.json'),
        JSON.stringify({ publicUrl, webhooks: [{ url: receiver.url }] }),
      );
      const beckon = await startBeckon({ dataDir });
      const asked = { agent: 'demo', cwd: dataDir, prompt: 'run echo hello' };
      const { body } = await beckon.api('POST', '/api/sessions', asked);
      await receiver.until(() => receiver.posts.length > 0);
      expect(JSON.parse(receiver.posts[0]?.body ?? '').data.url).toBe(`${publicUrl}/s/${body.session.id}`);
    } finally {
      await receiver.close();
    }
  });

  it('[API16] a second line, pair, status and the next server name it; the first line is for this machine', async () => {
    const beckon = await startBeckon({ args: ['--public-url', `${publicUrl}/`] });
    const lines = new RegExp(
      `^Beckon is ready: ${beckon.url}/#pair=([\\w-]+)\\nFrom elsewhere: ${publicUrl}/#pair=([\\w-]+)\\n$`,
    );
    await expect.poll(beckon.stdout).toMatch(lines);
    const codes = lines.exec(beckon.stdout())?.slice(1) ?? [];
    // Each lets one browser in.
    expect(new Set(codes).size).toBe(2);
    for (const code of codes) expect((await beckon.api('POST', '/api/pair', { code })).status).toBe(200);

    const [first = '', second = ''] = (await beckon.run(['pair'])).stdout.split('\n');
    expect(first).toMatch(new RegExp(`^${publicUrl}/#pair=`));
    expect(second).toMatch(new RegExp(`^on this machine: ${beckon.url}/#pair=`));
    const status = JSON.parse((await beckon.run(['status', '--json'])).stdout);
    expect(status.server).toMatchObject({ url: beckon.url, publicUrl });
    expect((await beckon.run(['status'])).stdout).toContain(`reached from elsewhere at ${publicUrl}`);

    const restarted = spawnBeckon(['restart', '--data-dir', beckon.dataDir]);
    expect(await restarted.firstLine).toMatch(`Beckon is ready: ${beckon.url}/#pair=`);
    await restarted.seen(`From elsewhere: ${publicUrl}/#pair=`);
  });

  it('[API16] [SEC8] where only devices decide, no code is printed for it either', async () => {
    const beckon = await startBeckon({ args: ['--public-url', publicUrl, '--decide', 'devices'] });
    await expect.poll(beckon.stdout).toBe(`Beckon is ready: ${beckon.url}\nFrom elsewhere: ${publicUrl}\n`);
  });

  it('[API16] it can stand in the environment or the file; what is wrong with it is told, and no server starts', async () => {
    const dataDir = await temporaryDirectory();
    const config = join(dataDir, 'config.json');
    await writeFile(config, JSON.stringify({ publicUrl: 'beckon.example.org' }));
    const serve = ['serve', '--port', '0', '--no-open', '--data-dir', dataDir];
    const byFile = await runBeckon(serve);
    expect(byFile).toMatchObject({ code: 1, stdout: '' });
    expect(byFile.stderr).toMatch(/config\.json: .*publicUrl.*no address such as/);
    await writeFile(config, JSON.stringify({ publicUrl }));
    const byVariable = await runBeckon(serve, { env: { BECKON_PUBLIC_URL: `${publicUrl}?x` } });
    expect(byVariable).toMatchObject({ code: 2, stdout: '' });
    expect(byVariable.stderr).toContain('nothing but a scheme, a host and a path');
    const beckon = await startBeckon({ dataDir });
    await expect.poll(beckon.stdout).toContain(`From elsewhere: ${publicUrl}/`);
  });
});
