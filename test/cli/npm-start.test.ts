import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endBeckons, temporaryDirectory } from '../support/beckon-process.ts';
import { isRunning } from '../support/running.ts';

const root = resolve(import.meta.dirname, '../..');
const serverFile = (dataDir: string) => join(dataDir, 'server.json');

afterEach(endBeckons);

describe('npm start', () => {
  it('[SES7] a signal to npm, which reaches only its shell, ends the server in order', async () => {
    const dataDir = await temporaryDirectory();
    const npm = spawn(
      'npm',
      ['start', '--ignore-scripts', '--', '--port', '0', '--data-dir', dataDir, '--no-open'],
      { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] },
    );
    try {
      let said = '';
      for await (const text of npm.stdout.setEncoding('utf8')) {
        said += text;
        if (said.includes('Beckon is ready')) break;
      }
      const { pid } = JSON.parse(await readFile(serverFile(dataDir), 'utf8'));
      expect(isRunning(pid)).toBe(true);
      npm.kill('SIGTERM');
      await expect.poll(() => isRunning(pid)).toBe(false);
      expect(existsSync(serverFile(dataDir))).toBe(false);
    } finally {
      if (npm.exitCode === null && npm.signalCode === null) {
        npm.kill('SIGKILL');
        await once(npm, 'close');
      }
    }
  });
});
