import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpClient } from '../http-client.ts';
import { end, lineOf, start, temporaryDirectory } from '../running.ts';
import { type AgentProgram, agentArguments, pacedAgent } from './agents.ts';
import { AskTimes } from './ask-times.ts';
import { type Host, type Ping, type ReadSighting, TurnEnds } from './host.ts';

/** Starts a relay with its agents. */
export async function startRelay(
  count: number,
  {
    name = 'relay',
    agent = pacedAgent,
  }: { readonly name?: 'relay' | 'durable'; readonly agent?: AgentProgram } = {},
): Promise<Host> {
  const directory = temporaryDirectory();
  const cwd = join(directory, 'work');
  mkdirSync(cwd);
  const journal = name === 'durable' ? [`--journal=${join(directory, 'journal')}`] : [];
  const args = [program, `--count=${count}`, `--cwd=${cwd}`, ...journal, '--', agent(), ...agentArguments];
  const relay = start(process.execPath, args, { env: process.env });
  const base = await lineOf(relay, 'stdout', 'Relay is ready: ');
  const client = new HttpClient(base);
  const turns = new TurnEnds();
  const asks = new AskTimes();
  /** Unread lines: reading them during the measurement would cost time that Beckon's client does not spend. */
  const results = new Map<string, string[]>();

  const answer = (session: string, line: string): void => {
    asks.ask(session);
    const { request_id, request } = JSON.parse(line) as AskLine;
    const response = { behavior: 'allow', updatedInput: request.input };
    const reply = { type: 'control_response', response: { subtype: 'success', request_id, response } };
    client.post(`/${session}`, `${JSON.stringify(reply)}\n`).catch((error: unknown) => turns.fail(error));
  };

  return {
    name,
    process: relay,
    asks,
    sessions: Array.from({ length: count }, (_, number) => String(number)),
    watching: { dialect: 'relay', base, path: '/', headers: {} },
    async say(session, text) {
      turns.begin(session);
      asks.begin(session);
      results.set(session, []);
      const message = { role: 'user', content: [{ type: 'text', text }] };
      const line = { type: 'user', message, parent_tool_use_id: null, uuid: randomUUID() };
      await client.post(`/${session}`, `${JSON.stringify(line)}\n`);
    },
    async answerAll() {
      const stop = await client.follow('/', ({ event: session, data: line }) => {
        if (line.startsWith('{"type":"control_request"')) answer(session, line);
        else if (isPong(line)) results.get(session)?.push(line);
        else if (isResult(line)) turns.end(session);
      });
      return { turnEnd: (session) => turns.of(session), close: stop };
    },
    async pings(session) {
      const pongs = (results.get(session) ?? []).map(
        (line) => (JSON.parse(line) as PongLine).tool_use_result,
      );
      return pongs.sort((a, b) => a.askedAt - b.askedAt);
    },
    async close() {
      client.close();
      await end(relay);
    },
  };
}

export const sightingOfRelay: ReadSighting = ({ event: session, data: line }) => {
  if (line.includes('"type":"text_delta"')) return { pieces: 1 };
  return isResult(line) ? { pieces: 0, endOf: session } : { pieces: 0 };
};

const program = fileURLToPath(new URL('../relay.ts', import.meta.url));

const isPong = (line: string): boolean => line.startsWith('{"type":"user"') && line.includes('"askedAt":');
const isResult = (line: string): boolean => line.startsWith('{"type":"result"');

interface AskLine {
  readonly request_id: string;
  readonly request: { readonly input: unknown };
}

interface PongLine {
  readonly tool_use_result: Ping;
}
