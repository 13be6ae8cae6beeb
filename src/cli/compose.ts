import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { claudeDriver } from '../drivers/claude/driver.ts';
import { demoDriver } from '../drivers/demo/driver.ts';
import { LocalProcessHost } from '../drivers/process/local-process-host.ts';
import { openEngine, randomIds, systemClock } from '../engine/index.ts';
import { openRawLog } from '../log/raw-log.ts';
import { openSqliteLog } from '../log/sqlite-log.ts';
import { createServer } from '../server/create-server.ts';
import type { Environment } from './console.ts';
import type { Logger } from './logger.ts';
import { sessionEnvFiles } from './session-env-files.ts';
import type { Settings } from './settings.ts';

export interface Composed {
  listen(): Promise<{ readonly url: string }>;
  pairingCode(): string;
  /** Ends the agents and stores how they ended, then lets everyone and everything go. */
  close(): Promise<void>;
  /** Ends the agents, come what may. */
  abandon(): Promise<void>;
}

/** Puts the parts together. Nothing else in the program knows which they are. */
export async function compose(
  settings: Settings,
  parts: {
    readonly token: string;
    readonly env: Environment;
    readonly logger: Logger;
    readonly version: string;
  },
): Promise<Composed> {
  const { dataDir } = settings;
  const { logger } = parts;
  const log = openSqliteLog({ path: join(dataDir, 'beckon.db') });
  const rawLog = openRawLog({ directory: join(dataDir, 'raw') });
  const processes = new LocalProcessHost({
    dataDir,
    onRaw: (sessionId, direction, chunk) => rawLog.append(sessionId, direction, chunk),
  });
  const agents = { processes, environment: parts.env };
  const drivers = [
    claudeDriver({ ...agents, ...(settings.claude === undefined ? {} : { program: settings.claude }) }),
    demoDriver({ ...agents, home: join(dataDir, 'demo') }),
  ].filter(({ name }) => !settings.disabledAgents.includes(name));

  const engine = await openEngine({
    log,
    rawLog,
    drivers,
    env: sessionEnvFiles(join(dataDir, 'env')),
    clock: systemClock,
    ids: randomIds,
    logger,
    endLeftovers: () => processes.endLeftovers(),
    settings: {
      defaultCwd: settings.defaultCwd,
      roots: settings.roots,
      mostProcesses: settings.maxProcesses,
      idleMs: settings.idleMinutes * 60_000,
      askTimeout: settings.askTimeout ?? null,
    },
  });
  const server = createServer({
    room: engine,
    token: parts.token,
    dataDir,
    host: settings.host,
    port: settings.port,
    version: parts.version,
    webRoot: builtPage(),
    logger,
    allowedHosts: settings.allowedHosts,
  });

  return {
    listen: () => server.listen(),
    pairingCode: () => server.pairingCode(),
    async close() {
      await engine.close();
      await server.close();
      await processes.close();
      await rawLog.close();
      await log.close();
    },
    abandon: () => processes.close(),
  };
}

function builtPage(): string | undefined {
  const folder = fileURLToPath(new URL('../../dist/web', import.meta.url));
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}
