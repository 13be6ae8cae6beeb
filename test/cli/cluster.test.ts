import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  endBeckons,
  runBeckon,
  spawnBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';

describe('a server with other machines', () => {
  afterEach(endBeckons);

  it('[CLU13] a restart keeps them, each that is there says how busy it is, and a template starts on its own', async () => {
    const dir = join(await temporaryDirectory(), 'cluster');
    // Nobody is at this address: the machine is known, and cannot be reached.
    const nowhere = ['--address', '127.0.0.1:9', '--listen', '127.0.0.1:9'];
    expect(await runBeckon(['cluster', 'init', '--dir', dir, ...nowhere])).toMatchObject({ code: 0 });
    const added = await runBeckon(['cluster', 'add', 'gpu-1', '--dir', dir]);
    writeFileSync(join(dir, 'gpu-1.json'), added.stdout, { mode: 0o600 });
    const beckon = await startBeckon({ args: ['--cluster', join(dir, 'room.json')] });

    const restarted = spawnBeckon(['restart', '--data-dir', beckon.dataDir]);
    expect(await restarted.firstLine).toMatch(/^Beckon is ready/);
    const { body } = await beckon.api('GET', '/api/machines');
    expect(body.machines).toMatchObject([
      { name: 'local', load: { processors: expect.any(Number), memoryTotal: expect.any(Number) } },
      { name: 'gpu-1', state: 'unreachable' },
    ]);
    expect(body.machines[1].load).toBeUndefined();

    const kept = { name: 'train', prompt: 'Train it', machine: 'gpu-1' };
    expect(await beckon.api('POST', '/api/templates', kept)).toMatchObject({ status: 200 });
    expect((await beckon.api('GET', '/api/templates')).body.templates).toEqual([kept]);
    expect((await beckon.run(['templates'])).stdout).toContain('train (on gpu-1)');
    const there = await beckon.run(['new', '--template', 'train', '--agent', 'demo', '--no-watch']);
    expect(there).toMatchObject({ code: 1, stderr: expect.stringContaining('"gpu-1" cannot be reached') });
    const here = await beckon.run([
      'new',
      '--template',
      'train',
      '--machine',
      'local',
      '--agent',
      'demo',
      '--no-watch',
    ]);
    expect(here).toMatchObject({ code: 0 });

    const without = spawnBeckon(['restart', '--cluster', '', '--data-dir', beckon.dataDir]);
    expect(await without.firstLine).toMatch(/^Beckon is ready/);
    const { body: alone } = await beckon.api('GET', '/api/machines');
    expect(alone.machines.map(({ name }: { name: string }) => name)).toEqual(['local']);
  });
});
