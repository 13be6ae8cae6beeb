import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { answerControl } from './control.ts';
import { type Flags, parseFlags } from './flags.ts';
import { Inbox } from './inbox.ts';
import { isObject, type JsonObject } from './json.ts';
import type { McpServers } from './mcp/mcp-servers.ts';
import { readMessage } from './message.ts';
import { Requests } from './requests.ts';
import { DEFAULT_MODEL, type Session } from './session.ts';
import { SessionMemory } from './session-memory.ts';
import { VERSION } from './version.ts';
import { readLines, Wire } from './wire.ts';

const DEFAULT_PACE_MS = 12;

/** The program from its arguments to its exit code. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const flags = parseFlags(args);
  if (typeof flags === 'string') fail(flags);
  if (flags.version) {
    process.stdout.write(`${VERSION} (Beckon demo agent)\n`);
    return;
  }
  if (!flags.streamJson)
    fail('Error: the demo agent speaks --input-format=stream-json --output-format=stream-json only.');
  const session = await openSession(flags);
  const inbox = new Inbox(session);
  endCommandsOnSignals(session);
  readLines(
    process.stdin,
    (line) => take(session, inbox, line),
    () => void leave(session, inbox),
  );
}

function take(session: Session, inbox: Inbox, text: string): void {
  if (text.trim() === '') return;
  const line = parse(text);
  if (line === undefined) return;
  switch (line.type) {
    case 'user': {
      const message = readMessage(line);
      if (typeof message === 'string') fail(message);
      inbox.receive(message);
      return;
    }
    case 'control_request':
      void answerControl(session, inbox, line);
      return;
    case 'control_response': {
      const response = isObject(line.response) ? line.response : {};
      const echoed = session.flags.replayUserMessages && response.subtype === 'success';
      if (echoed) void session.wire.send(line);
      session.requests.answer(response);
      return;
    }
    default:
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) ? line : undefined;
  } catch (error) {
    fail(`Error parsing streaming input line: ${text.slice(0, 200)}: ${String(error)}`);
  }
}

/** The end of the input fails what is asked, and lets the turn go on to its end. */
async function leave(session: Session, inbox: Inbox): Promise<void> {
  session.requests.close();
  await inbox.quiet();
  if (session.lingers) return;
  await session.wire.flush();
  process.exit(inbox.lastFailed ? 1 : 0);
}

async function openSession(flags: Flags): Promise<Session> {
  const wire = new Wire(process.stdout);
  const cwd = realpathSync(process.cwd());
  const home = process.env.BECKON_DEMO_HOME ?? join(homedir(), '.beckon-demo');
  const id = flags.resume ?? flags.sessionId ?? randomUUID();
  const earlier = SessionMemory.recall(home, id, cwd);
  if (flags.resume !== undefined && earlier === undefined) return refuseResume(wire, id);
  if (flags.sessionId !== undefined && earlier !== undefined)
    fail(`Error: Session ID ${id} is already in use.`);
  if (earlier?.crashesOnStart) fail('demo agent: crashing again, as it was asked to');
  return {
    id,
    cwd,
    flags,
    wire,
    requests: new Requests(wire),
    mcp: await openMcp(flags),
    memory: earlier ?? SessionMemory.begin(home, id, cwd),
    permission: { mode: flags.mode, beforePlan: 'default', rules: [] },
    pace: Number(process.env.BECKON_DEMO_PACE ?? DEFAULT_PACE_MS),
    commands: new Set(),
    totals: { costUsd: 0, apiMs: 0, inputTokens: 0, outputTokens: 0, results: 0 },
    model: flags.model ?? DEFAULT_MODEL,
    repeatedMessages: 0,
    hooks: [],
    deaf: false,
    lingers: false,
  };
}

/** Loaded only where it is needed: most starts are for many agents at once. */
async function openMcp({ mcpConfig, allowedTools }: Flags): Promise<McpServers> {
  if (mcpConfig === undefined) return noServers;
  const { openServers } = await import('./mcp/mcp-servers.ts');
  const servers = openServers(mcpConfig, allowedTools);
  return typeof servers === 'string' ? fail(servers) : servers;
}

const noServers: McpServers = {
  ready: async () => {},
  status: () => [],
  toolNames: () => [],
  find: () => undefined,
};

async function refuseResume(wire: Wire, id: string): Promise<never> {
  const reason = `No conversation found with session ID: ${id}`;
  await wire.send({
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    num_turns: 0,
    duration_ms: 0,
    duration_api_ms: 0,
    total_cost_usd: 0,
    session_id: randomUUID(),
    uuid: randomUUID(),
    errors: [reason],
  });
  await wire.flush();
  fail(reason);
}

function endCommandsOnSignals(session: Session): void {
  const leaveWith = (code: number) => (): void => {
    for (const leader of session.commands) endGroup(leader);
    process.exit(code);
  };
  process.on('SIGTERM', leaveWith(143));
  process.on('SIGINT', leaveWith(0));
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
