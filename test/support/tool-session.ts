import { expect } from 'vitest';
import type { Beckon } from './beckon-process.ts';
import { type Watch, watch, watchSession } from './watch.ts';

export interface Started {
  readonly beckon: Beckon;
  readonly id: string;
  readonly watching: Watch;
  say(message: string): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  respond(body: object): Promise<{ status: number; body: any }>;
  /** What the agent got back from its last call. */
  result(): Promise<{ isError: boolean; text: string }>;
}

/** A session of the demo agent, and someone who can answer it. */
export async function begin(beckon: Beckon, prompt?: string): Promise<Started> {
  await watch(beckon);
  const { status, body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', prompt });
  expect(status, JSON.stringify(body)).toBe(201);
  return resume(beckon, body.session.id);
}

export async function resume(beckon: Beckon, id: string): Promise<Started> {
  const watching = await watchSession(beckon, id);
  return {
    beckon,
    id,
    watching,
    async say(message) {
      const { status } = await beckon.api('POST', `/api/sessions/${id}/message`, { message });
      expect([200, 202]).toContain(status);
    },
    respond: (body) => beckon.api('POST', `/api/sessions/${id}/respond`, body),
    async result() {
      const event = await watching.event('tool.result');
      return { isError: event.isError, text: event.text };
    },
  };
}

export const asked = ({ watching }: Started) => watching.event('interaction.requested');
