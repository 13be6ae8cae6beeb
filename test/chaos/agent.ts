import { randomUUID } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../support/seeded-random.ts';
import type { AgentRecord, Line } from './record.ts';

/**
 * An agent that speaks Claude Code's wire and writes down what it reads and says, at once, in a file of its own: what a killed server
 * claims of it can be held against that. Each message is a turn with some lines and some asks, by the words of the message.
 */
const [directory = '', ...args] = process.argv.slice(2);
if (args.includes('--version')) {
  process.stdout.write('2.1.325 (Claude Code)\n');
  process.exit(0);
}

const resumed = args.find((arg) => arg.startsWith('--resume='))?.slice('--resume='.length);
const sessionId = resumed ?? randomUUID();
const run = process.env.BECKON_PROCESS?.split('/').pop() ?? '';
const file = join(directory, `${sessionId}.${run}.${process.pid}.ndjson`);
/** Messages of this conversation that an earlier run began with. */
const known = new Set(resumed === undefined ? [] : earlierMessages());
const answers = new Map<string, (response: Line) => void>();
let turns: Promise<void> = Promise.resolve();

note({ kind: 'start', run, sessionId, pid: process.pid });
process.stdout.on('error', () => process.exit(1));
createInterface({ input: process.stdin })
  .on('line', (text) => read(JSON.parse(text) as Line))
  .on('close', () => {
    note({ kind: 'end' });
    process.exit(0);
  });

function note(record: AgentRecord): void {
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

function earlierMessages(): string[] {
  return readdirSync(directory)
    .filter((name) => name.startsWith(`${resumed}.`))
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as AgentRecord)
    .flatMap((record) => (record.kind === 'message' ? [record.uuid] : []));
}

function read(line: Line): void {
  switch (line.type) {
    case 'control_request':
      void say({
        type: 'control_response',
        response: { subtype: 'success', request_id: line.request_id, response: introduction },
      });
      break;
    case 'control_response': {
      const { request_id: requestId, response } = line.response ?? {};
      note({ kind: 'answer', requestId: String(requestId), response: response ?? null });
      answers.get(String(requestId))?.(response ?? {});
      break;
    }
    case 'user':
      take(line);
      break;
    default:
  }
}

const introduction = {
  commands: [],
  models: [],
  claude_code_version: '2.1.325',
  current_permission_mode: 'default',
  pid: process.pid,
};

function take(line: Line): void {
  const uuid = String(line.uuid);
  const text = (line.message?.content ?? []).map((block) => block.text ?? '').join('');
  note({ kind: 'message', uuid, text });
  const echo = { type: 'user', message: line.message, parent_tool_use_id: null, uuid, isReplay: true };
  if (known.has(uuid)) {
    void say(echo).then(() => say({ type: 'command_lifecycle', command_uuid: uuid, state: 'completed' }));
    return;
  }
  known.add(uuid);
  turns = turns.then(() => play(text, uuid, echo));
}

async function play(text: string, uuid: string, echo: object): Promise<void> {
  const random = seededRandom(
    [...text].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1_000_003,
  );
  await say({ type: 'command_lifecycle', command_uuid: uuid, state: 'started' });
  await say({
    type: 'system',
    subtype: 'init',
    model: 'chaos',
    permissionMode: 'default',
    tools: [],
    cwd: process.cwd(),
  });
  await say(echo);
  for (let round = 0; round < 3; round += 1) {
    const line = `${text} line ${round}`;
    await speak({ type: 'text', text: line });
    note({ kind: 'said', text: line });
    await delay(random() * 8);
    const asks = Math.floor(random() * 3);
    await Promise.all(
      Array.from({ length: asks }, (_, n) => ask(`${text} ask ${round}.${n}`, random() < 0.2)),
    );
  }
  await say({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: '',
    duration_ms: 1,
    num_turns: 1,
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    user_message_uuids: [uuid],
  });
}

async function ask(words: string, isQuestion: boolean): Promise<void> {
  const requestId = randomUUID();
  const toolUseId = `toolu_${randomUUID()}`;
  const name = isQuestion ? 'AskUserQuestion' : 'Bash';
  const options = ['yes', 'no'].map((label) => ({ label, description: label }));
  const input = isQuestion
    ? { questions: [{ question: words, header: 'Chaos', options, multiSelect: false }] }
    : { command: `echo "${words}"`, description: words };
  await speak({ type: 'tool_use', id: toolUseId, name, input });
  const answered = new Promise<Line>((resolve) => answers.set(requestId, resolve));
  note({ kind: 'asking', requestId, toolUseId });
  await say({
    type: 'control_request',
    request_id: requestId,
    request: { subtype: 'can_use_tool', tool_name: name, display_name: name, input, tool_use_id: toolUseId },
  });
  note({ kind: 'asked', toolUseId });
  const { behavior } = await answered;
  const content = [
    { type: 'tool_result', tool_use_id: toolUseId, content: 'done', is_error: behavior !== 'allow' },
  ];
  await say({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    uuid: randomUUID(),
  });
}

const speak = (block: object): Promise<void> =>
  say({
    type: 'assistant',
    message: { id: `msg_${randomUUID()}`, role: 'assistant', model: 'chaos', content: [block], usage: {} },
    parent_tool_use_id: null,
    uuid: randomUUID(),
  });

/** Settles when the pipe has it. */
function say(line: object): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify({ ...line, session_id: sessionId })}\n`, () => resolve());
  });
}
