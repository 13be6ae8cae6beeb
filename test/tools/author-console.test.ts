import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { patienceMs } from '../support/patience.ts';

it('[TOOL13] what tool code writes with console goes to stderr; stdout is the server’s own', async () => {
  const program = fileURLToPath(new URL('./noisy-program.ts', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { timeout: patienceMs });
  expect(stdout).toBe('ready: done\n');
  for (const words of ['loaded: { words: 2 }', 'called', 'debugged', 'a', '{ b: 2 }', 'later', 'failed'])
    expect(stderr).toContain(words);
  expect(stderr).not.toContain('depth');
});
