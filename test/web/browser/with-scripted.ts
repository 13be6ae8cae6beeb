import { beforeAll } from 'vitest';
import { type Beckon, startBeckon } from '../../support/beckon-process.ts';
import {
  type ScriptedSession,
  scriptedClaude,
  startScripted,
} from '../../support/scripted-claude/scripted-claude.ts';
import { type View, type Visit, withBrowser } from './browser.ts';

interface Pending {
  readonly interactionId: string;
  readonly toolCallId: string;
}

/** One server for the tests of a file, with a session whose agent asks and takes back what they say. */
interface ScriptedRoom {
  /** From the first test on, as all that follows. */
  readonly beckon: Beckon;
  readonly agent: ScriptedSession;
  /** A person who was let in, at a page of this server. */
  come(path: string, view?: View): Promise<Visit>;
  pending(): Promise<Pending[]>;
  withdrawAll(): Promise<void>;
}

export function withScripted(title: string): ScriptedRoom {
  const { come } = withBrowser({ servers: 'all tests' });
  let started: { readonly beckon: Beckon; readonly agent: ScriptedSession } | undefined;
  beforeAll(async () => {
    const beckon = await startBeckon({ args: ['--claude', await scriptedClaude()] });
    started = { beckon, agent: await startScripted(beckon, title) };
  });
  const now = () => {
    if (started === undefined) throw new Error('The server starts before the first test.');
    return started;
  };
  const pending = async (): Promise<Pending[]> =>
    (await now().beckon.api('GET', `/api/sessions/${now().agent.sessionId}/pending`)).body.pending;
  return {
    get beckon() {
      return now().beckon;
    },
    get agent() {
      return now().agent;
    },
    come: (path, view) => come(now().beckon, path, view),
    pending,
    async withdrawAll() {
      await now().agent.script({ withdraw: (await pending()).map(({ toolCallId }) => toolCallId) });
    },
  };
}
