import type { Beckon } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';

export interface DemoSession {
  readonly title: string;
  /** For the demo agent; a drill is for the drilled agent, which the server must have as its Claude Code. */
  readonly prompt: string;
  /** The status to wait for. */
  readonly status: string;
}

export const threeSessions: readonly DemoSession[] = [
  { title: 'Greet the new contributors', prompt: 'hello', status: 'idle' },
  { title: 'Migrate the session store to SQLite', prompt: 'slow 2000', status: 'running' },
  {
    title: 'Fix the flaky login test',
    prompt: 'run npm test -- --run test/login.test.ts',
    status: 'waiting',
  },
];

const more: readonly Omit<DemoSession, 'title'>[] = [
  { prompt: 'slow 3000', status: 'running' },
  { prompt: 'hello', status: 'idle' },
  { prompt: 'question', status: 'waiting' },
  { prompt: 'think', status: 'idle' },
  { prompt: 'slow 4000', status: 'running' },
  { prompt: 'subagent', status: 'waiting' },
  { prompt: 'help', status: 'idle' },
  { prompt: 'plan', status: 'waiting' },
  { prompt: 'tour', status: 'waiting' },
  { prompt: 'todo', status: 'idle' },
];

const names = [
  'Upgrade the HTTP client',
  'Explain the retry policy',
  'Choose a cache for thumbnails',
  'Why is start-up slow?',
  'Port the importer to streams',
  'Count what is unused',
  'Document the plug-in API',
  'Plan the release',
  'Write the change log',
  'List the open ends',
];

/** A wall of sessions in all states. */
export const manySessions = (count: number): readonly DemoSession[] =>
  Array.from({ length: count }, (_, at) => {
    const { prompt, status } = more[at % more.length] ?? { prompt: 'hello', status: 'idle' };
    const round = Math.floor(at / names.length);
    return { title: `${names[at % names.length]}${round === 0 ? '' : ` (${round + 1})`}`, prompt, status };
  });

export const longTitles: readonly DemoSession[] = [
  {
    title:
      'Find out why the nightly build of the documentation site fails only on the second Tuesday of the month, and only when the cache was warmed by the preview deployment before',
    prompt:
      'run npm run docs:build -- --reporter=verbose --cache-dir=node_modules/.cache/documentation/preview && echo done',
    status: 'waiting',
  },
  {
    title: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2),
    prompt: 'question',
    status: 'waiting',
  },
  { title: 'x', prompt: 'hello', status: 'idle' },
  { title: 'A session that crashes whatever one does', prompt: '!crash-always', status: 'failed' },
];

/** Asks of which not all has room in a card. */
export const longAsks: readonly DemoSession[] = [
  { title: 'Clean up', prompt: `run npm test${'\n'.repeat(120)}rm -rf ~`, status: 'waiting' },
  { title: 'One long line', prompt: `run echo ${'x'.repeat(5000)} && rm -rf ~`, status: 'waiting' },
];

/** Starts the sessions and waits until each is as it should be. */
export async function startSessions(
  beckon: Beckon,
  sessions: readonly DemoSession[],
  cwd: string,
): Promise<string[]> {
  const ids: string[] = [];
  for (const { title, prompt } of sessions) {
    const agent = prompt.startsWith('!') ? 'claude' : 'demo';
    const { status, body } = await beckon.api('POST', '/api/sessions', { agent, title, prompt, cwd });
    if (status !== 201) throw new Error(`"${title}" was not started: ${JSON.stringify(body)}`);
    ids.push(body.session.id);
  }
  await Promise.all(sessions.map(({ status }, at) => untilStatus(beckon, ids[at] ?? '', status)));
  return ids;
}

/** Ends what the sessions of a server do and ask, so that the next test begins with a quiet one. */
export async function stopSessions(beckon: Beckon): Promise<void> {
  const { body } = await beckon.api('GET', '/api/sessions?limit=200');
  const live = body.sessions.filter(({ status }: { status: string }) => liveStatuses.has(status));
  await Promise.all(live.map(({ id }: { id: string }) => beckon.api('POST', `/api/sessions/${id}/stop`, {})));
}

const liveStatuses: ReadonlySet<string> = new Set(['starting', 'idle', 'running', 'waiting']);

export const untilStatus = (beckon: Beckon, id: string, status: string): Promise<unknown> =>
  eventually(`${id} is ${status}`, async () => {
    const { body } = await beckon.api('GET', `/api/sessions/${id}`);
    return body.session.status === status;
  });
