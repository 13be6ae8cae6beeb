import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutProgram } from '../built.ts';
import { HttpClient } from '../http-client.ts';
import { lineOf, start, within } from '../running.ts';
import { pacedAgent } from './agents.ts';

export interface BeckonServer {
  readonly process: ChildProcess;
  readonly client: HttpClient;
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SessionView {
  readonly id: string;
  readonly status: string;
  readonly lastSeq: number;
  readonly usage: { readonly turns: number };
}

/** The arguments of a server on a data directory of its own. */
export const serveArguments = (dataDir: string, program = checkoutProgram): string[] => [
  program,
  'serve',
  '--port=0',
  `--data-dir=${dataDir}`,
  '--no-open',
];

/** Starts the program as a user would. */
export const startServer = (
  dataDir: string,
  nodeArgs: readonly string[] = [],
  claude = pacedAgent(),
  args: readonly string[] = [],
): Promise<BeckonServer> => whenReady(spawnServer(dataDir, nodeArgs, { claude, args }), dataDir);

export function spawnServer(
  dataDir: string,
  nodeArgs: readonly string[] = [],
  {
    program,
    claude = pacedAgent(),
    args = [],
  }: { readonly program?: string; readonly claude?: string; readonly args?: readonly string[] } = {},
): ChildProcess {
  const server = start(process.execPath, [...nodeArgs, ...serveArguments(dataDir, program), ...args], {
    env: { ...process.env, BECKON_LOG: 'warn', BECKON_CLAUDE: claude },
  });
  server.stderr?.on('data', passWarningOn);
  return server;
}

export async function whenReady(server: ChildProcess, dataDir: string): Promise<BeckonServer> {
  const address = await lineOf(server, 'stdout', 'Beckon is ready: ');
  const base = new URL(address).origin;
  const headers = { authorization: `Bearer ${readFileSync(join(dataDir, 'token'), 'utf8').trim()}` };
  return { process: server, base, headers, client: new HttpClient(base, headers) };
}

/** Starts sessions, on these machines in turn if some are named, and waits until each is idle. */
export async function startSessions(
  { client }: BeckonServer,
  dataDir: string,
  count: number,
  machines: readonly string[] = [],
): Promise<readonly string[]> {
  const cwd = join(dataDir, 'work');
  mkdirSync(cwd, { recursive: true });
  const before = new Set((await listSessions(client)).map(({ id }) => id));
  for (let made = 0; made < count; made += startedAtOnce) {
    const bodies = Array.from({ length: Math.min(startedAtOnce, count - made) }, (_, at) => {
      const machine = machines[(made + at) % machines.length];
      return JSON.stringify({ agent: 'claude', cwd, ...(machine !== undefined && { machine }) });
    });
    await Promise.all(bodies.map((body) => client.post('/api/sessions', body)));
    await within(60_000, quiet(client), 'the sessions to be idle');
  }
  return (await listSessions(client)).map(({ id }) => id).filter((id) => !before.has(id));
}

const startedAtOnce = 10;

async function quiet(client: HttpClient): Promise<void> {
  for (;;) {
    const sessions = await listSessions(client);
    const failed = sessions.find(({ status }) => status === 'failed' || status === 'stopped');
    if (failed !== undefined) throw new Error(`Session ${failed.id} is ${failed.status}`);
    if (sessions.every(({ status }) => status === 'idle' || status === 'asleep')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const listSessions = async (client: HttpClient): Promise<readonly SessionView[]> =>
  (await client.get<{ sessions: SessionView[] }>('/api/sessions')).sessions;

function passWarningOn(chunk: Buffer): void {
  const text = chunk.toString();
  if (!/^(Debugger|For help)/.test(text)) process.stderr.write(text);
}
