import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { at, said, session } from '../log/sample-events.ts';
import { temporaryDirectory } from './beckon-process.ts';

/** A data directory with a database of fifty events, and what else a server keeps. */
export async function smallDataDirectory(): Promise<{ folder: string; dataDir: string }> {
  const folder = await temporaryDirectory();
  const dataDir = join(folder, 'data');
  await mkdir(join(dataDir, 'raw', 'ses_1'), { recursive: true });
  const log = openSqliteLog({ path: join(dataDir, 'beckon.db') });
  for (let count = 0; count < 50; count += 1)
    await log.append({ parts: [{ stream: session('a'), at, events: [said(`line ${count}`)] }] });
  await log.close();
  await writeFile(join(dataDir, 'token'), `${'t'.repeat(43)}\n`, { mode: 0o600 });
  await writeFile(join(dataDir, 'devices.json'), '{"devices":[]}');
  await writeFile(join(dataDir, 'raw', 'ses_1', 'a'), 'raw '.repeat(5_000));
  return { folder, dataDir };
}
