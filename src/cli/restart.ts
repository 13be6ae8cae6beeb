import type { Command } from './command.ts';
import type { Console } from './console.ts';
import { restartSignal } from './ending.ts';
import { Failure } from './failure.ts';
import { endServer, settledServer } from './running-server.ts';
import { serve } from './serve.ts';
import type { ServerFile } from './server-file.ts';
import { readSettings, serveFlags } from './settings.ts';

const patienceMs = 12_000;

export const restart: Command = {
  usage: 'restart [flags]',
  help: `Ends the running server and starts another in its place, in this terminal; the agents go on meanwhile.
It takes the flags of "beckon serve". Address, port and who decides stay as they were unless they are given.`,
  flags: serveFlags,
  async run(flags, console, runAnother) {
    // A command line that no server can be started with must not end the one that runs.
    const { dataDir } = await readSettings(flags, console);
    const running = await settledServer(dataDir);
    if (running === undefined) return serve.run(flags, console, runAnother);
    const ended = await endServer(dataDir, running, restartSignal, patienceMs);
    if (!ended) throw new Failure(`the server at ${running.url} (process ${running.pid}) does not end`);
    return serve.run(flags, asItWas(console, running), runAnother);
  },
};

/** Agents know the address of their tools, pages that of their server, and a person who decides there: only a flag changes these. */
function asItWas(console: Console, { url, host, decide }: ServerFile): Console {
  const same = {
    BECKON_PORT: new URL(url).port,
    ...(host !== undefined && { BECKON_HOST: host }),
    ...(decide !== undefined && { BECKON_DECIDE: decide }),
  };
  return { ...console, env: { ...console.env, ...same, BECKON_NO_OPEN: '1' } };
}
