import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { fdatasync, openSync, writeSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';

/**
 * The yardstick: passes each line of its agents on to those who follow them, and what is posted to an agent on to its input.
 * It understands and checks nothing. The bare one keeps nothing either; the durable one passes on what is posted only when the disk
 * has it. `node bench/relay.ts --count N --cwd DIR [--journal FILE] -- COMMAND ARGUMENT…`
 */
const { values, positionals: command } = parseArgs({
  options: { count: { type: 'string' }, cwd: { type: 'string' }, journal: { type: 'string' } },
  allowPositionals: true,
});
const { count = '1', cwd = '.' } = values;
const journal = values.journal === undefined ? undefined : openSync(values.journal, 'a', 0o600);
let syncing = false;
let unsynced: (() => void)[] = [];

interface Follower {
  readonly socket: Socket;
  gathered: Buffer[];
}

type Agent = ChildProcessByStdio<Writable, Readable, null>;

const everyone = new Set<Follower>();
let scheduled = false;

const agents = Array.from({ length: Number(count) }, (_, number) => {
  const agent = startAgent();
  let rest = '';
  agent.stdout.on('data', (chunk: Buffer) => {
    const text = rest + chunk.toString('latin1');
    const end = text.lastIndexOf('\n');
    rest = text.slice(end + 1);
    if (end !== -1) passOn(number, text.slice(0, end));
  });
  return agent;
});
await Promise.all(agents.map(awake));

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    follow(response);
    return;
  }
  const agent = agents[Number(request.url?.slice(1))];
  const posted: Buffer[] = [];
  request.on('data', (chunk: Buffer) => posted.push(chunk));
  request.on('end', () => {
    const line = Buffer.concat(posted);
    keep(line, () => {
      agent?.stdin.write(line);
      response.writeHead(204).end();
    });
  });
});
// The hosts take turns: a connection that rests meanwhile is used again.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`Relay is ready: http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => {
  for (const agent of agents) agent.kill('SIGTERM');
  process.exit(0);
});

/** One sync for all that wait for one. What comes while it is under way may be missing in it, and has the next. */
function keep(line: Buffer, then: () => void): void {
  if (journal === undefined) {
    then();
    return;
  }
  writeSync(journal, line);
  unsynced.push(then);
  if (!syncing) sync(journal);
}

function sync(file: number): void {
  syncing = true;
  const waiting = unsynced;
  unsynced = [];
  fdatasync(file, (error) => {
    if (error !== null) throw error;
    syncing = false;
    for (const then of waiting) then();
    if (unsynced.length > 0) sync(file);
  });
}

function startAgent(): Agent {
  return spawn(command[0] ?? '', command.slice(1), {
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
    // As Beckon starts them: the system shares the processors out by sessions.
    detached: true,
  });
}

/** Beckon introduces itself to its agents, too. */
function awake(agent: Agent): Promise<unknown> {
  const heard = new Promise((resolve) => agent.stdout.once('data', resolve));
  const request = { type: 'control_request', request_id: 'first', request: { subtype: 'initialize' } };
  agent.stdin.write(`${JSON.stringify(request)}\n`);
  return heard;
}

function follow(response: ServerResponse): void {
  const { socket } = response;
  if (socket === null) return;
  response.removeHeader('transfer-encoding');
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  socket.setNoDelay(true);
  const follower: Follower = { socket, gathered: [] };
  everyone.add(follower);
  socket.on('close', () => everyone.delete(follower));
  socket.on('error', () => undefined);
}

/** All frames of one turn of the event loop leave in one write per client, as Beckon's do. */
function passOn(number: number, lines: string): void {
  if (everyone.size === 0) return;
  const head = `event: ${number}\ndata: `;
  const frames = Buffer.from(`${head}${lines.replaceAll('\n', `\n\n${head}`)}\n\n`, 'latin1');
  for (const follower of everyone) follower.gathered.push(frames);
  if (scheduled) return;
  scheduled = true;
  setImmediate(() => {
    scheduled = false;
    for (const follower of everyone) flush(follower);
  });
}

function flush({ socket, gathered }: Follower): void {
  if (gathered.length > 1) socket.cork();
  for (const frames of gathered) socket.write(frames);
  if (gathered.length > 1) socket.uncork();
  gathered.length = 0;
}
