import { join } from 'node:path';
import process from 'node:process';
import { acpDriver } from '../drivers/acp/driver.ts';
import { claudeDriver } from '../drivers/claude/driver.ts';
import { clearToolConfigs } from '../drivers/claude/tool-config.ts';
import { claudeSdkDriver } from '../drivers/claude-sdk/driver.ts';
import { demoDriver } from '../drivers/demo/driver.ts';
import { agentEnvironment } from '../drivers/process/agent-environment.ts';
import { FileProcessHost } from '../drivers/process/file-process-host.ts';
import { LocalProcessHost } from '../drivers/process/local-process-host.ts';
import { RunArchive } from '../drivers/process/run-archive.ts';
import { findWalls, type IsolationOptions } from '../drivers/process/walls.ts';
import type { Runner } from '../engine/ports/runner.ts';
import type { SessionId } from '../protocol/ids.ts';
import { localRunner } from '../runner/local-runner.ts';
import type { ProcessHost } from '../runner/ports/process-host.ts';
import { openRawLog } from '../runner/raw-log.ts';
import type { Environment } from './console.ts';
import type { Logger } from './logger.ts';
import type { Settings } from './settings.ts';

/** The agents of this machine: each kind with its driver, on the processes that suit it. */
export async function composeRunner(
  settings: Settings,
  parts: {
    readonly env: Environment;
    readonly logger: Logger;
    readonly version: string;
    /** Texts that are said to the agents of a session and must not be in its raw log. */
    readonly secretsOf: (sessionId: SessionId) => readonly string[];
  },
): Promise<Runner> {
  const { dataDir } = settings;
  const rawLog = openRawLog({ directory: join(dataDir, 'raw') });
  const archive = new RunArchive({ dataDir, secretsOf: parts.secretsOf });
  const isolation = await isolationOptions(settings, parts.env, parts.logger);
  const local = new LocalProcessHost({
    dataDir,
    onRaw: (sessionId, direction, chunk) => rawLog.append(sessionId, direction, chunk),
    ...isolation,
  });
  const processes: ProcessHost =
    settings.ephemeral || process.platform === 'win32'
      ? local
      : new FileProcessHost({ dataDir, onOver: (run) => void archive.add(run), ...isolation });
  const toolConfigs = join(dataDir, 'mcp');
  const agents = { processes, environment: parts.env, toolConfigs };
  const claude = settings.claude === undefined ? {} : { program: settings.claude };
  return localRunner({
    drivers: [
      claudeDriver({ ...agents, ...claude, holdsQuestions: settings.deferAsksMinutes > 0 }),
      claudeSdkDriver({ ...agents, ...claude, processes: local, directories: [settings.defaultCwd] }),
      ...settings.acpAgents.map((agent) =>
        acpDriver({ processes, environment: parts.env, version: parts.version, agent }),
      ),
      demoDriver({ ...agents, home: join(dataDir, 'demo') }),
    ].filter(({ name }) => !settings.disabledAgents.includes(name)),
    processes,
    others: [local],
    onLeft: (runs) => clearToolConfigs(toolConfigs, runs),
    rawLog: {
      async *read(sessionId) {
        yield* archive.read(sessionId);
        yield* rawLog.read(sessionId);
      },
      async remove(sessionId) {
        await Promise.all([archive.remove(sessionId), rawLog.remove(sessionId)]);
      },
      async close() {
        await Promise.all([archive.close(), rawLog.close()]);
      },
    },
  });
}

async function isolationOptions(
  { isolation, dataDir }: Settings,
  env: Environment,
  logger: Logger,
): Promise<IsolationOptions> {
  if (isolation === 'off') return {};
  const isRequired = isolation === 'require';
  const walls = await findWalls(dataDir, agentEnvironment(env));
  if (!('missing' in walls)) return { walls, isRequired };
  logger.warn(
    isRequired
      ? `No agent can be started: isolation is required, and ${walls.missing}`
      : `Agents are not isolated: ${walls.missing}`,
  );
  return { isRequired };
}
