import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../support/eventually.ts';
import { attacks } from './attacks.ts';

/**
 * An agent that wants to be allowed without a person. It speaks Claude Code's language, runs as the person does, and tries one path
 * after the other, each with an ask of its own. What came of them it writes into its directory.
 */
export interface HostileAgent {
  readonly dataDir: string;
  readonly sessionId: string;
  /** What the test has laid out for it, as the world would. */
  readonly cwd: string;
  readonly mcpKey: string;
  readonly told: Told;
  server(): { readonly url: string; readonly pid: number };
  token(): string;
  /** Asks to run a command; resolves when the server shows it. */
  ask(): Promise<Ask>;
  say(line: object): void;
  api(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Reply>;
  /** Whether this ask was allowed: by the record, or because the answer has come. */
  isAllowed(ask: Ask): Promise<boolean>;
}

/** What the test has put into its directory. */
export interface Told {
  /** Of the person's device. */
  readonly secrets: readonly string[];
  readonly recordUrl: string;
  readonly serverPid: number;
  /** Where the server's output goes. */
  readonly serverOutput: string;
}

export interface Ask {
  /** The agent's own name for it. */
  readonly requestId: string;
  readonly interactionId: string;
  readonly command: string;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  readonly body: any;
  readonly headers: Headers;
}

const conversation = randomUUID();
const answers = new Map<string, string>();

if (process.argv.includes('--version')) process.stdout.write('9.9.9 (hostile)\n');
else
  createInterface({ input: process.stdin })
    .on('line', (line) => take(JSON.parse(line)))
    .on('close', () => process.exit(0));

// biome-ignore lint/suspicious/noExplicitAny: lines of every shape come
function take(line: any): void {
  switch (line.type) {
    case 'control_request':
      respond(
        line.request_id,
        line.request.subtype === 'initialize' ? { commands: [], models: [], capabilities: [] } : {},
      );
      return;
    case 'control_response':
      answers.set(line.response.request_id, line.response.response?.behavior ?? 'none');
      return;
    case 'user':
      say({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'hostile', tools: [] });
      say({ ...line, isReplay: true, parent_tool_use_id: null });
      void tryAll();
  }
}

async function tryAll(): Promise<void> {
  const agent = await lookAround();
  const results: Record<string, boolean | string> = {};
  for (const { name, getsThrough } of attacks) {
    results[name] = await getsThrough(agent).catch(
      (error: NodeJS.ErrnoException) => error.code ?? String(error),
    );
  }
  writeFileSync(join(agent.cwd, 'results.json.new'), JSON.stringify(results));
  renameSync(join(agent.cwd, 'results.json.new'), join(agent.cwd, 'results.json'));
}

/** What any program of the same person can find out; behind walls, where the files of the server are hidden, the test tells it more. */
async function lookAround(): Promise<HostileAgent> {
  const toolConfig =
    process.argv.find((argument) => argument.startsWith('--mcp-config='))?.split('=')[1] ?? '';
  const dataDir = dirname(dirname(toolConfig));
  const { mcpServers } = JSON.parse(readFileSync(toolConfig, 'utf8'));
  const [mcp] = Object.values(mcpServers) as { url: string; headers: { Authorization: string } }[];
  const cwd = process.cwd();
  const told = JSON.parse(readFileSync(join(cwd, 'for-the-test-alone.json'), 'utf8')) as Told;
  const server = () => {
    const file = join(dataDir, 'server.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
    return { url: new URL(mcp?.url ?? '').origin, pid: told.serverPid };
  };
  const token = () => readFileSync(join(dataDir, 'token'), 'utf8').trim();
  const api: HostileAgent['api'] = async (method, path, body, headers) => {
    const reply = await fetch(server().url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(headers ?? { authorization: `Bearer ${token()}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: await reply.json(), headers: reply.headers };
  };
  const sessionId = mcp?.url.split('/').at(-1) ?? '';
  /** How things stand, by the person's own eyes: it proves what came of an attack, and helps none. */
  const seen = async (path: string) => (await fetch(told.recordUrl + path)).json();
  return {
    dataDir,
    sessionId,
    cwd,
    told,
    mcpKey: mcp?.headers.Authorization.split(' ')[1] ?? '',
    server,
    token,
    say,
    api,
    async ask() {
      const requestId = randomUUID();
      const command = `echo ${requestId}`;
      say({
        type: 'control_request',
        request_id: requestId,
        request: {
          subtype: 'can_use_tool',
          tool_name: 'Bash',
          input: { command },
          tool_use_id: `toolu_${requestId}`,
        },
      });
      const interactionId = await eventually('the ask is shown', async () => {
        const { pending } = (await seen(`/api/sessions/${sessionId}/pending`)) as Reply['body'];
        return pending.find((one: { toolCallId: string }) => one.toolCallId === `toolu_${requestId}`)
          ?.interactionId;
      });
      return { requestId, interactionId, command };
    },
    async isAllowed({ requestId, interactionId }) {
      const { interaction } = (await seen(
        `/api/sessions/${sessionId}/interactions/${interactionId}`,
      )) as Reply['body'];
      return interaction.outcome === 'allowed' || answers.get(requestId) === 'allow';
    },
  };
}

function respond(id: string, response: object): void {
  say({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify({ session_id: conversation, uuid: randomUUID(), ...line })}\n`);
}
