import { closeSync, writeSync } from 'node:fs';
import { Keeper, type KeeperOptions } from './keeper.ts';

const mostLogBytes = 256 * 1024;
const logDescriptor = 2;
/** Where the starter hears that it is open; closed without a word, another one is. */
const readyDescriptor = 3;

let logged = 0;

/** `main.ts compile` only loads everything, so that the next start finds it compiled; otherwise the options come as JSON. */
const [order = '{}'] = process.argv.slice(2);
if (order !== 'compile') await run(JSON.parse(order) as KeeperOptions);

async function run(options: KeeperOptions): Promise<void> {
  // A terminal's Ctrl-C and hang-up are meant for the server.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.chdir('/');
  const keeper = new Keeper({ ...options, log });
  process.on('SIGTERM', () => void keeper.close());
  // Fifty agents live here: an error in the handling of one connection must not end them.
  process.on('uncaughtException', (error) => log(error.stack ?? error.message));
  const isOpen = await keeper.open().catch((error: Error) => {
    log(`Could not open: ${error.message}`);
    say(readyDescriptor, `failed: ${error.message}\n`);
    process.exit(1);
  });
  if (isOpen) {
    log(`Open, version ${options.version}, process ${process.pid}`);
    say(readyDescriptor, 'ready\n');
  }
  closeSync(readyDescriptor);
  await keeper.closed;
  if (isOpen) log('Ended');
  // Nothing is left to be done. An exit in order waits for threads that compile, and one of them was seen to wait for this one.
  process.kill(process.pid, 'SIGKILL');
}

function log(text: string): void {
  const line = `${new Date().toISOString()} ${text}\n`;
  logged += line.length;
  if (logged < mostLogBytes) say(logDescriptor, line);
}

/** A full disk, or a starter that was killed meanwhile, must not cost any agent its life. */
function say(descriptor: number, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // Nobody can be told.
  }
}
