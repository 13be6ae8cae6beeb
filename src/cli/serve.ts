import { spawn } from 'node:child_process';
import process, { platform } from 'node:process';
import type { Command } from './command.ts';
import type { Console } from './console.ts';
import { claimDataDirectory, endServer, type ServerFile, settledServer } from './data-directory.ts';
import { restartSignal, timeForEnd, watchForEnd } from './ending.ts';
import { Failure } from './failure.ts';
import { createLogger, type Logger } from './logger.ts';
import { type OpenRoom, openRoom } from './open-room.ts';
import { clusterFileOf, readSettings, type Settings, serveFlags } from './settings.ts';
import { letYoungSpaceGrow } from './young-space.ts';

export const serve: Command = {
  usage: '[serve] [flags]',
  help: `Starts the server and prints the address of its page. Each flag has an environment twin, named beside it.

  --port N          4590; 0 takes a free one (BECKON_PORT)
  --host H          127.0.0.1; another address lets others on the network try (BECKON_HOST)
  --public-url URL  where a proxy has it, such as https://beckon.example.org: links lead there (BECKON_PUBLIC_URL)
  --data-dir DIR    ~/.beckon (BECKON_DATA_DIR)
  --no-open         do not open the browser (BECKON_NO_OPEN)
  --tools FILE…     interactive tools that agents can call (BECKON_TOOLS, separated like PATH)
  --config FILE     config.json in the data directory (BECKON_CONFIG)
  --claude PATH     the program to run as Claude Code (BECKON_CLAUDE)
  --keep-agents     when it is asked to end, agents go on for the next server (BECKON_KEEP_AGENTS)
  --ephemeral       agents end with the server, whatever ends it (BECKON_EPHEMERAL)
  --decide WHO      anyone who has the token, or paired devices alone (BECKON_DECIDE)
  --isolation HOW   auto; require, or off: whether agents are kept from Beckon's own files (BECKON_ISOLATION)
  --cluster FILE    room.json of a cluster: agents run on its machines, too (BECKON_CLUSTER)

BECKON_LOG sets how much is logged: trace, debug, info, warn, error, silent.
The configuration file is JSON: port, host, publicUrl, allowedHosts, open, claude, tools, roots, maxProcesses, idleMinutes, askTimeout, deferAsksMinutes, recordingSeconds, whileBusy, push, keepAgents, ephemeral, decide, isolation, agents.`,
  flags: serveFlags,
  // Files of `--tools`; other words are refused with the settings.
  mostWords: Number.POSITIVE_INFINITY,
  async run(flags, console) {
    const settings = await readSettings(flags, console);
    const { dataDir } = settings;
    const lock = await claimDataDirectory(dataDir);
    const logger = createLogger(console);
    // Unless someone listens, Node opens its debugger at this signal, to every program on the machine.
    let onAskedForCode = (): void => {};
    process.on('SIGUSR1', () => onAskedForCode());
    const ending = watchForEnd(logger, console.env);
    if (!isLoopback(settings.host)) {
      logger.warn(
        `Bound to ${settings.host}: everyone on the network can reach Beckon, and whoever learns the token can run commands as you. The connection is not encrypted.`,
      );
    }

    const cluster = clusterFileOf(flags, console);
    const machines = await clusterOf(cluster, logger);
    const room = await openRoom(settings, lock, {
      env: console.env,
      logger,
      isEmbedded: false,
      ...(machines && { machines }),
      cluster,
    });
    const { url } = await listen(room, settings);
    const isShown = settings.decide === 'anyone' || console.stdout.isTTY;
    const linkAt = (base: string): string => (isShown ? `${base}/#pair=${room.pairingCode()}` : base);
    const publicUrl = settings.publicUrl?.url;
    const address = linkAt(url);
    // Programs that start a server wait for this line, on the machine itself.
    console.stdout.write(`Beckon is ready: ${address}\n`);
    if (publicUrl !== undefined) console.stdout.write(`From elsewhere: ${linkAt(publicUrl)}\n`);
    letYoungSpaceGrow();
    logger.info({ url, dataDir }, 'Ready');
    onAskedForCode = isShown
      ? () => void console.stdout.write(`One more browser: ${linkAt(publicUrl ?? url)}\n`)
      : () => logger.info(noCodeShown);
    if (!isShown) onAskedForCode();
    // A browser's command line can be read by every program of the same person, and so by agents.
    if (settings.open) openBrowser(settings.decide === 'anyone' ? address : url, console);

    const { exitCode, agentsGoOn } = await ending.asked;
    const isClean = await ending.finish(
      () => (agentsGoOn || settings.keepAgents ? room.detach() : room.close()),
      () => (agentsGoOn || settings.keepAgents ? Promise.resolve() : room.abandon()),
    );
    await machines?.close();
    await room.release();
    logger.info('Ended');
    return endProcess(isClean ? exitCode : 1);
  },
};

