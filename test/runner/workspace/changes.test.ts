import { chmodSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accepted, workspaceRig } from './repositories.ts';

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');

it('[CHG7] tells each changed file with what kind of change it is, its lines, and its patch', async () => {
  await using rig = workspaceRig();
  rig.write('edited', lines(50, 'line'));
  rig.write('moved-from', lines(40, 'move'));
  rig.write('gone', lines(3, 'gone'));
  rig.write('script', 'echo\n');
  rig.write('becomes-link', 'text\n');
  rig.write('picture.png', Buffer.from([0x89, 0x50, 0, 1]));
  const before = accepted(await rig.workspaces.record(rig.place)).id;
  rig.write('edited', lines(50, 'line').replace('line 20\n', 'line twenty\nand more\n'));
  renameSync(join(rig.tree, 'moved-from'), join(rig.tree, 'moved-to'));
  rig.remove('gone');
  rig.write('new/file', lines(2, 'new'));
  chmodSync(join(rig.tree, 'script'), 0o755);
  rig.remove('becomes-link');
  symlinkSync('/etc/passwd', join(rig.tree, 'becomes-link'));
  rig.write('picture.png', Buffer.from([0x89, 0x50, 0, 2]));
  const after = accepted(await rig.workspaces.record(rig.place)).id;

  const span = { before, after };
  const { files, isAll, unrecorded } = accepted(await rig.workspaces.changes(rig.place, span));
  expect({ isAll, unrecorded }).toEqual({ isAll: true, unrecorded: [] });
  expect(Object.fromEntries(files.map(({ path, content: _, ...rest }) => [path, rest]))).toEqual({
    edited: { kind: 'modified', added: 2, removed: 1, isLink: false },
    'moved-to': { kind: 'moved', movedFrom: 'moved-from', added: 0, removed: 0, isLink: false },
    gone: { kind: 'deleted', added: 0, removed: 3, isLink: false },
    'new/file': { kind: 'added', added: 2, removed: 0, isLink: false },
    script: { kind: 'mode', added: 0, removed: 0, isLink: false },
    'becomes-link': { kind: 'type', added: 1, removed: 1, isLink: true },
    'picture.png': { kind: 'modified', added: null, removed: null, isLink: false, mediaType: 'image/png' },
  });
  expect(files.filter(({ content }) => content === null).map(({ path }) => path)).toEqual(['gone']);

  const patch = async (path: string) => accepted(await rig.workspaces.patch(rig.place, span, path));
  expect(await patch('edited')).toEqual({
    text: [
      ...['@@ -18,7 +18,8 @@ line 16', ' line 17', ' line 18', ' line 19', '-line 20'],
      ...['+line twenty', '+and more', ' line 21', ' line 22', ' line 23', ''],
    ].join('\n'),
    isCut: false,
    isBinary: false,
  });
  expect((await patch('new/file')).text).toBe('@@ -0,0 +1,2 @@\n+new 0\n+new 1\n');
  expect((await patch('gone')).text).toContain('-gone 2\n');
  expect(await patch('script')).toEqual({ text: '', isCut: false, isBinary: false });
  expect(await patch('picture.png')).toEqual({ text: '', isCut: false, isBinary: true });
  expect((await patch('becomes-link')).text).not.toContain('root:');
  expect(await rig.workspaces.patch(rig.place, span, 'never')).toMatchObject({
    refusal: { code: 'invalid_value' },
  });
  const picture = await rig.workspaces.content(rig.place, before, 'picture.png');
  expect([...(accepted(picture) ?? [])]).toEqual([0x89, 0x50, 0, 1]);
});

it('[CHG7] cuts a patch that is too long, and finds nothing under ids that are no recordings', async () => {
  await using rig = workspaceRig();
  const before = accepted(await rig.workspaces.record(rig.place)).id;
  rig.write('long', lines(200_000, 'a long line'));
  const recorded = accepted(await rig.workspaces.record(rig.place));
  const span = { before, after: recorded.id };
  expect(accepted(await rig.workspaces.changes(rig.place, span)).files).toMatchObject([{ added: 200_000 }]);
  const { text, isCut } = accepted(await rig.workspaces.patch(rig.place, span, 'long'));
  expect(isCut).toBe(true);
  expect(text.length).toBeLessThan(2_200_000);
  for (const id of [recorded.tree, '0'.repeat(40), 'HEAD', '--help', '']) {
    expect(await rig.workspaces.changes(rig.place, { before, after: id })).toMatchObject({
      refusal: { code: 'recording_not_found' },
    });
  }
});
