import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../src/protocol/errors.ts';
import { Workspaces } from '../src/runner/workspace/workspaces.ts';
import { type Goal, milliseconds, type Part, times, wholeNumber } from './part.ts';
import { temporaryDirectory } from './running.ts';
import { medianOf } from './spread.ts';

/** What agents do to files in a large work tree: recorded, listed and shown, beside `git status` and `git diff` on the same files. */
export const changes: Part = async ({ quick }) => {
  const plan = quick ? { folders: 200, rounds: 3 } : { folders: 1_000, rounds: 9 };
  const base = temporaryDirectory();
  const tree = join(base, 'tree');
  const files = makeFiles(tree, plan.folders);
  await git(tree, ['init', '-q']);
  const added = await measured(() => git(tree, ['add', '-A']));
  await git(tree, ['commit', '-q', '-m', 'first']);
  await git(tree, ['gc', '-q']);
  const place = { cwd: tree, realCwd: null, roots: [] };
  const path = process.env.PATH ?? '';
  const workspaces = new Workspaces({ dataDir: join(base, 'data'), home: base, path });
  const first = await measured(async () => void accepted(await workspaces.record(place)));
  let last = accepted(await workspaces.record(place)).id;

  const spent: Record<What, Cost[]> = { unchanged: [], status: [], list: [], diff: [], patch: [], quiet: [] };
  const take = async (what: What, work: () => Promise<void>): Promise<void> => {
    spent[what].push(await measured(work));
  };
  for (let round = 0; round < plan.rounds; round += 1) {
    // The person's index is refreshed first, as ours is by each recording.
    await git(tree, ['status']);
    await take('quiet', () => git(tree, ['status', '--porcelain']));
    await take('unchanged', async () => void accepted(await workspaces.record(place)));
    edit(files, round);
    const span = { before: last, after: '' };
    const ours = async (): Promise<void> => {
      await take('list', async () => {
        span.after = accepted(await workspaces.record(place)).id;
        accepted(await workspaces.changes(place, span));
      });
      await take('patch', async () => void accepted(await workspaces.patch(place, span)));
    };
    const theirs = async (): Promise<void> => {
      await take('status', () => git(tree, ['status', '--porcelain']));
      await take('diff', () => git(tree, ['diff']));
    };
    for (const work of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) await work();
    last = span.after;
    await git(tree, ['commit', '-q', '-a', '-m', 'round']);
  }
  await workspaces.close();
  const counted = await count(base, tree, files, path);
  rmSync(base, { recursive: true, force: true });

  const row = (what: string, theirs: What, ours: What) => {
    const [wall, cpu] = (['wall', 'cpu'] as const).map((kind) => {
      const [one, other] = [theirs, ours].map((name) => medianOf(spent[name].map((cost) => cost[kind])));
      return { one: one ?? Number.NaN, other: other ?? Number.NaN };
    });
    const told = (cost: typeof wall): string[] =>
      cost === undefined
        ? []
        : [milliseconds(cost.one), milliseconds(cost.other), times(cost.other / cost.one)];
    const goal = (words: string): Goal => {
      const ratio = (cpu?.other ?? Number.NaN) / (cpu?.one ?? Number.NaN);
      return { rule: 'CHG23', goal: `changes: ${words}`, figure: times(ratio), holds: ratio <= 1.3 };
    };
    return {
      rows: [
        { what, values: told(wall) },
        { what: '  processor time', values: told(cpu) },
      ],
      goal,
    };
  };
  const quiet = row('nothing changed: git status, and a recording', 'quiet', 'unchanged');
  const list = row('50 changed: git status, and recording with list', 'status', 'list');
  const patch = row('50 changed: git diff, and the patch of all', 'diff', 'patch');
  const name = wholeNumber(files.length);
  return {
    columns: ['git', 'Beckon', 'ratio'],
    rows: [
      {
        what: `git add of ${name} files, and their first recording`,
        values: [milliseconds(added.wall), milliseconds(first.wall), times(first.wall / added.wall)],
      },
      {
        what: '  processor time',
        values: [milliseconds(added.cpu), milliseconds(first.cpu), times(first.cpu / added.cpu)],
      },
      ...quiet.rows,
      ...list.rows,
      ...patch.rows,
      ...counted.map(({ what, programs, opened }) => ({
        what: `${what}: programs started, files opened`,
        values: ['', wholeNumber(programs), opened === undefined ? '' : wholeNumber(opened)],
      })),
    ],
    goals: [
      {
        rule: 'CHG23',
        goal: `changes: first recording of ${name} files in 5 s of processor time`,
        figure: milliseconds(first.cpu),
        holds: first.cpu <= 5_000,
      },
      quiet.goal('a recording at most 1.3× git status, nothing changed'),
      list.goal('recording and list at most 1.3× git status, 50 changed'),
      patch.goal('the patch at most 1.3× git diff, 50 changed'),
    ],
    figures: { files: files.length, added, first, spent, counted },
  };
};

