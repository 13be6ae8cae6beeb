import process from 'node:process';
import { claimDataDirectory } from './claim.ts';
import type { Command } from './command.ts';
import { watchForEnd } from './ending.ts';
import { Failure } from './failure.ts';
import { createLogger } from './logger.ts';
import { openBrowser } from './open-browser.ts';
import { type OpenRoom, openRoom } from './open-room.ts';
import { readSettings, type Settings, serveFlags } from './settings.ts';
import { letYoungSpaceGrow } from './young-space.ts';

export const serve: Command = {
  usage: '[serve] [flags]',
  help: `Starts the server and prints the address of its page. Each flag has an environment twin, named beside it.

  --port N          4590; 0 takes a free one (BECKON_PORT)
  --host H          127.0.0.1; another address lets others on the network try (BECKON_HOST)
  --data-dir DIR    ~/.beckon (BECKON_DATA_DIR)
  --no-open         do not open the browser (BECKON_NO_OPEN)
  --tools FILE…     interactive tools that agents can call (BECKON_TOOLS, separated like PATH)
  --config FILE     config.json in the data directory (BECKON_CONFIG)
  --claude PATH     the program to run as Claude Code (BECKON_CLAUDE)
  --keep-agents     when it is asked to end, agents go on for the next server (BECKON_KEEP_AGENTS)
  --ephemeral       agents end with the server, whatever ends it (BECKON_EPHEMERAL)
  --decide WHO      anyone who has the token, or paired devices alone (BECKON_DECIDE)
  --isolation HOW   auto; require, or off: whether agents are kept from Beckon's own files (BECKON_ISOLATION)

BECKON_LOG sets how much is logged: trace, debug, info, warn, error, silent.
The configuration file is JSON: port, host, allowedHosts, open, claude, tools, roots, maxProcesses, idleMinutes, askTimeout, deferAsksMinutes, whileBusy, keepAgents, ephemeral, decide, isolation, agents.`,
  flags: serveFlags,
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

    const room = await openRoom(settings, lock, { env: console.env, logger, isEmbedded: false });
    const { url } = await listen(room, settings);
    const isShown = settings.decide === 'anyone' || console.stdout.isTTY;
    const link = (): string => `${url}/#pair=${room.pairingCode()}`;
    const address = isShown ? link() : url;
    console.stdout.write(`Beckon is ready: ${address}\n`);
    letYoungSpaceGrow();
    logger.info({ url, dataDir }, 'Ready');
    onAskedForCode = isShown
      ? () => void console.stdout.write(`One more browser: ${link()}\n`)
      : () => logger.info(noCodeShown);
    if (!isShown) onAskedForCode();
    // A browser's command line can be read by every program of the same person, and so by agents.
    if (settings.open) openBrowser(settings.decide === 'anyone' ? address : url, console);

    const { exitCode, agentsGoOn } = await ending.asked;
    const isClean = await ending.finish(
      () => (agentsGoOn || settings.keepAgents ? room.detach() : room.close()),
      () => (agentsGoOn || settings.keepAgents ? Promise.resolve() : room.abandon()),
    );
    await room.release();
    logger.info('Ended');
    return endProcess(isClean ? exitCode : 1);
  },
};

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
