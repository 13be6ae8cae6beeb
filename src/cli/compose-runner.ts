import { join } from 'node:path';
import process from 'node:process';
import { acpAgentDriver } from '../drivers/acp/when-installed.ts';
import { claudeDriver } from '../drivers/claude/driver.ts';
import { clearToolConfigs } from '../drivers/claude/tool-config.ts';
import { claudeSdkDriver } from '../drivers/claude-sdk/driver.ts';
import { demoDriver } from '../drivers/demo/driver.ts';
import { agentEnvironment } from '../drivers/process/agent-environment.ts';
import { FileProcessHost } from '../drivers/process/file-process-host.ts';
import { gitFiles } from '../drivers/process/git-files.ts';
import { LocalProcessHost } from '../drivers/process/local-process-host.ts';
import { RunArchive } from '../drivers/process/run-archive.ts';
import { startProgram } from '../drivers/process/start-program.ts';
import { findWalls, type IsolationOptions } from '../drivers/process/walls.ts';
import type { Driver } from '../drivers/sdk/define-driver.ts';
import type { Runner } from '../engine/ports/runner.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Room } from '../protocol/storage.ts';
import { localRunner } from '../runner/local-runner.ts';
import type { AgentDriver } from '../runner/ports/agent-driver.ts';
import type { ProcessHost } from '../runner/ports/process-host.ts';
import { openRawLog } from '../runner/raw-log.ts';
import { openWorkspace } from '../runner/workspace/workspace.ts';
import type { Environment } from './console.ts';
import type { Logger } from './logger.ts';
import type { OutsideDrivers } from './outside-drivers.ts';
import { type IsolationReport, isolationLine, modeLine } from './server-lines.ts';
import type { Settings } from './settings.ts';

/** The agents of this machine: each kind with its driver, on the processes that suit it. */
export async function composeRunner(
  settings: Settings,
  parts: {
    readonly env: Environment;
    readonly logger: Logger;
    readonly version: string;
    /** Of the program that this control room is a part of. */
    readonly drivers: readonly Driver[];
    /** Texts that are said to the agents of a session and must not be in its raw log. */
    readonly secretsOf: (sessionId: SessionId) => readonly string[];
    /** How much room the disk has for what agents print. */
    readonly onRoom: (room: Room) => void;
  },
): Promise<{ readonly runner: Runner; readonly isolation: IsolationReport }> {
  const { dataDir } = settings;
  const { logger } = parts;
  const rawLog = openRawLog({ directory: join(dataDir, 'raw') });
  const archive = new RunArchive({ dataDir, secretsOf: parts.secretsOf });
  const isolation = await openIsolation(settings, parts.env);
  const isExpected = isolation.report.agents === 'behind-walls' || settings.isolation === 'off';
  logger[isExpected ? 'info' : 'warn'](isolationLine(isolation.report));
  for (const [name, { permissionMode }] of Object.entries(settings.launch)) {
    if (permissionMode !== undefined && !settings.disabledAgents.includes(name))
      logger.info(modeLine(name, permissionMode));
  }
  const local = new LocalProcessHost({
    dataDir,
    onRaw: (sessionId, direction, chunk) => rawLog.append(sessionId, direction, chunk),
    ...isolation.options,
  });
  const processes: ProcessHost =
    settings.ephemeral || process.platform === 'win32'
      ? local
      : new FileProcessHost({
          dataDir,
          onOver: (run) => void archive.add(run),
          onRoom: parts.onRoom,
          onUnwatched: (code) => logger.warn(unwatchedLine(code)),
          ...isolation.options,
        });
  const toolConfigs = join(dataDir, 'mcp');
  const agents = { processes, environment: parts.env, toolConfigs };
  const claude = settings.claude === undefined ? {} : { program: settings.claude };
  const acpOptions = { processes, environment: parts.env, version: parts.version };
  const acp = await Promise.all(settings.acpAgents.map((agent) => acpAgentDriver({ ...acpOptions, agent })));
  const outside = await openOutside(settings, { ...parts, processes, local });
  const runner = localRunner({
    drivers: [
      claudeDriver({ ...agents, ...claude, holdsQuestions: settings.deferAsksMinutes > 0 }),
      claudeSdkDriver({ ...agents, ...claude, processes: local, directories: [settings.defaultCwd] }),
      ...acp,
      ...outside,
      demoDriver({ ...agents, home: join(dataDir, 'demo') }),
    ].filter(({ name }) => !settings.disabledAgents.includes(name)),
    launch: settings.launch,
    listTracked: gitFiles(parts.env),
    processes,
    others: [local],
    onLeft: (runs) => clearToolConfigs(toolConfigs, runs),
    workspace: openWorkspace({
      dataDir,
      path: parts.env.PATH ?? '',
      sshAgent: parts.env.SSH_AUTH_SOCK,
      setup: { processes: local, env: agentEnvironment(parts.env) },
      editor: { ...settings.editor, start: startProgram, env: agentEnvironment(parts.env) },
    }),
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
  return { runner, isolation: isolation.report };
}

/** Loaded only where there are any. */
async function openOutside(
  { driverFiles: files }: Settings,
  parts: Pick<OutsideDrivers, 'processes' | 'local' | 'version' | 'logger'> & {
    readonly env: Environment;
    readonly drivers: readonly Driver[];
  },
): Promise<readonly AgentDriver[]> {
  const { drivers: given, env: environment } = parts;
  if (files.length === 0 && given.length === 0) return [];
  const { openOutsideDrivers } = await import('./outside-drivers.ts');
  return openOutsideDrivers({ ...parts, files, given, environment });
}

async function openIsolation(
  { isolation, dataDir }: Settings,
  env: Environment,
): Promise<{ readonly options: IsolationOptions; readonly report: IsolationReport }> {
  if (isolation === 'off')
    return { options: {}, report: { agents: 'without-walls', reason: 'isolation is off' } };
  const isRequired = isolation === 'require';
  const walls = await findWalls(dataDir, agentEnvironment(env));
  if (!('missing' in walls)) return { options: { walls, isRequired }, report: { agents: 'behind-walls' } };
  const agents = isRequired ? 'refused' : 'without-walls';
  return { options: { isRequired }, report: { agents, reason: walls.missing } };
}

const unwatchedLine = (code: string): string =>
  `The system has no file watches left (${code}): agents are looked at every 50 ms instead. Linux has more with fs.inotify.max_user_watches and fs.inotify.max_user_instances.`;
