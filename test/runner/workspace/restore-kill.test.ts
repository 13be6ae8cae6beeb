import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { seededRandom, testSeed, times } from '../../support/seeded-random.ts';
import { type Kill, killedByGit } from './killing-git.ts';
import { accepted, snapshotOf, type WorkspaceRig, workspaceRig } from './repositories.ts';

const seed = testSeed();
const program = fileURLToPath(new URL('undo-program.ts', import.meta.url));
/** The call that writes into the work tree: no other has this argument. */
const writing = '-u';

it(`[CHG10] a kill -9 at any step leaves the files as they were or as they were asked to be (seed ${seed})`, {
  timeout: times(180_000),
}, async () => {
  for (let round = 0; round < times(3); round += 1) {
    const random = seededRandom(seed + round);
    await using rig = workspaceRig();
    for (let file = 0; file < 12; file += 1) rig.write(`d${file % 3}/f${file}`, `first ${file}\n`.repeat(40));
    const asked = snapshotOf(rig.tree, { without: ['.git'] });
    const before = accepted(await rig.workspaces.record(rig.place)).id;
    for (let file = 0; file < 12; file += 1) agentMoves(rig, file, random);
    const after = accepted(await rig.workspaces.record(rig.place)).id;
    const was = snapshotOf(rig.tree, { without: ['.git'] });
    await rig.workspaces.close();

    // The first round is killed where it writes; the others anywhere, and while they mend what the first kill left.
    const first = round === 0 ? writing : 1 + Math.floor(random() * 20);
    await killed(rig, { at: first, when: random() < 0.5 ? 'before' : 'after' }, before, after);
    if (isWritten(rig)) leaveHalf(rig, { was, asked }, random);
    else expect(snapshotOf(rig.tree, { without: ['.git'] })).toSatisfy(isOneOf(was, asked));
    const mended = isWritten(rig) ? asked : snapshotOf(rig.tree, { without: ['.git'] });
    await killed(rig, { at: 1 + Math.floor(random() * 15), when: 'after' });

    accepted(await rig.reopened().record(rig.place));
    expect(snapshotOf(rig.tree, { without: ['.git'] })).toEqual(mended);
    expect(isWritten(rig)).toBe(false);
  }
});

it('[CHG10] what somebody edited between the kill and the return stays', async () => {
  await using rig = workspaceRig();
  for (const path of ['a', 'b', 'c']) rig.write(path, 'first\n');
  const before = accepted(await rig.workspaces.record(rig.place)).id;
  for (const path of ['a', 'b', 'c']) rig.write(path, 'by the agent\n');
  const after = accepted(await rig.workspaces.record(rig.place)).id;
  await rig.workspaces.close();
  await killed(rig, { at: writing, when: 'before' }, before, after);
  expect(isWritten(rig)).toBe(true);
  rig.write('b', 'by the person\n');
  accepted(await rig.reopened().record(rig.place));
  const contents = ['a', 'b', 'c'].map((path) => readFileSync(join(rig.tree, path), 'utf8'));
  expect(contents).toEqual(['first\n', 'by the person\n', 'first\n']);
});

type Snapshot = ReturnType<typeof snapshotOf>;

const isOneOf =
  (...states: readonly Snapshot[]) =>
  (found: Snapshot): boolean =>
    states.some((state) => JSON.stringify(state) === JSON.stringify(found));

function agentMoves(rig: WorkspaceRig, file: number, random: () => number): void {
  const path = `d${file % 3}/f${file}`;
  const move = Math.floor(random() * 4);
  if (move === 0) rig.remove(path);
  else if (move === 1) rig.write(path, `agent ${file}\n`.repeat(30));
  else if (move === 2) rig.write(`new${file}/x`, 'agent\n');
}

/** Whether an undo is under way, by what is written down. */
function isWritten(rig: WorkspaceRig): boolean {
  const stores = join(rig.base, 'data/recordings');
  return readdirSync(stores).some((store) => existsSync(join(stores, store, 'restore.json')));
}

/** As git leaves it when it is killed while it writes: some files done, some not, one not there and one in part. */
function leaveHalf(
  rig: WorkspaceRig,
  { was, asked }: Record<'was' | 'asked', Snapshot>,
  random: () => number,
): void {
  const contentOf = (state: Snapshot, path: string): string | undefined =>
    state[path]?.replace(/^\d+ \d+ {2}/, '');
  for (const path of new Set([...Object.keys(was), ...Object.keys(asked)])) {
    const [old, wanted] = [contentOf(was, path), contentOf(asked, path)];
    if (old === wanted) continue;
    const kind = Math.floor(random() * 4);
    const content =
      kind === 0
        ? old
        : kind === 1 || wanted === undefined
          ? wanted
          : kind === 2
            ? undefined
            : wanted.slice(0, 10);
    if (content === undefined) rig.remove(path);
    else rig.write(path, content);
  }
  const stores = join(rig.base, 'data/recordings');
  for (const store of readdirSync(stores)) writeFileSync(join(stores, store, 'index.lock'), 'half');
}

const killed = (rig: WorkspaceRig, kill: Kill, ...span: readonly string[]): Promise<void> =>
  killedByGit(rig.base, program, kill, { cwd: rig.tree, rest: span });
