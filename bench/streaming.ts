import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { lastText, startBeckon } from './hosts/beckon-host.ts';
import type { Host } from './hosts/host.ts';
import { startRelay } from './hosts/relay-host.ts';
import {
  besideRelay,
  milliseconds,
  type Part,
  type PartResult,
  percent,
  profiling,
  times,
  wholeNumber,
} from './part.ts';
import { end, processorTime, start, within } from './running.ts';
import { medianOf } from './spread.ts';
import type { Watched, WatcherWord } from './watcher.ts';

const agents = 50;
const watchers = 5;

/** Fifty agents that talk as fast as they can, each heard by five watchers. Counted is each piece an agent said, once per watcher. */
export const streaming: Part = async (extent) => {
  const { pieces, order } = extent.quick ? quickPlan : plan;
  const relay = await startRelay(agents);
  const beckon = await startBeckon(agents, { nodeArgs: profiling(extent, 'stream') });
  try {
    for (const host of [relay, beckon]) await flood(host, warmUpPieces);
    const floods: Flood[] = [];
    for (const name of order) floods.push(await flood(name === 'relay' ? relay : beckon, pieces));
    return told(floods, pieces);
  } finally {
    await Promise.all([relay.close(), beckon.close()]);
  }
};

const plan = { pieces: 4_000, order: ['relay', 'beckon', 'beckon', 'relay', 'relay', 'beckon'] } as const;
const quickPlan = { pieces: 1_000, order: ['relay', 'beckon'] } as const;
const warmUpPieces = 300;

interface Flood {
  readonly host: Host['name'];
  readonly perSecond: number;
  readonly delivered: number;
  /** Events missing in a watcher's stream, and sessions whose log lacks a part of what was said. */
  readonly lost: number;
  readonly processorMs: number;
}

async function flood(host: Host, pieces: number): Promise<Flood> {
  const watching = await Promise.all(Array.from({ length: watchers }, () => startWatcher(host)));
  const before = processorTime(host.process);
  await Promise.all(host.sessions.map((session) => host.say(session, `!flood ${pieces}`)));
  const seen = await Promise.all(
    watching.map(({ watched }) => within(60_000, watched, 'a watcher to see the end')),
  );
  const processorMs = processorTime(host.process) - before;
  await Promise.all(watching.map(({ process }) => end(process)));

  const delivered = seen.reduce((sum, one) => sum + one.pieces, 0);
  const firstAt = Math.min(...seen.map((one) => one.firstAt));
  const lastAt = Math.max(...seen.map((one) => one.lastAt));
  return {
    host: host.name,
    delivered,
    perSecond: (delivered * 1_000) / (lastAt - firstAt),
    lost:
      seen.reduce((sum, { gaps }) => sum + gaps, 0) +
      (host.name === 'beckon' ? await halfKept(host, pieces) : 0),
    processorMs,
  };
}

async function startWatcher(host: Host): Promise<{ process: ChildProcess; watched: Promise<Watched> }> {
  const args = [program, JSON.stringify(host.watching), String(host.sessions.length)];
  const watcher = start(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const following = Promise.withResolvers<void>();
  const watched = Promise.withResolvers<Watched>();
  watcher.on('message', (word: WatcherWord) => {
    if ('watched' in word) watched.resolve(word.watched);
    else following.resolve();
  });
  watcher.once('exit', (code) => {
    if (code !== 0) following.reject(new Error(`A watcher ended with ${code}`));
  });
  await within(20_000, following.promise, 'a watcher to follow');
  return { process: watcher, watched: watched.promise };
}

const program = fileURLToPath(new URL('./watcher.ts', import.meta.url));

async function halfKept(host: Host, pieces: number): Promise<number> {
  const whole = Array.from({ length: pieces }, (_, index) => `${index + 1} `).join('');
  const texts = await Promise.all(host.sessions.map((session) => lastText(host, session)));
  return texts.filter((text) => text !== whole).length;
}

function told(floods: readonly Flood[], pieces: number): PartResult {
  const own = (host: Host['name']): Flood[] => floods.filter((one) => one.host === host);
  const rate = (host: Host['name']): number => medianOf(own(host).map((one) => one.perSecond));
  const costPerThousand = (host: Host['name']): number =>
    medianOf(own(host).map((one) => (one.processorMs * 1_000) / (pieces * agents * watchers)));
  const share = (host: Host['name']): number =>
    medianOf(own(host).map((one) => one.delivered / (pieces * agents * watchers)));
  const lost = own('beckon').reduce((sum, one) => sum + one.lost, 0);
  const ratio = rate('beckon') / rate('relay');
  const [relayCost, beckonCost] = [costPerThousand('relay'), costPerThousand('beckon')];
  return {
    columns: besideRelay,
    rows: [
      {
        what: 'deltas delivered per second',
        values: [wholeNumber(rate('relay')), wholeNumber(rate('beckon')), times(ratio)],
      },
      {
        what: 'share of the deltas delivered live',
        values: [percent(share('relay')), percent(share('beckon'))],
      },
      {
        what: 'processor per 1,000 delivered',
        values: [milliseconds(relayCost), milliseconds(beckonCost), times(beckonCost / relayCost)],
      },
    ],
    goals: [
      {
        rule: 'PERF2',
        goal: `${agents} agents, ${watchers} watchers each: at least half the relay's deltas per second`,
        figure: times(ratio),
        holds: ratio >= 0.5,
      },
      { rule: 'PERF2', goal: 'nothing durable lost', figure: `${lost} lost`, holds: lost === 0 },
    ],
    figures: floods,
  };
}
