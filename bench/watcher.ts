import { sightingOfBeckon } from './hosts/beckon-host.ts';
import type { Watching } from './hosts/host.ts';
import { sightingOfRelay } from './hosts/relay-host.ts';
import { HttpClient } from './http-client.ts';

/** What a watcher has seen of one flood. */
export interface Watched {
  readonly pieces: number;
  /** By the clock that all processes of one machine share, in milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Stored events that did not follow on the one before. */
  readonly gaps: number;
}

export type WatcherWord = { readonly following: true } | { readonly watched: Watched };

/** One who follows all sessions over one stream, in a process of its own: `node bench/watcher.ts WATCHING SESSIONS`. */
if (process.argv[1] === import.meta.filename) {
  const [watching = '{}', sessions = '1'] = process.argv.slice(2);
  await watch(JSON.parse(watching) as Watching, Number(sessions));
}

async function watch({ dialect, base, path, headers }: Watching, sessions: number): Promise<void> {
  const read = dialect === 'relay' ? sightingOfRelay : sightingOfBeckon;
  const lastSeq = new Map<string, number>();
  const ended = new Set<string>();
  let pieces = 0;
  let gaps = 0;
  let firstAt = 0;
  let lastAt = 0;

  const stop = await new HttpClient(base, headers).follow(path, (frame) => {
    const { pieces: more, endOf, stored } = read(frame);
    if (more > 0) {
      pieces += more;
      lastAt = now();
      if (firstAt === 0) firstAt = lastAt;
    }
    if (stored !== undefined) {
      const before = lastSeq.get(stored.session);
      if (before !== undefined && stored.seq !== before + 1) gaps += 1;
      lastSeq.set(stored.session, stored.seq);
    }
    if (endOf === undefined) return;
    ended.add(endOf);
    if (ended.size < sessions) return;
    tell({ watched: { pieces, firstAt, lastAt, gaps } });
    stop();
    process.disconnect();
  });
  tell({ following: true });
}

function tell(word: WatcherWord): void {
  process.send?.(word);
}

const now = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;
