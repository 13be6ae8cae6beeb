import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { z } from 'zod';
import { RunnerFile } from '../cluster/cluster.ts';
import { serveRoom } from '../cluster/ends.ts';
import { unsealWith } from '../cluster/seal.ts';
import { readClusterFile } from './cluster-command.ts';
import type { Command } from './command.ts';
import type { Console } from './console.ts';
import { claimDataDirectory } from './data-directory.ts';
import { watchForEnd } from './ending.ts';
import { Failure, UsageError } from './failure.ts';
import { type ParsedFlags, textFlag } from './flags.ts';
import { createLogger, type Logger } from './logger.ts';
import { machineLoad } from './machine-load.ts';
import { absolute, dataDirectoryOf } from './paths.ts';
import { openRunNotes } from './run-notes.ts';
import { keepToolSecret, readSecretFile, writeSecretFile } from './secret-files.ts';
import { readSettings, serveFlags } from './settings.ts';
import { version } from './version.ts';

const { 'data-dir': dataDir, config, claude, isolation } = serveFlags;

export const runner: Command = {
  usage: 'runner --cluster FILE [flags]',
  help: `Runs agents on this machine for a server on another. It goes to NATS, and waits there for its room. It listens on
loopback alone, where its agents call the interactive tools of the server.
When it ends, its agents go on; the next one takes them up.

  --cluster FILE    what "beckon cluster add" printed for this machine
  --data-dir DIR    ~/.beckon/runners/NAME.ROOM: of one room alone; for two rooms there are two runners
  --config FILE     config.json in the data directory: claude, agents, editor, isolation
  --claude PATH     the program to run as Claude Code (BECKON_CLAUDE)
  --isolation HOW   auto; require, or off: whether agents are kept from Beckon's own files (BECKON_ISOLATION)

BECKON_LOG sets how much is logged: trace, debug, info, warn, error, silent.`,
  flags: { cluster: { type: 'string' }, 'data-dir': dataDir, config, claude, isolation },
  async run(flags, console) {
    const { cwd, env } = console;
    const path = textFlag(flags, 'cluster');
    if (path === undefined)
      throw new UsageError('--cluster names the file that "beckon cluster add" printed for this machine');
    const file = await readClusterFile(absolute(path, cwd, env), RunnerFile);
    const settings = await readSettings(flags, { ...console, env: withOwnDirectory(file, flags, console) });
    await refuseOtherRoom(settings.dataDir, file);
    const lock = await claimDataDirectory(settings.dataDir);
    await writeSecretFile(roomPath(settings.dataDir), `${file.room}\n`);
    const logger = createLogger(console);
    const ending = watchForEnd(logger, env);
    // Most of the program; a command line that fails need not wait for it.
    const { composeRunner } = await import('./compose-runner.ts');
    const { toolKeys } = await import('../tools/mcp/endpoint.ts');
    const toolSecret = await keepToolSecret(settings.dataDir);
    const { runner } = await composeRunner(settings, {
      env,
      logger,
      version: await version(),
      drivers: [],
      secretsOf: (sessionId) => [toolKeys(toolSecret).of(sessionId)],
      onRoom: (room) =>
        room !== 'enough' && logger.warn(`The disk has little room for what agents print: ${room}`),
    });
    const left = await runner.left();
    const { dataDir } = settings;
    const served = await serve(file, { runner, left, dataDir, toolSecret, logger, asked: ending.asked });
    if ('reason' in served) logger.error(served.reason);
    else console.stdout.write(`Beckon runs agents here as ${file.name}\n`);
    const end = 'reason' in served ? { exitCode: 1 } : await Promise.race([ending.asked, served.refused]);
    const isClean = await ending.finish(
      async () => {
        if ('stop' in served) await served.stop();
        await runner.detach();
      },
      async () => {},
    );
    lock.release();
    setTimeout(() => process.exit(), 500).unref();
    if ('reason' in end) throw new Failure(end.reason);
    return isClean ? end.exitCode : 1;
  },
};

type Refused = { readonly exitCode: number; readonly reason: string };

