import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seededRandom, testSeed, times } from '../../../support/seeded-random.ts';
import { accepted, snapshotOf } from '../repositories.ts';
import { type LandingRig, landingRig, shownIn } from './landing-rig.ts';

const seed = testSeed();
const paths = ['a', 'b', 'c', 'dir/a', 'dir/b', 'dir/sub/c', 'deep', 'deep/x'];

/** All that is the person's: the index entry by entry, the stash, branches, settings, and every file. */
const owned = (rig: LandingRig) => ({
  index: rig.git('ls-files', '--stage').split('\n'),
  stash: rig.git('stash', 'list'),
  config: readFileSync(join(rig.tree, '.git/config'), 'utf8'),
  files: snapshotOf(rig.tree, { without: ['.git'] }),
});

it(`[CHG52] [CHG54] [CHG55] whatever person and agent do around it, a commit and a landing change what was asked for and nothing else (seed ${seed})`, {
  timeout: times(180_000),
}, async () => {
  const random = seededRandom(seed);
  const pick = (): string => paths[Math.floor(random() * paths.length)] ?? 'a';
  await using rig = landingRig();
  for (const path of ['a', 'b', 'c', 'dir/a']) rig.write(path, `${path}\n`.repeat(9));
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  rig.write('b', 'stashed\n');
  rig.git('stash', '-q');
  const tree = rig.worktree('agent');
  const edit = (write: (path: string, text: string) => void, remove: (path: string) => void): void => {
    for (let moves = Math.floor(random() * 4); moves >= 0; moves -= 1) {
      const path = pick();
      if (random() < 0.25) remove(path);
      else {
        // A file and a folder of one name take turns.
        if (path === 'deep') remove('deep');
        if (path.startsWith('deep/') && !existsSync(join(rig.tree, 'deep/x'))) remove('deep');
        try {
          write(path, `${random().toFixed(6)}\n`.repeat(3));
        } catch {
          // There is a file where its folder would be.
        }
      }
    }
  };
  const removeIn = (folder: string) => (path: string) =>
    rmSync(join(folder, path), { recursive: true, force: true });
  for (let round = 0; round < times(4); round += 1) {
    // The person edits, stages some of it; chosen files are committed.
    edit(
      (path, text) => rig.write(path, text),
      (path) => rig.remove(path),
    );
    if (random() < 0.6) rig.git('add', '-A', '--', '.');
    edit(
      (path, text) => rig.write(path, text),
      (path) => rig.remove(path),
    );
    const { uncommitted } = accepted(await rig.landings.worktree(rig.place));
    const chosen = uncommitted.files.map(({ path }) => path).filter(() => random() < 0.6);
    if (chosen.length > 0) {
      const before = owned(rig);
      const done = await rig.landings.commit(rig.place, {
        message: `round ${round}`,
        paths: chosen,
        shown: shownIn(uncommitted),
      });
      const after = owned(rig);
      expect({ ...after, index: [] }).toEqual({ ...before, index: [] });
      const others = (lines: readonly string[]) =>
        lines.filter((line) => !chosen.some((path) => isAt(line, path)));
      expect(others(after.index)).toEqual(others(before.index));
      if (done.ok) {
        const changed = rig
          .git('show', '--format=', '--name-only', '--no-renames', 'HEAD')
          .trim()
          .split('\n');
        for (const path of changed)
          expect(
            chosen.some((one) => isAt(`\t${path}`, one)),
            path,
          ).toBe(true);
        for (const path of chosen) expect(rig.git('diff', 'HEAD', '--name-only', '--', path), path).toBe('');
      } else expect(after.index).toEqual(before.index);
    }
    // The agent commits on its branch, which lands, or not.
    edit((path, text) => tree.write(path, text), removeIn(tree.path));
    tree.git('add', '-A');
    tree.git('commit', '-q', '--allow-empty', '-m', `agent ${round}`);
    const { landing } = accepted(await rig.landings.worktree(tree.place));
    if (landing === null) expect.fail('nothing to land');
    const { branch, head, base, baseCommit } = landing;
    const before = owned(rig);
    const how = (['merge', 'squash', 'rebase'] as const)[Math.floor(random() * 3)] ?? 'merge';
    const landed = await rig.landings.land(tree.place, { how, shown: { branch, head, base, baseCommit } });
    const after = owned(rig);
    expect([after.stash, after.config]).toEqual([before.stash, before.config]);
    const moved = rig.git('diff', '--name-only', '--no-renames', baseCommit, 'main').trim().split('\n');
    if (!landed.ok) {
      expect(['commit_refused', 'landing_conflicts', 'changes_moved']).toContain(landed.refusal.code);
      expect(after).toEqual(before);
    } else {
      for (const path of new Set([...Object.keys(before.files), ...Object.keys(after.files)]))
        if (!moved.includes(path)) expect(after.files[path], path).toBe(before.files[path]);
      const others = (lines: readonly string[]) =>
        lines.filter((line) => !moved.includes(line.slice(line.indexOf('\t') + 1)));
      expect(others(after.index)).toEqual(others(before.index));
      for (const path of moved.filter(Boolean))
        expect(rig.git('diff', 'main', '--name-only', '--', path), path).toBe('');
    }
    expect(tree.git('status', '--porcelain')).toBe('');
    // Both begin anew from the same.
    tree.git('reset', '-q', '--hard', 'main');
  }
  expect(rig.git('fsck', '--strict', '--no-dangling')).toBe('');
});

/** Whether a line of the index is of this path, or of one that takes its place. */
const isAt = (line: string, path: string): boolean => {
  const at = line.slice(line.indexOf('\t') + 1);
  return at === path || at.startsWith(`${path}/`) || path.startsWith(`${at}/`);
};
