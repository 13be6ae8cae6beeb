import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seededRandom, testSeed, times } from '../../support/seeded-random.ts';
import { accepted, personsGit, snapshotOf, type WorkspaceRig, workspaceRig } from './repositories.ts';

const seed = testSeed();

/** Records what happens in between, and gives the patch of it. */
async function patchOf(rig: WorkspaceRig, work: () => void, workspaces = rig.workspaces) {
  const before = accepted(await workspaces.record(rig.place)).id;
  work();
  const after = accepted(await workspaces.record(rig.place)).id;
  return { before, after, ...accepted(await workspaces.patch(rig.place, { before, after })) };
}

it(`[CHG21] git applies the patch of all files, and has what the agent left (seed ${seed})`, {
  timeout: times(180_000),
}, async () => {
  const names = [
    'a',
    'dir/b',
    'dir/deep/c',
    ' blank ',
    '-rf',
    'two\nlines',
    'ünï 🙂',
    '"q"',
    'tab\t',
    '\\',
    'd e/f g',
  ];
  for (let round = 0; round < times(4); round += 1) {
    await using rig = workspaceRig();
    const random = seededRandom(seed + round);
    const some = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const text = (): string =>
      Array.from({ length: Math.floor(random() * 40) }, () =>
        some(['one', 'two\r', 'diff --git a/x b/x', '--- a', '@@ -1 +1 @@', '']),
      )
        .join('\n')
        .concat(some(['', '\n']));
    for (const name of names) if (random() < 0.7) rig.write(name, text());
    for (const name of names.filter((_, at) => at % 3 === 0)) rig.write(name, text());
    rig.write('moved-before', 'a line\n'.repeat(9));
    const start = join(rig.base, 'start');
    personsGit(rig.base, ['clone', '-q', rig.tree, start]);
    const copy = (): void => {
      for (const name of [...names, 'moved-before']) {
        try {
          const content = readFileSync(join(rig.tree, name));
          mkdirSync(join(start, name, '..'), { recursive: true });
          writeFileSync(join(start, name), content);
        } catch {
          // It was not written above.
        }
      }
    };
    const {
      text: patch,
      isCut,
      isBinary,
    } = await patchOf(rig, () => {
      copy();
      for (const name of names) {
        const move = random();
        if (move < 0.3) rig.write(name, text());
        else if (move < 0.5) rig.remove(name);
        else if (move < 0.6) {
          rig.write(name, '');
          rig.remove(name);
          symlinkSync('somewhere', join(rig.tree, name));
        } else if (move < 0.7) {
          rig.write(name, text());
          chmodSync(join(rig.tree, name), 0o755);
        }
      }
      renameSync(join(rig.tree, 'moved-before'), join(rig.tree, 'moved'));
    });
    expect({ isCut, isBinary }).toEqual({ isCut: false, isBinary: false });
    writeFileSync(join(rig.base, 'all.patch'), patch);
    personsGit(start, ['apply', '--whitespace=nowarn', join(rig.base, 'all.patch')]);
    const without = ['.git'];
    expect(snapshotOf(start, { without })).toEqual(snapshotOf(rig.tree, { without }));
  }
});

it('[CHG21] what is not text, or not known, is not in the patch of all files; the rest can be applied', async () => {
  await using rig = workspaceRig({ limits: { fileBytes: 1_000 } });
  for (const name of ['text', 'grows', 'latin', 'picture.png']) rig.write(name, 'before\n');
  const { text, isBinary } = await patchOf(rig, () => {
    rig.write('text', 'after\n');
    rig.write('grows', 'x'.repeat(1_001));
    rig.write('latin', Buffer.from('caf\xe9\n', 'latin1'));
    rig.write('picture.png', Buffer.from([0x89, 0x50, 0, 1]));
  });
  expect(text.split('\n').slice(0, 3)).toEqual([
    '# Left out, not text: a/latin b/latin',
    '# Left out, not text: a/picture.png b/picture.png',
    'diff --git a/text b/text',
  ]);
  expect(isBinary).toBe(true);
  expect(text).not.toContain('grows');
  rig.write('text', 'before\n');
  writeFileSync(join(rig.base, 'all.patch'), text);
  rig.git('apply', join(rig.base, 'all.patch'));
  expect(readFileSync(join(rig.tree, 'text'), 'utf8')).toBe('after\n');
});

it('[CHG21] the patch of all files ends with a whole file where it is too long', async () => {
  await using rig = workspaceRig();
  const { text, isCut } = await patchOf(rig, () => {
    for (const name of ['a', 'b', 'c']) rig.write(name, `${name.repeat(69)}\n`.repeat(100_000));
  });
  expect(isCut).toBe(true);
  expect(text.match(/^diff --git .*$/gm)).toEqual(['diff --git a/a b/a', 'diff --git a/b b/b']);
  writeFileSync(join(rig.base, 'all.patch'), text);
  for (const name of ['a', 'b', 'c']) rig.remove(name);
  rig.git('apply', join(rig.base, 'all.patch'));
});

