import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { personsGit } from '../../runner/workspace/repositories.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';

/** A repository of somebody's in which an agent works that does what it is told. */
export interface ChangedRepository {
  readonly beckon: Beckon;
  readonly id: string;
  readonly tree: string;
  /** As the person does it. */
  write(path: string, content: string | Uint8Array): void;
  /** The agent runs a command, and its turn is over and recorded. */
  turn(command: string): Promise<void>;
}

type Files = Readonly<Record<string, string | Uint8Array>>;

/** With these files committed. */
export async function changedRepository(files: Files, server?: Beckon): Promise<ChangedRepository> {
  const tree = await temporaryDirectory();
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), content);
  };
  personsGit(tree, ['init', '-q', '-b', 'main']);
  for (const [path, content] of Object.entries(files)) write(path, content);
  personsGit(tree, ['add', '.']);
  personsGit(tree, ['commit', '-q', '-m', 'first']);
  const beckon = server ?? (await startBeckon());
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: tree, title: 'Reworked' });
  const { id } = body.session;
  await beckon.api('POST', `/api/sessions/${id}/trust`, { minutes: 60 });
  const turn = async (command: string): Promise<void> => {
    await beckon.api('POST', `/api/sessions/${id}/message`, { message: `run ${command}` });
    await eventually('the turn is over and recorded', () => isRecorded(beckon, id));
  };
  return { beckon, id, tree, write, turn };
}

async function isRecorded(beckon: Beckon, id: string): Promise<boolean> {
  const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
  // biome-ignore lint/suspicious/noExplicitAny: events of every kind
  const of = (type: string): any[] => body.events.filter((event: { type: string }) => event.type === type);
  const ended = of('turn.ended').at(-1)?.turnId;
  return (
    of('turn.ended').length === of('message.queued').length &&
    of('files.recorded').some(({ turnId, when }) => turnId === ended && when === 'end')
  );
}

export const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');
