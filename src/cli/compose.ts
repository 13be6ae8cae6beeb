import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { claudeDriver } from '../drivers/claude/driver.ts';
import { clearToolConfigs } from '../drivers/claude/tool-config.ts';
import { claudeSdkDriver } from '../drivers/claude-sdk/driver.ts';
import { demoDriver } from '../drivers/demo/driver.ts';
import { agentEnvironment } from '../drivers/process/agent-environment.ts';
import { FileProcessHost } from '../drivers/process/file-process-host.ts';
import { LocalProcessHost } from '../drivers/process/local-process-host.ts';
import { RunArchive } from '../drivers/process/run-archive.ts';
import { findWalls, type IsolationOptions } from '../drivers/process/walls.ts';
import { openEngine, randomIds, systemClock } from '../engine/index.ts';
import type { ControlRoom } from '../engine/ports/control-room.ts';
import type { ProcessHost } from '../engine/ports/process-host.ts';
import type { RawLog } from '../engine/ports/raw-log.ts';
import { openRawLog } from '../log/raw-log.ts';
import { openSqliteLog } from '../log/sqlite-log.ts';
import { createServer, type Server, urlOf } from '../server/create-server.ts';
import { toolKeys } from '../tools/mcp/tool-key.ts';
import type { Environment } from './console.ts';
import { diskState } from './disk-state.ts';
import {
  catalogueOf,
  type InteractiveTools,
  openInteractiveTools,
  toolAccessOf,
} from './interactive-tools.ts';
import { type IsolationReport, isolationLine } from './isolation.ts';
import type { Logger } from './logger.ts';
import { sessionEnvFiles } from './session-env-files.ts';
import type { Settings } from './settings.ts';
import { storageLogger } from './storage-lines.ts';

export interface Address {
  readonly url: string;
  readonly port: number;
}

export interface Composed {
  /** For callers in this process. Where nobody listens when they call, agents start all the same, without the interactive tools. */
  readonly room: ControlRoom;
  readonly isolation: IsolationReport;
  listen(): Promise<Address>;
  pairingCode(): string;
  /** Ends the agents and stores how they ended, then lets everyone and everything go. */
  close(): Promise<void>;
  /** Lets everyone and everything go but the agents, which the next server takes up. */
  detach(): Promise<void>;
  /** Ends the agents, come what may. */
  abandon(): Promise<void>;
}