it('[CHG7] tells as many lines around a change as are asked for', async () => {
  await using rig = workspaceRig();
  const lines = Array.from({ length: 40 }, (_, line) => `line ${line}\n`);
  rig.write('file', lines.join(''));
  const span = await patchOf(rig, () => rig.write('file', lines.with(20, 'changed\n').join('')));
  for (const [context, count] of [
    [0, 3],
    [1, 5],
    [undefined, 9],
    [1_000_000, 42],
  ] as const) {
    const { text } = accepted(await rig.workspaces.patch(rig.place, span, 'file', context));
    expect(text.trimEnd().split('\n')).toHaveLength(count);
    expect(accepted(await rig.workspaces.patch(rig.place, span, undefined, context)).text).toContain(text);
  }
});

it('[CHG22] says which files a program has written, by their names and as .gitattributes says', async () => {
  await using rig = workspaceRig();
  rig.write('.gitattributes', 'out/** linguist-generated\nsrc/yarn.lock -linguist-generated\n');
  rig.write('deep/.gitattributes', '*.txt linguist-generated=true\nplain.txt linguist-generated=false\n');
  const { before, after } = await patchOf(rig, () => {
    for (const path of [
      'package-lock.json',
      'web/app.min.js',
      'out/a b',
      'src/yarn.lock',
      'src/lock.ts',
      'deep/er/x.txt',
      'deep/plain.txt',
      'plain.txt',
      'app.map.ts',
    ])
      rig.write(path, 'x\n');
  });
  const { files } = accepted(await rig.workspaces.changes(rig.place, { before, after }));
  expect(files.filter(({ isGenerated }) => isGenerated).map(({ path }) => path)).toEqual([
    'deep/er/x.txt',
    'out/a b',
    'package-lock.json',
    'web/app.min.js',
  ]);
});

it('[CHG23] the patch of a further file starts git once, and a list that was told is not made again', async () => {
  await using rig = workspaceRig();
  const notes = join(rig.base, 'notes');
  mkdirSync(join(rig.base, 'programs'));
  const program = join(rig.base, 'programs/git');
  writeFileSync(program, `#!/bin/sh\necho >> '${notes}'\nPATH=\${PATH#*:} exec git "$@"\n`);
  chmodSync(program, 0o755);
  const workspaces = rig.reopened({ path: `${join(rig.base, 'programs')}:${process.env.PATH}` });
  const started = async (work: () => Promise<unknown>): Promise<number> => {
    writeFileSync(notes, '');
    await work();
    return readFileSync(notes).length;
  };
  for (let file = 0; file < 9; file += 1) rig.write(`f${file}`, 'before\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  const span = await patchOf(
    rig,
    () => {
      for (let file = 0; file < 9; file += 1) rig.write(`f${file}`, 'after\n');
    },
    workspaces,
  );
  for (const before of [span.before, 'commit']) {
    const { before: point, after } = accepted(await workspaces.changes(rig.place, { ...span, before }));
    const again = { before: point, after };
    expect(await started(() => workspaces.changes(rig.place, again))).toBe(0);
    expect(await started(() => workspaces.patch(rig.place, again, 'f7'))).toBe(1);
    expect(await started(() => workspaces.patch(rig.place, again, 'f8'))).toBe(1);
  }
  // One walk tells that nothing has changed, also beside what is not recorded and what is ignored and all the same in the repository.
  rig.write('.gitignore', 'ignored\n');
  rig.write('ignored', 'tracked\n');
  rig.git('add', '-f', 'ignored');
  rig.write('nested/.git/HEAD', 'ref: refs/heads/main\n');
  mkdirSync(join(rig.tree, 'nested/.git/objects'));
  mkdirSync(join(rig.tree, 'nested/.git/refs'));
  const recorded = accepted(await workspaces.record(rig.place));
  expect(recorded.unrecorded.map(({ path }) => String(path))).toEqual(['nested/']);
  expect(await started(() => workspaces.record(rig.place))).toBe(1);
  rig.write('f1', 'changed\n');
  expect(await started(() => workspaces.record(rig.place))).toBe(3);
  rig.write('ignored', 'changed\n');
  const changed = accepted(await workspaces.record(rig.place));
  const told = accepted(await workspaces.changes(rig.place, { before: recorded.id, after: changed.id }));
  expect(told.files.map(({ path }) => path)).toEqual(['f1', 'ignored']);
});
