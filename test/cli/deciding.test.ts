import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  endBeckons,
  runBeckon,
  spawnBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';

afterEach(endBeckons);

describe('a server on which only devices decide', () => {
  it('[SEC8] prints no pairing code where its output is no terminal, and says how to get one', async () => {
    const beckon = await startBeckon({ args: ['--decide', 'devices'] });
    expect(beckon.stdout()).toBe(`Beckon is ready: ${beckon.url}\n`);
    await eventually('it says how to get one', () => beckon.stderr().includes('A paired page makes one'));
    const pair = await beckon.run(['pair']);
    expect(pair).toMatchObject({ code: 1, stdout: '' });
    expect(pair.stderr).toContain('Only a paired device');
  });

  it.skipIf(process.platform !== 'linux')(
    '[SEC8] prints one on its own terminal, another at SIGUSR1, and each lets one browser in (skipped where it is not Linux)',
    async () => {
      const dataDir = await temporaryDirectory();
      const beckon = resolve(import.meta.dirname, '../../bin/beckon.cjs');
      const command = `exec ${process.execPath} ${beckon} serve --port 0 --no-open --decide devices --data-dir ${dataDir}`;
      const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'ignore'] });
      const ended = once(child, 'close');
      try {
        let shown = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          shown += text;
        });
        const links = (): RegExpMatchArray[] => [...shown.matchAll(/(http:\S+)\/#pair=([\w-]+)/g)];
        await eventually('the ready line', () => links().length === 1);
        const { pid } = JSON.parse(
          await eventually('server.json', () => readText(join(dataDir, 'server.json'))),
        );
        process.kill(pid, 'SIGUSR1');
        await eventually('another code', () => links().length === 2);
        for (const [, url, code] of links()) {
          const reply = await fetch(`${url}/api/pair`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ code }),
          });
          expect(reply.status).toBe(200);
        }
        process.kill(pid, 'SIGTERM');
      } finally {
        await ended;
      }
    },
  );

  it('[SEC8] opens no debugger at SIGUSR1, which would let every program decide in its name', async () => {
    const beckon = await startBeckon({ args: ['--decide', 'devices'] });
    const before = beckon.stderr().length;
    process.kill(beckon.pid, 'SIGUSR1');
    await eventually('the signal was taken', () => beckon.stderr().slice(before).includes('no pairing code'));
    expect((await beckon.api('GET', '/api/sessions')).status).toBe(200);
    expect(beckon.stderr()).not.toContain('Debugger');
  });

  it('[SEC8] is set by flag, environment or file, in this order, and by no other word', async () => {
    const dataDir = await temporaryDirectory();
    await writeFile(join(dataDir, 'config.json'), JSON.stringify({ decide: 'devices' }));
    const byFile = await startBeckon({ dataDir });
    expect((await byFile.api('GET', '/api/unlocks')).body.decide).toBe('devices');
    await byFile.stop();
    const byEnvironment = await startBeckon({ dataDir, env: { BECKON_DECIDE: 'anyone' } });
    expect((await byEnvironment.api('GET', '/api/unlocks')).body.decide).toBe('anyone');
    expect(await byEnvironment.run(['unlock'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing is locked'),
    });
    await byEnvironment.stop();
    const byFlag = await startBeckon({ args: ['--decide', 'devices'] });
    const restarted = spawnBeckon(['restart', '--data-dir', byFlag.dataDir]);
    expect(await restarted.firstLine).toBe(`Beckon is ready: ${byFlag.url}`);
    expect((await byFlag.api('GET', '/api/unlocks')).body.decide).toBe('devices');
    const serve = (args: string[], env: Record<string, string> = {}) =>
      runBeckon(['serve', '--port', '0', '--data-dir', dataDir, '--no-open', ...args], { env });
    expect(await serve(['--decide', 'device'])).toMatchObject({ code: 2 });
    expect(await serve([], { BECKON_DECIDE: 'yes' })).toMatchObject({ code: 2 });
  });
});

const readText = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);
