import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';

/**
 * An agent in a test's hand: it speaks Claude Code's language, and asks and takes back what it is told to over HTTP.
 * What it was answered is its own record.
 */
interface Ask {
  readonly id: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly blockedPath?: string;
}

const session = randomUUID();
const told: Record<string, unknown[]> = {};

if (process.argv.includes('--version')) {
  process.stdout.write('9.9.9 (scripted)\n');
} else {
  createInterface({ input: process.stdin })
    .on('line', (line) => take(JSON.parse(line)))
    .on('close', () => process.exit(0));
  listen();
}

// biome-ignore lint/suspicious/noExplicitAny: lines of every shape come
function take(line: any): void {
  switch (line.type) {
    case 'user':
      say({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'scripted', tools: [] });
      say({ ...line, isReplay: true, parent_tool_use_id: null });
      return;
    case 'control_request':
      respond(line.request_id, line.request.subtype === 'initialize' ? introduction : {});
      return;
    case 'control_response': {
      const { request_id: id, response } = line.response;
      told[id] = [...(told[id] ?? []), response];
      end(id, `answered: ${JSON.stringify(response)}`);
    }
  }
}

const introduction = { commands: [], models: [], claude_code_version: '9.9.9', capabilities: [] };

function respond(id: string, response: object): void {
  say({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
}

interface Script {
  readonly withdraw?: readonly string[];
  readonly ask?: readonly Ask[];
  readonly lines?: readonly object[];
}

/** Written together, as one read of the host: what is taken back and what is asked instead come at the same moment. */
function script({ withdraw = [], ask = [], lines = [] }: Script): void {
  process.stdout.cork();
  for (const line of lines) say(line);
  for (const id of withdraw) {
    say({ type: 'control_cancel_request', request_id: id });
    end(id, 'taken back');
  }
  for (const { id, tool, input, blockedPath } of ask) {
    say({
      type: 'assistant',
      message: { role: 'assistant', id: `msg_${id}`, content: [{ type: 'tool_use', id, name: tool, input }] },
      parent_tool_use_id: null,
    });
    say({
      type: 'control_request',
      request_id: id,
      request: {
        subtype: 'can_use_tool',
        tool_name: tool,
        input,
        tool_use_id: id,
        blocked_path: blockedPath,
      },
    });
  }
  process.stdout.uncork();
}

function end(id: string, text: string): void {
  const content = [{ type: 'tool_result', tool_use_id: id, content: text }];
  say({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify({ session_id: session, uuid: randomUUID(), ...line })}\n`);
}

function listen(): void {
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') script((await json(request)) as Parameters<typeof script>[0]);
    response.end(JSON.stringify(told));
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(process.cwd(), 'scripted-claude.json'), JSON.stringify({ port }));
  });
}
