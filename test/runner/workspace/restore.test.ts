import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accepted, snapshotOf, type WorkspaceRig, workspaceRig } from './repositories.ts';

const read = (rig: WorkspaceRig, path: string): string | undefined =>
  existsSync(join(rig.tree, path)) ? readFileSync(join(rig.tree, path), 'utf8') : undefined;

/** One turn of an agent, recorded at its beginning and its end. */
async function turn(rig: WorkspaceRig, work: () => void): Promise<{ before: string; after: string }> {
  const before = accepted(await rig.workspaces.record(rig.place)).id;
  work();
  return { before, after: accepted(await rig.workspaces.record(rig.place)).id };
}

describe('undo', () => {
  it('[CHG8] puts back what one turn changed, leaves the rest with its times, and can be undone', async () => {
    await using rig = workspaceRig();
    for (const path of ['edited', 'removed', 'other', 'dir/file']) rig.write(path, `${path} first\n`);
    utimesSync(join(rig.tree, 'other'), 1_000, 1_000);
    const span = await turn(rig, () => {
      rig.write('edited', 'by the agent\n');
      rig.remove('removed');
      rig.write('added/deep', 'by the agent\n');
      rig.remove('dir');
      rig.write('dir', 'a file now\n');
    });
    rig.write('mine', 'by the person, later\n');
    const agents = snapshotOf(rig.tree);
    const undone = accepted(await rig.workspaces.undo(rig.place, span));
    if (!undone.done) expect.fail(JSON.stringify(undone));
    expect([...undone.paths].sort()).toEqual(['added/deep', 'dir', 'dir/file', 'edited', 'removed']);
    expect(read(rig, 'edited')).toBe('edited first\n');
    expect(read(rig, 'removed')).toBe('removed first\n');
    expect(read(rig, 'dir/file')).toBe('dir/file first\n');
    expect(read(rig, 'mine')).toBe('by the person, later\n');
    expect(existsSync(join(rig.tree, 'added'))).toBe(false);
    expect(lstatSync(join(rig.tree, 'other')).mtimeMs).toBe(1_000_000);
    const redo = { before: undone.before.id, after: undone.after.id };
    expect(accepted(await rig.reopened().undo(rig.place, redo)).done).toBe(true);
    expect(snapshotOf(rig.tree)).toEqual(agents);
  });

  it('[CHG9] [CHG17] changes nothing while a path was edited since or is blocked, until each has a choice', async () => {
    await using rig = workspaceRig();
    rig.write('.gitignore', 'secret\n*.env\n');
    for (const path of ['edited', 'plain', 'a.env']) rig.write(path, 'first\n');
    rig.git('add', '-f', 'a.env');
    const span = await turn(rig, () => {
      rig.write('edited', 'by the agent\n');
      rig.write('plain', 'by the agent\n');
      rig.remove('a.env');
    });
    rig.git('rm', '-q', '--cached', 'a.env');
    rig.write('edited', 'by the person\n');
    rig.write('a.env', 'key of the person\n');
    const before = snapshotOf(rig.tree, { times: true });
    const asked = accepted(await rig.workspaces.undo(rig.place, span));
    expect(asked).toEqual({
      done: false,
      obstacles: [
        { path: 'a.env', why: 'in-the-way', canOverwrite: true },
        { path: 'edited', why: 'edited', canOverwrite: true },
      ],
      shown: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    if (asked.done) expect.fail('It was done.');
    const { shown } = asked;
    const half = await rig.workspaces.undo(rig.place, { ...span, choices: { edited: 'leave' } });
    expect(accepted(half)).toMatchObject({ done: false, obstacles: [{ path: 'a.env' }] });
    expect(snapshotOf(rig.tree, { times: true })).toEqual(before);

    const chosen = { ...span, choices: { edited: 'leave', 'a.env': 'overwrite' } } as const;
    expect(accepted(await rig.workspaces.undo(rig.place, chosen)).done).toBe(false);
    rig.write('a.env', 'another key\n');
    const late = accepted(await rig.workspaces.undo(rig.place, { ...chosen, shown }));
    expect(late).toMatchObject({ done: false, obstacles: [{ path: 'a.env' }] });
    expect(read(rig, 'a.env')).toBe('another key\n');
    if (late.done) expect.fail('It was done.');
    const undone = accepted(await rig.workspaces.undo(rig.place, { ...chosen, shown: late.shown }));
    if (!undone.done) expect.fail(JSON.stringify(undone));
    expect([read(rig, 'edited'), read(rig, 'plain'), read(rig, 'a.env')]).toEqual([
      'by the person\n',
      'first\n',
      'first\n',
    ]);
    // What was overwritten is in the recording before it, ignored or not.
    const kept = await rig.workspaces.content(rig.place, undone.before.id, 'a.env');
    expect(accepted(kept)?.toString()).toBe('another key\n');
    const redo = { before: undone.before.id, after: undone.after.id };
    expect(accepted(await rig.workspaces.undo(rig.place, redo)).done).toBe(true);
    expect(read(rig, 'a.env')).toBe('another key\n');
  });

  it('[CHG9] never follows a link, nor removes a folder with something unrecorded in it', async () => {
    await using rig = workspaceRig();
    rig.write('.gitignore', '*.log\nlinked\n');
    rig.write('linked/file', 'first\n');
    rig.git('add', '-f', 'linked/file');
    rig.write('folder', 'a file first\n');
    const span = await turn(rig, () => {
      rig.remove('linked');
      rig.remove('folder');
      rig.write('folder/new', 'by the agent\n');
    });
    mkdirSync(join(rig.base, 'elsewhere'));
    symlinkSync('../elsewhere', join(rig.tree, 'linked'));
    rig.write('folder/kept.log', 'of the person\n');
    const asked = accepted(await rig.workspaces.undo(rig.place, { ...span, rest: 'overwrite' }));
    if (asked.done) expect.fail('It was done.');
    expect([...asked.obstacles].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'folder', why: 'in-the-way', canOverwrite: false },
      { path: 'linked/file', why: 'in-the-way', canOverwrite: false },
    ]);
    const left = accepted(await rig.workspaces.undo(rig.place, { ...span, rest: 'leave' }));
    expect(left.done).toBe(true);
    expect(read(rig, 'folder/kept.log')).toBe('of the person\n');
    expect(lstatSync(join(rig.tree, 'linked')).isSymbolicLink()).toBe(true);
    expect(snapshotOf(join(rig.base, 'elsewhere'))).toEqual({});
  });
});
