import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withShapes } from '../drivers/older-events.ts';
import type { Driver } from '../drivers/sdk/define-driver.ts';
import { openEngine, randomIds, systemClock } from '../engine/index.ts';
import type { ControlRoom } from '../engine/ports/control-room.ts';
import type { EventLog } from '../engine/ports/event-log.ts';
import type { MachineSource } from '../engine/ports/machine.ts';
import type { StorageWatch } from '../engine/ports/storage-watch.ts';
import { openSqliteLog } from '../log/sqlite-log.ts';
import type { Room } from '../protocol/storage.ts';
import { type Notifier, openNotifier } from '../reach/notifier.ts';
import { pushChannelName } from '../reach/push/push-channel.ts';
import { createServer, type Mounted, type Server, urlOf } from '../server/create-server.ts';
import { toolKeys } from '../tools/mcp/endpoint.ts';
import type { Tool } from '../tools/sdk/define-tool.ts';
import { composePush } from './compose-push.ts';
import { composeRunner } from './compose-runner.ts';
import type { Environment } from './console.ts';
import {
  catalogueOf,
  type InteractiveTools,
  openInteractiveTools,
  toolAccessOf,
} from './interactive-tools.ts';
import type { Logger } from './logger.ts';
import { machineLoad } from './machine-load.ts';
import { progressFiles } from './notice-progress.ts';
import { configuredChannels } from './notification-settings.ts';
import { sessionEnvFiles } from './secret-files.ts';
import { type IsolationReport, storageLogger } from './server-lines.ts';
import type { Settings } from './settings.ts';
import { templateFile } from './template-file.ts';

export interface Address {
  readonly url: string;
  readonly port: number;
}

/** What the program brings along that this control room is a part of. */
export interface OwnParts {
  readonly drivers: readonly Driver[];
  readonly tools: readonly Tool[];
}

