import { spawn } from 'node:child_process';

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { patienceMs } from '../support/patience.ts';

it('[TOOL8] what tool code throws where nobody catches it does not end the server; the server’s own bugs do', async () => {
  const program = spawn(process.execPath, [fileURLToPath(new URL('./faulty-program.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  let said = '';
  program.stdout.on('data', (chunk) => {
    said += chunk;
  });
  program.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const code = await new Promise((resolve) => program.on('close', resolve));
  const lines = said.trim().split('\n');
  const tools = fileURLToPath(new URL('./faulty-tools.ts', import.meta.url));
  const survived = (error: string, author: string): string =>
    `error: ${error}: An error that nobody caught, in ${author}; going on`;
  expect(lines.slice(0, -3).sort()).toEqual(
    [
      'timer returned',
      'promise returned',
      'emitter returned',
      'The agent cancelled the call. (run_ended)',
      survived('timer of the file', `the tools file ${tools}`),
      survived('promise of the file', `the tools file ${tools}`),
      survived('timer of a call', 'tool "timer"'),
      survived('promise of a call', 'tool "promise"'),
      survived('emitter of a call', 'tool "emitter"'),
      survived('listener of a call', 'tool "listener"'),
    ].sort(),
  );
  expect(lines.slice(-3)).toEqual([
    'all survived',
    'fatal: a bug of the server: An error that nobody caught; ending',
    'ends',
  ]);
  expect(code).toBe(0);
});
