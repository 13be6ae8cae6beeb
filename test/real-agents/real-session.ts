import { expect } from 'vitest';
import type { EventOf } from '../../src/protocol/event.ts';
import type { Beckon } from '../support/beckon-process.ts';
import { type Watch, watchSession } from '../support/watch.ts';
import type { Workplace } from './workplace.ts';

type Reply = ReturnType<Beckon['api']>;

/** A session with a real agent. What it asks of the server, it asks of the one that runs now. */
export interface RealSession {
  readonly id: string;
  readonly cwd: string;
  /** From the first event on. */
  readonly watch: Watch;
  post(path: string, body?: object): Reply;
  get(path?: string): Reply;
  /** The raw log. */
  raw(): Promise<string>;
  nextAsk(): Promise<EventOf<'interaction.requested'>>;
  /** When the agent is in the middle of these words. */
  saying(words: string): Promise<void>;
  /** The same session, watched on the server that runs now. */
  seenAnew(): Promise<RealSession>;
}

export async function startSession(
  server: () => Beckon,
  { cwd, env }: Workplace,
  settings: object,
): Promise<RealSession> {
  const { status, body } = await server().api('POST', '/api/sessions', { cwd, env, ...settings });
  expect(status, JSON.stringify(body)).toBe(201);
  return seen(server, body.session.id, cwd);
}

/** When the agent has answered, and so has read what came to it before: such as that a call of its own is under way. */
export async function hasReadAll(beckon: Beckon, sessionId: string): Promise<void> {
  const change = { permissionMode: 'acceptEdits' };
  const { status, body } = await beckon.api('PATCH', `/api/sessions/${sessionId}`, change);
  expect(status, JSON.stringify(body)).toBe(200);
}

async function seen(server: () => Beckon, id: string, cwd: string): Promise<RealSession> {
  const path = `/api/sessions/${id}`;
  const watch = await watchSession(server(), id);
  return {
    id,
    cwd,
    watch,
    post: (what, body = {}) => server().api('POST', `${path}/${what}`, body),
    get: (what) => server().api('GET', what === undefined ? path : `${path}/${what}`),
    async raw() {
      const { url, token } = server();
      const reply = await fetch(`${url}${path}/raw`, { headers: { authorization: `Bearer ${token}` } });
      return reply.text();
    },
    nextAsk: () => watch.event('interaction.requested'),
    async saying(words) {
      await watch.until(words, ({ event, data }) => event === 'delta' && data.text?.includes(words));
    },
    seenAnew: () => seen(server, id, cwd),
  };
}
