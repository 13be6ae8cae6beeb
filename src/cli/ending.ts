import process from 'node:process';
import { authorAtFault } from '../tools/host/author.ts';
import type { Environment } from './console.ts';
import { UsageError } from './failure.ts';
import type { Logger } from './logger.ts';

export interface Ending {
  /** Resolves when the server is to end: asked to, or by a bug nobody caught. */
  readonly asked: Promise<End>;
  /** Runs the clean-up; when it takes longer than there is time for, `abandon` and the end follow all the same. */
  finish(clean: () => Promise<void>, abandon: () => Promise<void>): Promise<boolean>;
}

export interface End {
  readonly exitCode: number;
  /** A restart, or a bug of ours, is no reason to end anyone's agents. */
  readonly agentsGoOn: boolean;
}

const timeForAbandoning = 2_000;
const parentCheckMs = 250;
/** How a server is told to make room for the next one. */
export const restartSignal = 'SIGUSR2';

/** How long the clean-up may take, by default seven seconds: service managers kill what takes more than ten. */
function timeForClean({ BECKON_END_SECONDS: text }: Environment): number {
  if (!text) return 7_000;
  const seconds = Number(text);
  if (seconds >= 1 && seconds <= 600) return seconds * 1000;
  throw new UsageError(`BECKON_END_SECONDS must be a number from 1 to 600, not "${text}"`);
}

/** How long whoever asks a server to end waits for it. */
export const timeForEnd = (env: Environment): number => timeForClean(env) + timeForAbandoning + 3_000;

/** Ends the program in order at the first signal and at once at the second. */
export function watchForEnd(logger: Logger, env: Environment): Ending {
  const timeMs = timeForClean(env);
  const { promise: asked, resolve } = Promise.withResolvers<End>();
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.exit(1);
      logger.info(`${signal}: ending; a second signal ends at once`);
      resolve({ exitCode: 0, agentsGoOn: false });
    });
  }
  process.on(restartSignal, () => {
    logger.info('Ending for a restart; the agents go on');
    resolve({ exitCode: 0, agentsGoOn: true });
  });
  if (env.npm_lifecycle_event !== undefined) {
    onParentGone(() => {
      logger.info('npm was ended: ending');
      resolve({ exitCode: 0, agentsGoOn: false });
    });
  }
  const onBug = (error: unknown) => {
    const author = authorAtFault();
    if (author !== undefined) {
      logger.error({ err: error }, `An error that nobody caught, in ${author}; going on`);
      return;
    }
    logger.fatal({ err: error }, 'An error that nobody caught; ending');
    resolve({ exitCode: 1, agentsGoOn: true });
  };
  process.on('uncaughtException', onBug);
  process.on('unhandledRejection', onBug);

  return {
    asked,
    async finish(clean, abandon) {
      if (await isDone(clean, timeMs, logger)) return true;
      await isDone(abandon, timeForAbandoning, logger);
      return false;
    },
  };
}

/** npm hands a signal to the shell it runs a script in, and that shell dies without passing it on: all we see of it is another parent. */
function onParentGone(callback: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, parentCheckMs);
  timer.unref();
}

async function isDone(work: () => Promise<void>, milliseconds: number, logger: Logger): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    logger.error('Ending took too long');
    resolve(false);
  }, milliseconds);
  const done = work().then(
    () => true,
    (error: unknown) => {
      logger.error({ err: error }, 'Ending failed');
      return false;
    },
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