export interface Composed {
  /** For callers in this process. Where nobody listens when they call, agents start all the same, without the interactive tools. */
  readonly room: ControlRoom;
  readonly isolation: IsolationReport;
  listen(): Promise<Address>;
  /** In place of `listen`, for a program that passes on what comes in below a path of its own. */
  readonly mounted: Mounted;
  /** Tells where that program is reached: below it are the page, and the tools for agents. */
  mount(origin: string): Address;
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
    readonly own: OwnParts;
    /** Where agents run beside this one. Whoever gives them closes their runners. */
    readonly machines?: MachineSource | undefined;
    /** Of a server of somebody else's; empty where there is none. */
    readonly path: string;
    /** Of the server before. */
    readonly lastPort: number | undefined;
  },
): Promise<Composed> {
  const { dataDir } = settings;
  const { logger } = parts;
  const openedAt = new Date().toISOString();
  const log = openSqliteLog({ path: join(dataDir, 'beckon.db'), upcast: withShapes });
  const tellOfStorage = storageLogger(logger);
  const disk = diskState(log);
  tellOfStorage(disk.current());
  disk.listen(tellOfStorage);
  const { runner, isolation } = await composeRunner(settings, {
    ...parts,
    drivers: parts.own.drivers,
    secretsOf: (sessionId) => [toolKeys(parts.toolSecret).of(sessionId)],
    onRoom: (room) => disk.setRoom(room),
  });
  const isTorn = log.storage.missing.some(({ foundAt }) => foundAt >= openedAt);
  // What they did since is not on record: taken up, they would wait for what was said to them already, or be told twice.
  if (isTorn) await Promise.all((await runner.left()).map(({ runId }) => runner.end(runId)));
  const isAnyLeft = (await runner.left()).some(({ isRunning }) => isRunning);
  const knownPort = isAnyLeft ? parts.lastPort : undefined;

  // Known ahead where it can be, for an agent that is taken up and has to be started over at once.
  let url = settings.port === 0 ? undefined : urlOf(settings.host, settings.port);
  const listening = Promise.withResolvers<void>();
  let tools: InteractiveTools | undefined;
  let notifier: Notifier | undefined;
  const engine = await openEngine({
    log,
    runner,
    ...(parts.machines && { machines: parts.machines }),
    localLoad: machineLoad,
    storage: disk,
    env: sessionEnvFiles(join(dataDir, 'env')),
    templates: templateFile(join(dataDir, 'templates.json')),
    clock: systemClock,
    ids: randomIds,
    logger,
    listening: listening.promise,
    toolAccess: toolAccessOf(parts.toolSecret, () => ({ url, host: tools?.host })),
    toolCatalogue: () => catalogueOf(tools?.host),
    // How a device is reached is told to that device alone.
    channels: () => notifier?.states().filter(({ name }) => name !== pushChannelName) ?? [],
    settings: {
      defaultCwd: settings.defaultCwd,
      // Worktrees of repositories in them lie elsewhere.
      roots: settings.roots.length === 0 ? [] : [...settings.roots, join(settings.dataDir, 'worktrees')],
      mostProcesses: settings.maxProcesses,
      idleMs: settings.idleMinutes * 60_000,
      askTimeout: settings.askTimeout ?? null,
      whileBusy: settings.whileBusy,
      deferAsksMs: settings.deferAsksMinutes === 0 ? null : settings.deferAsksMinutes * 60_000,
      recordingMs: settings.recordingSeconds * 1000,
    },
  });
  tools = await openInteractiveTools(engine, {
    files: settings.tools,
    given: parts.own.tools,
    secret: parts.toolSecret,
    version: parts.version,
    clock: systemClock,
    logger,
  });
  const { endpoint, end: endTools, disconnect } = tools;
  parts.machines?.offerTools?.(tools.shared);
  const push = await composePush(settings, {
    engine,
    logger,
    subscriptions: () => server.subscriptions,
  });
  const server = createServer({
    room: engine,
    tools: endpoint,
    push,
    token: parts.token,
    dataDir,
    host: settings.host,
    port: settings.port,
    version: parts.version,
    webRoot: builtPage(),
    logger,
    allowedHosts: settings.allowedHosts,
    publicUrl: settings.publicUrl,
    decide: settings.decide,
    path: parts.path,
  });

  const link = (sessionId: string): string | undefined => {
    const place = settings.publicUrl?.url ?? url;
    return place === undefined ? undefined : `${place}/s/${encodeURIComponent(sessionId)}`;
  };
  notifier = await openNotifier({
    channels: [
      ...configuredChannels(settings.notifications, { clock: systemClock, link }),
      ...(push === undefined ? [] : [push]),
    ],
    feed: engine.notices,
    presence: engine.clients.presence,
    quiet: settings.notifications.quiet,
    store: progressFiles(join(dataDir, 'channels')),
    clock: systemClock,
    logger,
    random: Math.random,
  });
  const { close: endNotices } = notifier;

  let isListening = false;
  return {
    isolation,
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
    mounted: server.mounted,
    mount(origin) {
      isListening = true;
      const { protocol, host, port } = new URL(origin);
      url = `${protocol}//${host}${parts.path}`;
      server.mount(url);
      listening.resolve();
      return { url, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
    },
    pairingCode: () => server.pairingCode(),
    async close() {
      await endTools();
      await endNotices();
      await engine.close();
      disconnect();
      await server.close();
      await runner.close();
      await log.close();
    },
    async detach() {
      await endTools();
      await endNotices();
      await engine.detach();
      disconnect();
      await server.close();
      await runner.detach();
      await log.close();
    },
    abandon: () => runner.close(),
  };
}

/** How things stand with the disk: what the log says of it, and how much room agents have. */
function diskState(log: EventLog): StorageWatch & { setRoom(room: Room): void } {
  const listeners = new Set<Parameters<StorageWatch['listen']>[0]>();
  let room: Room = 'enough';
  const current = () => (room === 'enough' ? log.storage : { ...log.storage, room });
  const tell = () => {
    for (const listener of listeners) listener(current());
  };
  log.onStorage(tell);
  return {
    current,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setRoom(changed) {
      room = changed;
      tell();
    },
  };
}

/** Where any port will do, the one that agents still know as that of their tools, unless someone else has it by now. */
async function listenAgain(
  server: Server,
  { port }: Settings,
  knownPort: number | undefined,
): Promise<Address> {
  if (port !== 0 || knownPort === undefined) return server.listen();
  return server.listen(knownPort).catch(() => server.listen());
}

function builtPage(): string | undefined {
  const folder = fileURLToPath(new URL('../../dist/web', import.meta.url));
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}
