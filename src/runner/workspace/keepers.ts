import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { accept, type Result } from '../../protocol/errors.ts';
import type { Store } from './store.ts';

/** Notes that these recordings are a session's. Another may have the same: nothing had changed in between. */
export async function keepFor(
  { gitDir }: Store,
  session: string,
  recordings: readonly string[],
): Promise<void> {
  const folder = join(gitDir, 'sessions');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lines = recordings.map((id) => `${id}\n`).join('');
  await appendFile(join(folder, nameOf(session)), lines, { mode: 0o600 });
}

/** Gives up the recordings that only this session has, with what was in them alone; tells which. */
export async function forgetSession(store: Store, session: string): Promise<Result<ReadonlySet<string>>> {
  const folder = join(store.gitDir, 'sessions');
  const own = await listIn(join(folder, nameOf(session)));
  const others = (await readdir(folder).catch(() => [])).filter((name) => name !== nameOf(session));
  for (const name of others) for (const id of await listIn(join(folder, name))) own.delete(id);
  const refs = await store.run(['for-each-ref', '--format=%(refname)', 'refs/recordings']);
  if (!refs.ok) return refs;
  const named = refs.value
    .toString()
    .split('\n')
    .filter((ref) => own.has(ref.slice(ref.lastIndexOf('/') + 1)));
  if (named.length > 0) {
    const input = named.map((ref) => `delete ${ref}\n`).join('');
    for (const [args, more] of [
      [['update-ref', '--stdin'], { input }],
      [['repack', '-a', '-d', '-q'], { longestMs }],
      [['prune', '--expire=now'], { longestMs }],
    ] as const) {
      const done = await store.run(args, more);
      if (!done.ok) return done;
    }
  }
  await rm(join(folder, nameOf(session)), { force: true });
  return accept(own);
}

const longestMs = 10 * 60_000;

/** An id may have come from elsewhere: it is no name of a file. */
const nameOf = (session: string): string => createHash('sha256').update(session).digest('hex').slice(0, 32);

async function listIn(path: string): Promise<Set<string>> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return new Set(text.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line)));
}