interface Serving {
  readonly refused: Promise<Refused>;
  stop(): Promise<void>;
}

// The room takes one that is silent for gone after four seconds.
const refusedForMs = 10_000;

async function serve(
  file: RunnerFile,
  parts: {
    readonly runner: Parameters<typeof serveRoom>[1]['runner'];
    readonly left: Parameters<typeof serveRoom>[1]['left'];
    readonly dataDir: string;
    readonly toolSecret: string;
    readonly logger: Logger;
    readonly asked: Promise<unknown>;
  },
): Promise<Serving | Refused> {
  const { room, name, servers, seed, ca } = file;
  const { logger, dataDir } = parts;
  const id = randomUUID();
  const { openRunnerTools } = await import('./runner-tools.ts');
  const secret = parts.toolSecret;
  const tools = await openRunnerTools({ id, dataDir, secret, version: await version(), logger });
  const { connectCarrier } = await import('../cluster/nats/carrier.ts');
  const waiting = new AbortController();
  void parts.asked.then(() => waiting.abort());
  const carrier = await connectCarrier(
    {
      servers,
      room,
      who: name,
      seed,
      ...(ca !== undefined && { ca }),
      onTrouble: (reason) =>
        reason === undefined
          ? logger.info('NATS takes everything again')
          : logger.warn({ reason }, 'NATS does not take what is said; it is kept here and said again'),
    },
    waiting.signal,
  ).catch(() => undefined);
  if (carrier === undefined) {
    await tools.close();
    return { exitCode: 0, reason: 'Ended before NATS was there' };
  }
  const { promise: refused, resolve } = Promise.withResolvers<Refused>();
  let [firstRefusal, lastRefusal] = [0, Number.NEGATIVE_INFINITY];
  const serving = serveRoom(carrier, {
    name,
    runner: parts.runner,
    left: parts.left,
    id,
    tools: tools.tools,
    load: machineLoad,
    notes: await openRunNotes(dataDir, logger),
    earlier: await earlierStarts(dataDir, id),
    version: await version(),
    unseal: unsealWith(file.unsealWith),
    onRefused: (reason, again) => {
      const now = performance.now();
      // Refused long ago and served since: that counts no more.
      if (now - lastRefusal > refusedForMs) firstRefusal = now;
      lastRefusal = now;
      if (!again || now - firstRefusal > refusedForMs) resolve({ exitCode: 1, reason });
    },
    onOdd: (what) => logger.warn({ what }, 'Something came that is not understood'),
  });
  return {
    refused,
    async stop() {
      // First the link: what agents have called is not taken back because this program ends.
      await serving.stop();
      await tools.close();
      await carrier.close();
    },
  };
}

/** A data directory of its own: a server on the same machine has another. */
function withOwnDirectory({ name, room }: RunnerFile, flags: ParsedFlags, console: Console): Console['env'] {
  if (textFlag(flags, 'data-dir') !== undefined || console.env.BECKON_DATA_DIR) return console.env;
  const own = join(dataDirectoryOf(flags, console), 'runners', `${name}.${room}`);
  return { ...console.env, BECKON_DATA_DIR: own };
}

const roomPath = (directory: string): string => join(directory, 'room');

/** The agents of a data directory are those of the room that started them; another would be shown them, and could end them. */
async function refuseOtherRoom(directory: string, { room }: RunnerFile): Promise<void> {
  const known = (await readSecretFile(roomPath(directory)))?.trim();
  if (known !== undefined && known !== room)
    throw new Failure(
      `${directory} belongs to the agents of another room (${known}, not ${room}): name another one with --data-dir`,
    );
}

const Starts = z.array(z.string());
const mostStarts = 20;

/** By these the room knows that the one before has ended: whoever has the directory is alone in it. */
async function earlierStarts(directory: string, id: string): Promise<readonly string[]> {
  const path = join(directory, 'starts.json');
  const text = await readSecretFile(path);
  const read = Starts.safeParse(text === undefined ? [] : parsed(text));
  const earlier = read.success ? read.data : [];
  await writeSecretFile(path, JSON.stringify([...earlier, id].slice(-mostStarts)));
  return earlier;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
