import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { watchForEnd } from '../../src/cli/ending.ts';
import { systemClock } from '../../src/engine/ports/clock.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { createToolHost } from '../../src/tools/host/tool-host.ts';
import { MemoryDesk } from '../../src/tools/testing/memory-desk.ts';

/** A server reduced to its tools and its end: says what it hears of faults, one line each. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const faults = Promise.withResolvers<void>();
let heard = 0;
const note =
  (level: string) =>
  (details: object, message = ''): void => {
    const { err } = details as { err?: Error };
    if (err === undefined) return;
    say(`${level}: ${err.message}: ${message}`);
    heard += 1;
    if (heard === 6) faults.resolve();
  };
const logger = { info: note('info'), warn: note('warn'), error: note('error'), fatal: note('fatal') };

const { asked } = watchForEnd(logger as unknown as Parameters<typeof watchForEnd>[0], {});
const host = await createToolHost({
  desk: new MemoryDesk(),
  files: [fileURLToPath(new URL('./faulty-tools.ts', import.meta.url))],
  clock: systemClock,
  logger,
});
const call = async (name: string, signal = new AbortController().signal) => {
  const result = await host.call(SessionId.parse('ses_1'), name, {}, { callId: 'call_1', signal });
  say(result.text);
};
const keepAlive = setInterval(() => {}, 1000);
await call('timer');
await call('promise');
await call('emitter');
const agent = new AbortController();
const listening = call('listener', agent.signal);
setImmediate(() => agent.abort());
await listening;
await faults.promise;
say('all survived');
setImmediate(() => {
  throw new Error('a bug of the server');
});
await asked;
say('ends');
clearInterval(keepAlive);
process.exit(0);
