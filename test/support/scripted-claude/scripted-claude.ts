import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Beckon, temporaryDirectory } from '../beckon-process.ts';
import { eventually } from '../eventually.ts';

export interface ScriptedAsk {
  readonly id: string;
  readonly tool?: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The path because of which it asks. */
  readonly blockedPath?: string;
}

/** A session whose agent does what the test says. */
export interface ScriptedSession {
  readonly sessionId: string;
  /** Takes back and asks, all in one write; resolves with the ids under which the server knows what was asked. */
  script(what: {
    readonly withdraw?: readonly string[];
    readonly ask?: readonly ScriptedAsk[];
    /** Nobody will be asked: they are answered at once, and there is nothing to wait for. */
    readonly isGranted?: boolean;
    /** Said as they are, before all else. */
    readonly lines?: readonly object[];
  }): Promise<string[]>;
  /** The answers that have reached the agent, by the ids that it gave to its asks. */
  told(): Promise<Readonly<Record<string, readonly { readonly behavior?: string }[]>>>;
}

/** The program to be given as `--claude`. */
export async function scriptedClaude(): Promise<string> {
  const path = join(await temporaryDirectory(), 'scripted-claude');
  const program = resolve(import.meta.dirname, 'main.ts');
  await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(path, 0o755);
  return path;
}

export async function startScripted(beckon: Beckon, title: string): Promise<ScriptedSession> {
  const cwd = await temporaryDirectory();
  const started = await beckon.api('POST', '/api/sessions', { agent: 'claude', title, prompt: 'begin', cwd });
  if (started.status !== 201) throw new Error(`"${title}" was not started: ${JSON.stringify(started.body)}`);
  return scriptedSession(beckon, started.body.session.id, cwd);
}

/** The agent in its hand once it is at work there. */
export async function scriptedSession(
  beckon: Beckon,
  sessionId: string,
  cwd: string,
): Promise<ScriptedSession> {
  await eventually(`${sessionId} has begun`, async () => {
    const { body } = await beckon.api('GET', `/api/sessions/${sessionId}`);
    return body.session.status === 'running';
  });
  const { port } = JSON.parse(readFileSync(join(cwd, 'scripted-claude.json'), 'utf8'));
  const call = async (body?: unknown) =>
    (
      await fetch(
        `http://127.0.0.1:${port}/`,
        body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
      )
    ).json() as ReturnType<ScriptedSession['told']>;
  return {
    sessionId,
    told: () => call(),
    async script({ withdraw = [], ask = [], lines = [], isGranted = false }) {
      await call({ withdraw, lines, ask: ask.map((each) => ({ tool: 'Bash', ...each })) });
      return Promise.all(
        (isGranted ? [] : ask).map(({ id }) =>
          eventually(`${id} is asked`, async () => {
            const { body } = await beckon.api('GET', `/api/sessions/${sessionId}/pending`);
            const found = body.pending.find(({ toolCallId }: { toolCallId: string }) => toolCallId === id);
            return found?.interactionId as string | undefined;
          }),
        ),
      );
    },
  };
}
