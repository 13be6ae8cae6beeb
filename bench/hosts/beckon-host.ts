import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Frame, HttpClient } from '../http-client.ts';
import { end, temporaryDirectory } from '../running.ts';
import { type AgentProgram, pacedAgent } from './agents.ts';
import { AskTimes } from './ask-times.ts';
import { type SessionView, startServer, startSessions } from './beckon-server.ts';
import type { BenchCluster } from './cluster.ts';
import { type Host, type Ping, type ReadSighting, TurnEnds } from './host.ts';

/** Beckon, with the file that it keeps everything in. */
export interface BeckonHost extends Host {
  readonly database: string;
}

/** Starts Beckon with sessions of an agent. */
export async function startBeckon(
  count: number,
  {
    nodeArgs = [],
    agent = pacedAgent,
    cluster,
  }: {
    readonly nodeArgs?: readonly string[];
    readonly agent?: AgentProgram;
    /** The sessions are on its machines. */
    readonly cluster?: BenchCluster;
  } = {},
): Promise<BeckonHost> {
  const dataDir = temporaryDirectory();
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ maxProcesses: count + 50 }));
  const args = cluster ? ['--cluster', cluster.roomFile] : [];
  const server = await startServer(dataDir, nodeArgs, agent(), args);
  if (cluster) await cluster.reached(server.client);
  const sessions = await startSessions(server, dataDir, count, cluster?.machines);
  const { client, base, headers } = server;
  const turns = new TurnEnds();
  const asks = new AskTimes();
  const turnsBefore = new Map<string, number>();
  const seqBefore = new Map<string, number>();

  const answer = (data: string): void => {
    const { sessionId, requestId } = JSON.parse(data) as { sessionId: string; requestId: string };
    asks.ask(sessionId);
    client
      .post(`/api/sessions/${sessionId}/approve`, JSON.stringify({ requestId, decision: 'allow' }))
      .catch((error: unknown) => turns.fail(error));
  };
  const noteEnd = (data: string): void => {
    const session = JSON.parse(data) as SessionView;
    if (session.usage.turns > (turnsBefore.get(session.id) ?? 0)) turns.end(session.id);
  };

  return {
    name: 'beckon',
    database: join(dataDir, 'beckon.db'),
    asks,
    process: server.process,
    sessions,
    watching: { dialect: 'beckon', base, headers, path: `/api/events?sessions=${sessions.join(',')}` },
    async say(id, message) {
      const { session } = await client.get<{ session: SessionView }>(`/api/sessions/${id}`);
      turns.begin(id);
      asks.begin(id);
      turnsBefore.set(id, session.usage.turns);
      seqBefore.set(id, session.lastSeq);
      await client.post(`/api/sessions/${id}/message`, JSON.stringify({ message }));
    },
    async answerAll() {
      const stop = await client.follow('/api/events', ({ event, data }) => {
        if (event === 'approval-requested') answer(data);
        else if (event === 'session-updated' && data.includes('"status":"idle"')) noteEnd(data);
      });
      return { turnEnd: (session) => turns.of(session), close: stop };
    },
    async pings(session) {
      const pongs: Ping[] = [];
      for await (const event of eventsAfter(client, session, seqBefore.get(session) ?? 0)) {
        if (event.type === 'tool.result' && event.detail !== undefined) pongs.push(event.detail);
      }
      return pongs.sort((a, b) => a.askedAt - b.askedAt);
    },
    async close() {
      client.close();
      await end(server.process);
      await cluster?.close();
    },
  };
}

/** What the log holds of a session's last words. */
export async function lastText({ watching }: Host, session: string): Promise<string | undefined> {
  const client = new HttpClient(watching.base, watching.headers);
  const { events } = await client.get<EventPage>(`/api/sessions/${session}/events?limit=50`);
  client.close();
  return events.findLast(({ type }) => type === 'agent.text')?.text;
}

/** Beckon joins fragments that come together: each piece of a flood ends with the only space in it. */
export const sightingOfBeckon: ReadSighting = ({ event, data }: Frame) => {
  if (event === 'delta') return { pieces: (JSON.parse(data) as { text: string }).text.split(' ').length - 1 };
  if (event !== 'event') return { pieces: 0 };
  const { sessionId, seq, type } = JSON.parse(data) as StoredEvent & { sessionId: string };
  const stored = { session: sessionId, seq };
  return type === 'turn.ended' ? { pieces: 0, stored, endOf: sessionId } : { pieces: 0, stored };
};

async function* eventsAfter(client: HttpClient, session: string, seq: number): AsyncGenerator<StoredEvent> {
  for (let after = seq; ; ) {
    const path = `/api/sessions/${session}/events?after=${after}&limit=1000`;
    const page = await client.get<EventPage>(path);
    yield* page.events;
    if (!page.hasMore) return;
    after = page.lastSeq;
  }
}

interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  readonly text?: string;
  readonly detail?: Ping;
}

interface EventPage {
  readonly events: readonly StoredEvent[];
  readonly lastSeq: number;
  readonly hasMore: boolean;
}
