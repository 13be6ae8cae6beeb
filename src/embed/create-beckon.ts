import type { IncomingMessage, ServerResponse } from 'node:http';
import process from 'node:process';
import type { Duplex } from 'node:stream';
import { type AgentConfig, builtIn, type Config, checkConfig } from '../cli/config-file.ts';
import { claimDataDirectory } from '../cli/data-directory.ts';
import { Failure } from '../cli/failure.ts';
import { createLogger } from '../cli/logger.ts';
import { type OpenRoom, openRoom } from '../cli/open-room.ts';
import { absolute } from '../cli/paths.ts';
import { settingsOf } from '../cli/settings.ts';
import { DirectTransport } from '../client/direct-transport.ts';
import { type Driver, isDriver } from '../drivers/sdk/define-driver.ts';
import type { Tool } from '../tools/sdk/define-tool.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a configuration file may hold, without what concerns the command alone; paths are relative to `cwd`. */
export interface BeckonOptions extends Omit<Config, 'open' | 'keepAgents' | 'tools' | 'agents'> {
  /** Fields of an entry that are not known go to its driver, where that is a file. */
  readonly agents?: Readonly<
    Record<string, Omit<AgentConfig, 'options'> & Readonly<Record<string, unknown>>>
  >;
  /** Drivers of your own, made with `defineDriver`. */
  readonly drivers?: readonly Driver[];
  /** Where your own server has the control room, like `/beckon`: then `handler` and `upgrade` serve it, and `listen` does not. */
  readonly path?: string;
  /** Interactive tools: files, or tools made with `defineTool`. */
  readonly tools?: readonly (string | Tool)[];
  /** Where everything is kept; it is made if it is missing. One control room at a time can have it. */
  readonly dataDir: string;
  /** Where a session works that names no directory; the program's own unless given. */
  readonly cwd?: string;
  /** What agents get as their environment; the program's own unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How much is written to stderr; `silent` unless given. */
  readonly logLevel?: LogLevel;
}

/** A control room in this process. It installs no signal handlers and leaves nothing behind that keeps the process alive. */
export interface Beckon {
  /** The control room without a network in between. */
  readonly transport: DirectTransport;
  /** What programs show to be let in over HTTP: `Authorization: Bearer …`. */
  readonly token: string;
  /** Serves the page and the API. Agents that were started before have no interactive tools. */
  listen(): Promise<{ readonly url: string }>;
  /** Answers a request below `path`, for a server of your own: the page, the API, and the tools of agents. */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** Takes an upgrade below `path`, for the page's socket; false where it is for somebody else. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Tells where your own server is reached, like `http://127.0.0.1:3000`. Agents that were started before have no interactive tools. */
  mounted(origin: string): Promise<{ readonly url: string }>;
  /** A one-time code for one browser: `${url}/#pair=${code}`. */
  pairingCode(): string;
  /** Ends the agents, stores how they ended, and lets everything go. */
  close(): Promise<void>;
  /** Lets everything go but the agents, for the next control room on this directory to take up. */
  detach(): Promise<void>;
}

/** Opens a control room in this process. Rejects with a sentence when the options are wrong or the directory is taken. */
export async function createBeckon(options: BeckonOptions): Promise<Beckon> {
  expectOptions(options);
  const { dataDir, cwd = process.cwd(), env = process.env, logLevel = 'silent', ...given } = options;
  const { drivers = [], tools = [], path, ...plain } = given;
  const files = tools.filter((tool) => typeof tool === 'string');
  const config = checkConfig({ ...plain, tools: files, port: given.port ?? 0 }, 'createBeckon', cwd, env);
  expectOwnNames(drivers, config);
  const settings = settingsOf(config, { dataDir: absolute(dataDir, cwd, env), cwd, env });
  const lock = await claimDataDirectory(settings.dataDir);
  const logger = createLogger({ env: { BECKON_LOG: logLevel }, stderr: process.stderr });
  const own = { drivers, tools: tools.filter((tool) => typeof tool !== 'string') };
  return beckonOf(
    await openRoom(settings, lock, { env, logger, own, isEmbedded: true, path: path ?? '' }),
    path,
  );
}

/** What the configuration file has no field for; programs without types may give anything. */
function expectOptions(options: Partial<BeckonOptions> | null | undefined): void {
  const { dataDir, logLevel = 'silent', drivers = [], path } = options ?? {};
  if (typeof dataDir !== 'string' || dataDir === '')
    throw new Failure('createBeckon: "dataDir" must be given');
  if (!logLevels.includes(logLevel))
    throw new Failure(`createBeckon: "logLevel" is one of ${logLevels.join(', ')}`);
  if (path !== undefined && !/^(\/[\w.~-]+)+$/.test(path))
    throw new Failure('createBeckon: "path" is like "/beckon", with no slash at its end');
  if (!drivers.every(isDriver)) throw new Failure('createBeckon: "drivers" are what defineDriver gives');
}

/** Of two agents of one name the second could never be started. */
function expectOwnNames(drivers: readonly Driver[], { agents = {} }: Config): void {
  const taken = new Set([...builtIn, ...Object.keys(agents).filter((name) => agents[name]?.driver)]);
  for (const { name } of drivers) {
    if (taken.has(name)) throw new Failure(`createBeckon: there are two agents called "${name}"`);
    taken.add(name);
  }
}

const isClosed = 'This control room is closed.';

function beckonOf(room: OpenRoom, path: string | undefined): Beckon {
  const transport = new DirectTransport(room.room);
  let listening: ReturnType<Beckon['listen']> | undefined;
  let ending: Promise<void> | undefined;
  const end = (how: () => Promise<void>): Promise<void> => {
    // A server that is about to open its port could not be closed before it has.
    ending ??= Promise.resolve(listening)
      .then(how, how)
      .finally(() => {
        transport.close();
        return room.release();
      });
    return ending;
  };
  return {
    transport,
    token: room.token,
    async listen() {
      if (ending !== undefined) throw new Error(isClosed);
      if (path !== undefined) throw new Error('A control room under a path is served by your own server.');
      listening ??= room.listen().catch((error: unknown) => {
        listening = undefined;
        throw error;
      });
      return listening;
    },
    ...room.mounted,
    async mounted(origin) {
      if (ending !== undefined) throw new Error(isClosed);
      if (path === undefined) throw new Error('Say under which path it is: createBeckon({ path }).');
      listening ??= room.mount(origin);
      return listening;
    },
    pairingCode: room.pairingCode,
    close: () => end(room.close),
    detach: () => end(room.detach),
  };
}
