import { existsSync, mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { composeRunner } from '../../src/cli/compose-runner.ts';
import { claimDataDirectory } from '../../src/cli/data-directory.ts';
import { parseFlags } from '../../src/cli/flags.ts';
import { createLogger } from '../../src/cli/logger.ts';
import { openRoom } from '../../src/cli/open-room.ts';
import { readSettings, serveFlags } from '../../src/cli/settings.ts';
import type { Machine, MachineCondition } from '../../src/engine/ports/machine.ts';
import { carriedRunner } from './carried-runner.ts';

/**
 * The whole server, and beside its own a second machine: a runner with a data directory of its own, that only JSON gets to. It is away
 * while there is a file `away` in the data directory.
 */
const console = {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
};
const settings = await readSettings(parseFlags(process.argv.slice(3), serveFlags), console);
const { dataDir } = settings;
const lock = await claimDataDirectory(dataDir);
const logger = createLogger(console);
const there = join(dataDir, 'gpu-1');
mkdirSync(there, { recursive: true });
const { runner } = await composeRunner(
  { ...settings, dataDir: there },
  { env: process.env, logger, version: '1.2.3', drivers: [], secretsOf: () => [], onRoom: () => {} },
);

const listeners = new Set<() => void>();
const isAway = (): boolean => existsSync(join(dataDir, 'away'));
const conditionNow = (): MachineCondition => ({
  isReachable: !isAway(),
  since: new Date().toISOString(),
  version: '1.2.3',
  load: { processors: 0.42, memoryFree: 3.25 * 2 ** 30, memoryTotal: 16 * 2 ** 30 },
});
let condition = conditionNow();
const machine: Machine = {
  name: 'gpu-1',
  runner: carriedRunner(runner, { isCut: () => !condition.isReachable }),
  get condition() {
    return condition;
  },
};
watch(dataDir, () => {
  if (condition.isReachable !== isAway()) return;
  condition = conditionNow();
  for (const listener of listeners) listener();
});

const room = await openRoom(settings, lock, {
  env: process.env,
  logger,
  isEmbedded: false,
  machines: {
    current: () => [machine],
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  },
});
const { url } = await room.listen();
process.stdout.write(`Beckon is ready: ${url}/#pair=${room.pairingCode()}\n`);
process.once('SIGTERM', async () => {
  await room.close();
  await runner.close();
  await room.release();
  process.exit(0);
});