/** Puts the parts together. Nothing else in the program knows which they are. */
export async function compose(
  settings: Settings,
  parts: {
    readonly token: string;
    readonly toolSecret: string;
    readonly env: Environment;
    readonly logger: Logger;
    readonly version: string;
    /** Of the server before. */
    readonly lastPort: number | undefined;
  },
): Promise<Composed> {
  const { dataDir } = settings;
  const { logger } = parts;
  const openedAt = new Date().toISOString();
  const log = openSqliteLog({ path: join(dataDir, 'beckon.db') });
  const tellOfStorage = storageLogger(logger);
  const disk = diskState(log);
  tellOfStorage(disk.current());
  disk.listen(tellOfStorage);
  const rawLog = openRawLog({ directory: join(dataDir, 'raw') });
  const onRaw: RawLog['append'] = (sessionId, direction, chunk) => rawLog.append(sessionId, direction, chunk);
  const isolation = await openIsolation(settings, parts.env);
  const isExpected = isolation.report.agents === 'behind-walls' || settings.isolation === 'off';
  logger[isExpected ? 'info' : 'warn'](isolationLine(isolation.report));
  const local = new LocalProcessHost({ dataDir, onRaw, ...isolation.options });
  const archive = new RunArchive({
    dataDir,
    secretsOf: (sessionId) => [toolKeys(parts.toolSecret).of(sessionId)],
  });
  const processes: ProcessHost =
    settings.ephemeral || process.platform === 'win32'
      ? local
      : new FileProcessHost({
          dataDir,
          onOver: (run) => void archive.add(run),
          onRoom: (room) => disk.setRoom(room),
          onUnwatched: (code) => logger.warn(unwatchedLine(code)),
          ...isolation.options,
        });
  const toolConfigs = join(dataDir, 'mcp');
  const agents = { processes, environment: parts.env, toolConfigs };
  const claude = settings.claude === undefined ? {} : { program: settings.claude };
  // Most people have none of these, and a start need not read it then.
  const acp = settings.acpAgents.length === 0 ? undefined : await import('../drivers/acp/driver.ts');
  const drivers = [
    claudeDriver({ ...agents, ...claude, holdsQuestions: settings.deferAsksMinutes > 0 }),
    claudeSdkDriver({ ...agents, ...claude, processes: local, directories: [settings.defaultCwd] }),
    ...settings.acpAgents.flatMap(
      (agent) => acp?.acpDriver({ processes, environment: parts.env, version: parts.version, agent }) ?? [],
    ),
    demoDriver({ ...agents, home: join(dataDir, 'demo') }),
  ].filter(({ name }) => !settings.disabledAgents.includes(name));

  const found = await processes.kept();
  const isTorn = log.storage.missing.some(({ foundAt }) => foundAt >= openedAt);
  // What they did since is not on record: taken up, they would wait for what was said to them already, or be told twice.
  if (isTorn) await Promise.all(found.map(({ id }) => endKept(processes, id)));
  const kept = isTorn ? [] : found;
  clearToolConfigs(
    toolConfigs,
    kept.map(({ id }) => id),
  );
  const knownPort = kept.some(({ running }) => running) ? parts.lastPort : undefined;

  // Known ahead where it can be, for an agent that is taken up and has to be started over at once.
  let url = settings.port === 0 ? undefined : urlOf(settings.host, settings.port);
  const listening = Promise.withResolvers<void>();
  let tools: InteractiveTools | undefined;
  const engine = await openEngine({
    log,
    storage: disk,
    rawLog: {
      read: (sessionId) => Readable.from(concatenated([archive.read(sessionId), rawLog.read(sessionId)])),
      async remove(sessionId) {
        await Promise.all([archive.remove(sessionId), rawLog.remove(sessionId)]);
      },
    },
    drivers,
    env: sessionEnvFiles(join(dataDir, 'env')),
    clock: systemClock,
    ids: randomIds,
    logger,
    endLeftovers: () => processes.endLeftovers(),
    kept: { list: async () => kept, end: (id) => endKept(processes, id) },
    listening: listening.promise,
    toolAccess: toolAccessOf(parts.toolSecret, () => ({ url, host: tools?.host })),
    toolCatalogue: () => catalogueOf(tools?.host),
    settings: {
      defaultCwd: settings.defaultCwd,
      roots: settings.roots,
      mostProcesses: settings.maxProcesses,
      idleMs: settings.idleMinutes * 60_000,
      askTimeout: settings.askTimeout ?? null,
      deferAsksMs: settings.deferAsksMinutes === 0 ? null : settings.deferAsksMinutes * 60_000,
    },
  });
  tools = await openInteractiveTools(engine, {
    files: settings.tools,
    secret: parts.toolSecret,
    version: parts.version,
    clock: systemClock,
    logger,
  });
  const { endpoint, end: endTools, disconnect } = tools;
  const server = createServer({
    room: engine,
    tools: endpoint,
    token: parts.token,
    dataDir,
    host: settings.host,
    port: settings.port,
    version: parts.version,
    webRoot: builtPage(),
    logger,
    allowedHosts: settings.allowedHosts,
    decide: settings.decide,
  });

  let isListening = false;
  return {
    isolation: isolation.report,
    room: {
      ...engine,
      dispatch(...call) {
        if (!isListening) {
          url = undefined;
          listening.resolve();
        }
        return engine.dispatch(...call);
      },
    },
    async listen() {
      isListening = true;
      const address = await listenAgain(server, settings, knownPort).catch((error: unknown) => {
        isListening = false;
        throw error;
      });
      ({ url } = address);
      listening.resolve();
      return address;
    },
    pairingCode: () => server.pairingCode(),
    async close() {
      await endTools();
      await engine.close();
      disconnect();
      await server.close();
      await Promise.all([local.close(), processes.close()]);
      await Promise.all([archive.close(), rawLog.close()]);
      await log.close();
    },
    async detach() {
      await endTools();
      await engine.detach();
      disconnect();
      await server.close();
      await local.close();
      await processes.detach();
      await Promise.all([archive.close(), rawLog.close()]);
      await log.close();
    },
    abandon: async () => {
      await Promise.all([local.close(), processes.close()]);
    },
  };
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

/** Where any port will do, the one that agents still know as that of their tools, unless someone else has it by now. */
async function listenAgain(
  server: Server,
  { port }: Settings,
  knownPort: number | undefined,
): Promise<Address> {
  if (port !== 0 || knownPort === undefined) return server.listen();
  return server.listen(knownPort).catch(() => server.listen());
}

/** Ends a process that outlived its session. */
async function endKept(processes: ProcessHost, id: string): Promise<void> {
  const stray = processes.attach(id, 0);
  await stray?.end();
  stray?.stored(Number.MAX_SAFE_INTEGER);
}

async function* concatenated(streams: readonly Readable[]): AsyncIterable<Buffer> {
  for (const stream of streams) yield* stream;
}

function builtPage(): string | undefined {
  const folder = fileURLToPath(new URL('../../dist/web', import.meta.url));
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}