/** Loaded only where there are other machines. */
async function clusterOf(path: string | undefined, logger: Logger) {
  if (path === undefined) return undefined;
  const { openClusterMachines } = await import('./cluster-machines.ts');
  return openClusterMachines(path, logger);
}

export const restart: Command = {
  usage: 'restart [flags]',
  help: `Ends the running server and starts another in its place, in this terminal; the agents go on meanwhile.
It takes the flags of "beckon serve". Addresses, port, who decides and the cluster stay as they were unless they are given; --cluster "" leaves the cluster.`,
  flags: serveFlags,
  // Files of `--tools`; other words are refused with the settings.
  mostWords: Number.POSITIVE_INFINITY,
  async run(flags, console, runAnother) {
    // A command line that no server can be started with must not end the one that runs.
    const { dataDir } = await readSettings(flags, console);
    const running = await settledServer(dataDir);
    if (running === undefined) return serve.run(flags, console, runAnother);
    const ended = await endServer(dataDir, running, restartSignal, timeForEnd(console.env));
    if (!ended) throw new Failure(`the server at ${running.url} (process ${running.pid}) does not end`);
    return serve.run(flags, asItWas(console, running), runAnother);
  },
};

/** Agents know the address of their tools, pages that of their server, and a person who decides there: only a flag changes these. */
function asItWas(console: Console, { url, host, publicUrl, decide, cluster }: ServerFile): Console {
  const same = {
    BECKON_PORT: new URL(url).port,
    ...(host !== undefined && { BECKON_HOST: host }),
    ...(publicUrl !== undefined && { BECKON_PUBLIC_URL: publicUrl }),
    ...(decide !== undefined && { BECKON_DECIDE: decide }),
    ...(cluster !== undefined && { BECKON_CLUSTER: cluster }),
  };
  return { ...console, env: { ...console.env, ...same, BECKON_NO_OPEN: '1' } };
}

const noCodeShown =
  'Only devices decide, and this output is no terminal: no pairing code is printed. A paired page makes one, and so does a server that is started in a terminal.';

async function listen(room: OpenRoom, { host, port }: Settings): Promise<{ readonly url: string }> {
  try {
    return await room.listen();
  } catch (error) {
    // The agents of an earlier server are none the worse for a port that is taken.
    await room.detach();
    throw new Failure(whyNoPort((error as NodeJS.ErrnoException).code, host, port) ?? String(error));
  }
}

function whyNoPort(code: string | undefined, host: string, port: number): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use; take another with --port, or any free one with --port 0`;
    case 'EACCES':
      return `port ${port} on ${host} is not allowed; take one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine`;
    default:
      return undefined;
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

/** Everything is stored and let go of; a handle that someone forgot must not keep the program alive. */
function endProcess(exitCode: number): number {
  setTimeout(() => process.exit(exitCode), 500).unref();
  return exitCode;
}

/** Shows the page, where there is a person with a screen; a browser that does not start is no failure. */
function openBrowser(url: string, { env, stdout }: Console): void {
  if (!stdout.isTTY || env.CI || !hasDisplay(env)) return;
  const [command, ...args] = openerOf(url);
  const child = spawn(command, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

function hasDisplay(env: Console['env']): boolean {
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

function openerOf(url: string): [string, ...string[]] {
  switch (platform) {
    case 'darwin':
      return ['open', url];
    case 'win32':
      // `start` belongs to the shell, and its first quoted argument is a window's title.
      return ['cmd', '/c', 'start', '""', url];
    default:
      return ['xdg-open', url];
  }
}