type What = 'quiet' | 'unchanged' | 'status' | 'list' | 'diff' | 'patch';

interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

/** With the processor time of this program and of all that it started and that has ended. */
async function measured(work: () => Promise<void>): Promise<Cost> {
  const [wall, cpu] = [performance.now(), processorTime()];
  await work();
  return { wall: performance.now() - wall, cpu: processorTime() - cpu };
}

function processorTime(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const { user, system } = process.cpuUsage();
  const tickMs = 10;
  return (user + system) / 1_000 + tickMs * (Number(fields[13]) + Number(fields[14]));
}

/** A hundred files in each folder. */
function makeFiles(tree: string, folders: number): string[] {
  const files: string[] = [];
  for (let folder = 0; folder < folders; folder += 1) {
    const place = join(tree, `package${folder % 40}`, `module${folder}`);
    mkdirSync(place, { recursive: true });
    for (let file = 0; file < 100; file += 1) {
      const path = join(place, `file${file}.ts`);
      const line = `export const value${file} = ${folder * 100 + file};\n`;
      writeFileSync(path, line.repeat(20 + ((file * 7 + folder) % 80)));
      files.push(path);
    }
  }
  return files;
}

function edit(files: readonly string[], round: number): void {
  for (let at = 0; at < 50; at += 1) {
    const path = files[(at * 1_997 + round * 31) % files.length] ?? '';
    writeFileSync(path, `${readFileSync(path, 'utf8')}// edited in round ${round}\n`);
  }
}

const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Bench'],
      [`GIT_${who}_EMAIL`, 'bench@localhost'],
    ]),
  ),
};

/** Git as a person has it. */
function git(cwd: string, args: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn('git', [...args], { cwd, env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  child.on('error', reject);
  child.on('close', () => resolve());
  return promise;
}

/** Once more, with a git that writes down that it was started, and what it opens where `strace` is there. */
async function count(base: string, tree: string, files: readonly string[], path: string) {
  const [programs, notes] = [join(base, 'programs'), join(base, 'notes')];
  mkdirSync(programs);
  const hasStrace = spawnSync('strace', ['-V']).status === 0;
  const trace = hasStrace ? `strace -f -qq -e trace=open,openat -o '${notes}/'$$ ` : '';
  writeFileSync(
    join(programs, 'git'),
    `#!/bin/sh\nPATH=\${PATH#*:}\n: > '${notes}/'$$\nexec ${trace}git "$@"\n`,
  );
  chmodSync(join(programs, 'git'), 0o755);
  const workspaces = new Workspaces({
    dataDir: join(base, 'data'),
    home: base,
    path: `${programs}:${path}`,
  });
  const place = { cwd: tree, realCwd: null, roots: [] };
  const counted: { what: string; programs: number; opened: number | undefined }[] = [];
  const noted = async (what: string, work: () => Promise<void>): Promise<void> => {
    rmSync(notes, { recursive: true, force: true });
    mkdirSync(notes);
    await work();
    const traces = readdirSync(notes).map((name) => readFileSync(join(notes, name), 'utf8'));
    const opened = traces.join('').split('\n').length - 1;
    counted.push({ what, programs: traces.length, opened: hasStrace ? opened : undefined });
  };
  mkdirSync(notes);
  const before = accepted(await workspaces.record(place)).id;
  await noted('nothing changed', async () => void accepted(await workspaces.record(place)));
  edit(files, 1_000);
  let after = '';
  await noted('50 changed, recording with list', async () => {
    after = accepted(await workspaces.record(place)).id;
    accepted(await workspaces.changes(place, { before, after }));
  });
  await noted('50 changed, the patch of all', async () => {
    accepted(await workspaces.patch(place, { before, after }));
  });
  await workspaces.close();
  return counted;
}

function accepted<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.message}`);
  return result.value;
}
