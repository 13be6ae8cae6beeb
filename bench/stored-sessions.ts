import { join } from 'node:path';
import type { AppendPart } from '../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../src/log/sqlite-log.ts';
import type { NewEvent } from '../src/protocol/event.ts';
import { MessageId, SessionId } from '../src/protocol/ids.ts';

const began = Date.parse('2026-01-01T00:00:00.000Z');
const by = { kind: 'person', where: 'bench' } as const;
const eventsAtOnce = 2_000;

/** Writes sleeping sessions of so many events, each a minute after the last, into the log of a server that is not running; gives their ids. */
export async function storeSessions(dataDir: string, lengths: readonly number[]): Promise<readonly string[]> {
  const log = openSqliteLog({ path: join(dataDir, 'beckon.db') });
  const ids = lengths.map((_, index) => SessionId.parse(`ses_bench_${index}`));
  let parts: AppendPart[] = [];
  let gathered = 0;
  const write = async (): Promise<void> => {
    if (parts.length > 0) await log.append({ parts });
    parts = [];
    gathered = 0;
  };
  for (const [index, stream] of ids.entries()) {
    const conversation = eventsOf(stream, dataDir, lengths[index] ?? 0);
    for (let events = take(conversation); events.length > 0; events = take(conversation)) {
      parts.push({ stream, at: new Date(began + index * 60_000).toISOString(), events });
      gathered += events.length;
      if (gathered >= eventsAtOnce) await write();
    }
  }
  await write();
  await log.close();
  return ids;
}

function take(events: Iterator<NewEvent>): NewEvent[] {
  const taken: NewEvent[] = [];
  while (taken.length < eventsAtOnce) {
    const next = events.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

/** A finished conversation: turns of a message, a few words, a tool call and its result; then the agent was put to sleep. */
function* eventsOf(sessionId: SessionId, cwd: string, length: number): Generator<NewEvent> {
  const processId = `proc_${sessionId}`;
  yield created(sessionId, cwd);
  yield { type: 'process.starting', processId, cause: 'created', resume: null };
  for (let made = 4; made + turnEvents <= length; made += turnEvents) yield* turnOf(made);
  yield { type: 'process.closing', processId, cause: 'sleep' };
  yield {
    type: 'process.exited',
    processId,
    code: 0,
    signal: null,
    cause: 'asked',
    crashed: false,
    stderr: [],
  };
}

const turnEvents = 7;

const created = (sessionId: SessionId, cwd: string): NewEvent => ({
  type: 'session.created',
  sessionId,
  agent: 'demo',
  cwd,
  title: `Stored session ${sessionId}`,
  key: `key-of-${sessionId}`,
  permissionMode: null,
  model: null,
  labels: [],
  askTimeout: null,
  ephemeral: false,
  closeAfterTurn: false,
  by,
});

function turnOf(number: number): NewEvent[] {
  const turnId = `turn_${number}`;
  const messageId = MessageId.parse(`msg_${number}`);
  const toolCallId = `call_${number}`;
  const agentMessageId = `agent_${number}`;
  const text = `number ${number} and some words ${'that are said '.repeat(14)}`;
  return [
    { type: 'turn.started', turnId, messageId },
    { type: 'message.taken', messageId, text: `please do number ${number}`, images: [] },
    { type: 'agent.text', agentMessageId, block: 0, text },
    {
      type: 'tool.called',
      agentMessageId,
      block: 1,
      toolCallId,
      name: 'Read',
      input: { file_path: `/work/file-${number}.ts` },
      startsAgent: false,
    },
    { type: 'tool.result', toolCallId, isError: false, text: 'a line of a file\n'.repeat(20) },
    { type: 'agent.text', agentMessageId, block: 2, text },
    { type: 'turn.ended', turnId, outcome: 'completed', durationMs: 1_000 },
  ];
}
