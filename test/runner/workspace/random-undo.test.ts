import { expect, it } from 'vitest';
import { seededRandom, testSeed, times } from '../../support/seeded-random.ts';
import { accepted, snapshotOf, workspaceRig } from './repositories.ts';

const seed = testSeed();
const paths = ['a', 'b', 'c', 'dir/a', 'dir/b', 'dir/sub/c', 'deep', 'deep/x', 'deep/y'];

it(`[CHG8] [CHG9] whatever agent and person do around it, an undo takes back the agent's part alone (seed ${seed})`, {
  timeout: times(180_000),
}, async () => {
  const random = seededRandom(seed);
  await using rig = workspaceRig();
  const files = (): Record<string, string> => snapshotOf(rig.tree, { without: ['.git'] });
  /** All of one length, so that only what is in them tells them apart. */
  const edit = (): void => {
    for (let moves = Math.floor(random() * 4); moves >= 0; moves -= 1) {
      const path = paths[Math.floor(random() * paths.length)] ?? 'a';
      if (random() < 0.3) rig.remove(path);
      else if (path === 'deep') {
        rig.remove(path);
        rig.write(path, `${random().toFixed(9)}\n`);
      } else {
        if (path.startsWith('deep/') && 'deep' in files()) rig.remove('deep');
        rig.write(path, `${random().toFixed(9)}\n`);
      }
    }
  };
  for (let round = 0; round < times(6); round += 1) {
    edit();
    const start = files();
    const before = accepted(await rig.workspaces.record(rig.place)).id;
    edit();
    const end = files();
    const after = accepted(await rig.workspaces.record(rig.place)).id;
    if (random() < 0.7) edit();
    const now = files();

    const changed = [...new Set([...Object.keys(start), ...Object.keys(end)])].filter(
      (path) => start[path] !== end[path],
    );
    const told = accepted(await rig.workspaces.changes(rig.place, { before, after })).files;
    const named = told.flatMap(({ path, movedFrom }) => [
      path,
      ...(movedFrom === undefined ? [] : [movedFrom]),
    ]);
    expect(named.sort()).toEqual(changed.sort());

    const isEdited = (path: string): boolean => now[path] !== end[path] && now[path] !== start[path];
    const asked = accepted(await rig.workspaces.undo(rig.place, { before, after }));
    if (!asked.done) {
      expect(files()).toEqual(now);
      const blocked = asked.obstacles.map(({ path }) => path);
      expect(blocked).toEqual(expect.arrayContaining(changed.filter(isEdited)));
    }
    const undone = asked.done
      ? asked
      : accepted(await rig.workspaces.undo(rig.place, { before, after, rest: 'leave' }));
    if (!undone.done) expect.fail(JSON.stringify(undone));
    const restored = new Set(undone.paths);
    for (const path of new Set([...Object.keys(now), ...Object.keys(start)]))
      expect(files()[path], path).toBe(restored.has(path) ? start[path] : now[path]);
    if (asked.done) for (const path of changed) expect(files()[path], path).toBe(start[path]);

    const redo = { before: undone.before.id, after: undone.after.id };
    expect(accepted(await rig.workspaces.undo(rig.place, redo)).done).toBe(true);
    expect(files()).toEqual(now);
  }
});

it('[CHG9] [CHG17] a file that a person put where a folder of the agent was is asked about, and asked about again when it was edited', async () => {
  await using rig = workspaceRig();
  rig.write('deep/x', 'one\n');
  const before = accepted(await rig.workspaces.record(rig.place)).id;
  rig.write('deep/x', 'two\n');
  const after = accepted(await rig.workspaces.record(rig.place)).id;
  const shownWith = async (content: string): Promise<string> => {
    rig.remove('deep');
    rig.write('deep', content);
    const asked = accepted(await rig.workspaces.undo(rig.place, { before, after }));
    if (asked.done) expect.fail('nothing was asked');
    expect(asked.obstacles.map(({ path }) => path)).toContain('deep/x');
    return asked.shown;
  };
  expect(await shownWith('mine\n')).not.toBe(await shownWith('mine, edited\n'));
});
