import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, expect, it } from 'vitest';
import { parseFlags } from '../../src/cli/flags.ts';
import { readSettings, serveFlags } from '../../src/cli/settings.ts';
import { endBeckons, temporaryDirectory } from '../support/beckon-process.ts';

afterEach(endBeckons);

it('[CHG12] how long a message waits for a recording is set by environment or file, in this order, and by a number only', async () => {
  const dataDir = await temporaryDirectory();
  const { stdin, stdout, stderr } = process;
  const secondsWith = async (env: Readonly<Record<string, string>>): Promise<number> => {
    const flags = parseFlags(['--data-dir', dataDir], serveFlags);
    return (await readSettings(flags, { env, cwd: dataDir, stdin, stdout, stderr })).recordingSeconds;
  };
  expect(await secondsWith({})).toBe(2);
  await writeFile(join(dataDir, 'config.json'), JSON.stringify({ recordingSeconds: 7 }));
  expect(await secondsWith({})).toBe(7);
  expect(await secondsWith({ BECKON_RECORDING_SECONDS: '0' })).toBe(0);
  await expect(secondsWith({ BECKON_RECORDING_SECONDS: 'long' })).rejects.toThrow('from 0 to 600');
  await writeFile(join(dataDir, 'config.json'), JSON.stringify({ recordingSeconds: -1 }));
  await expect(secondsWith({})).rejects.toThrow('recordingSeconds');
});
