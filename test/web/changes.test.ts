import { describe, expect, it } from 'vitest';
import type { ChangedFile, SessionChanges } from '../../src/protocol/changes.ts';
import { filesMatching, outsideOf, treeOf } from '../../src/web/changes/changes.logic.ts';
import { ChangesReader } from '../../src/web/changes/changes-reader.ts';
import {
  type FileView,
  foldReason,
  lineKey,
  type Row,
  RowReader,
} from '../../src/web/changes/diff-rows.logic.ts';
import {
  folded,
  marksIn,
  type PatchLines,
  readPatch,
  type Shown,
} from '../../src/web/changes/patch-lines.logic.ts';
import { PatchStore } from '../../src/web/changes/patch-store.ts';

const aFile = (path: string, changes: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  kind: 'modified',
  added: 1,
  removed: 1,
  isLink: false,
  content: 'c1',
  ...changes,
});

const someChanges = (
  files: readonly ChangedFile[],
  changes: Partial<SessionChanges> = {},
): SessionChanges => ({
  before: 'a'.repeat(40),
  after: 'b'.repeat(40),
  files: [...files],
  isAll: true,
  unrecorded: [],
  since: 'start',
  turnId: null,
  isLive: false,
  between: [],
  both: [],
  turns: [],
  root: '/work',
  branch: 'main',
  ...changes,
});

/** What of it is seen, in short: `12` unchanged, `-12`, `+12`, `[3..9]` left out. */
const told = (patch: PatchLines, isOpened: Parameters<typeof folded>[1] = () => false): string =>
  folded(patch, isOpened)
    .map((shown: Shown) => {
      if (shown.is === 'gap') return `[${shown.lines.from}..${shown.lines.to}]`;
      const { sign, before, after } = patch.lines[shown.at] ?? {};
      return sign === '-' ? `-${before}` : sign === '+' ? `+${after}` : String(after);
    })
    .join(' ');

const edited = '@@ -9,7 +9,7 @@ fn\n 9\n 10\n 11\n-twelve\n+a dozen\n 13\n 14\n 15\n';

describe('the lines of a patch', () => {
  it('[CHG27] have their numbers before and after, and say which are left out', () => {
    expect(told(readPatch(edited, false))).toBe('[1..8] 9 10 11 -12 +12 13 14 15 [16..Infinity]');
  });

  it('[CHG27] are told whole for a file that came, one that went, and one that ends without a break', () => {
    const added = readPatch('@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n', false);
    expect(told(added)).toBe('+1 +2');
    expect(added.lines.map(({ isUnended }) => isUnended)).toEqual([false, true]);
    expect(told(readPatch('@@ -1,2 +0,0 @@\n-a\n-b\n', false))).toBe('-1 -2');
  });

  it('[CHG27] that look like headings of a patch are lines all the same', () => {
    const lines = readPatch('@@ -1,2 +1,2 @@\n-@@ -1 +1 @@\n+--- a\n \\ no\n', false).lines;
    expect(lines.map(({ sign, text }) => sign + text)).toEqual(['-@@ -1 +1 @@', '+--- a', ' \\ no']);
  });

  it('[CHG27] are marked in the words that differ', () => {
    const { lines } = readPatch('@@ -1,1 +1,1 @@\n-let count = 1;\n+let count = 2;\n', false);
    const marked = lines.map((line) => marksIn(lines, line).map(([from, to]) => line.text.slice(from, to)));
    expect(marked).toEqual([['1'], ['2']]);
  });

  it('[CHG27] are unfolded by their numbers before, whatever else is done to the file', () => {
    const whole = (text: string): PatchLines => readPatch(text, true);
    const lines = Array.from({ length: 20 }, (_, at) => ` ${at + 1}\n`);
    const opened = ({ before }: { before: number | null }): boolean =>
      before !== null && before >= 5 && before <= 6;
    const patch = `@@ -1,20 +1,21 @@\n+new\n${lines.join('')}`;
    expect(told(whole(patch), opened)).toBe('+1 2 3 4 5 6 7 [7..20]');
    const further = `@@ -1,20 +1,22 @@\n+new\n+newer\n${lines.join('')}`;
    expect(told(whole(further), opened)).toBe('+1 +2 3 4 5 6 7 8 [7..20]');
  });

  it('[CHG25] that stay as they are stay the same lines when the file changes again', () => {
    const first = readPatch(edited, false);
    const second = readPatch(
      '@@ -1,3 +1,4 @@\n+zero\n 1\n 2\n 3\n@@ -9,7 +10,7 @@ fn\n 9\n 10\n 11\n-twelve\n+a dozen\n 13\n 14\n 15\n',
      false,
      first,
    );
    const keyOf = (patch: PatchLines, text: string) => patch.lines.find((line) => line.text === text)?.key;
    for (const text of ['9', 'twelve', 'a dozen', '15']) expect(keyOf(second, text)).toBe(keyOf(first, text));
    expect(new Set(second.lines.map(({ key }) => key)).size).toBe(second.lines.length);
    const whole = readPatch('@@ -1,1 +1,1 @@\n-a\n+b\n', true, readPatch('@@ -1,1 +1,1 @@\n-a\n+b\n', false));
    expect(new Set(whole.lines.map(({ key }) => key)).size).toBe(2);
  });
});

describe('the rows of all files', () => {
  const view = (file: ChangedFile, more: Partial<FileView> = {}): FileView => ({
    file,
    isFolded: foldReason(file) !== null,
    patch: { is: 'there', patch: readPatch(edited, false), isCut: false, isBinary: false },
    layout: 'unified',
    opened: [],
    annotated: undefined,
    ...more,
  });
  const kinds = (rows: readonly Row[]): string => rows.map(({ is }) => is).join(' ');

  it('[CHG27] fold what a program wrote, what is no text, and what is very long', () => {
    const rows = new RowReader().read([
      view(aFile('package-lock.json', { isGenerated: true })),
      view(aFile('a.bin', { added: null, removed: null })),
      view(aFile('huge.sql', { added: 50_000 })),
      view(aFile('picture.png', { added: null, removed: null, mediaType: 'image/png' })),
    ]);
    expect(kinds(rows)).toBe('file file file file image');
  });

  it('[CHG27] stand side by side, what goes beside what comes', () => {
    const rows = new RowReader().read([view(aFile('a.ts'), { layout: 'split' })]);
    const pairs = rows.flatMap((row) => (row.is === 'pair' ? [row.pair] : []));
    expect(pairs).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 4],
      [5, 5],
      [6, 6],
      [7, 7],
    ]);
  });

  it('[CHG29] have what is annotated under the line that it belongs to', () => {
    const at = lineKey('a.ts', 'before', 12);
    const [unified, split] = (['unified', 'split'] as const).map((layout) =>
      new RowReader().read([view(aFile('a.ts'), { layout, annotated: new Set([at]) })]),
    );
    expect(kinds(unified ?? [])).toBe('file gap line line line line annotation line line line line gap');
    expect(kinds(split ?? [])).toBe('file gap pair pair pair pair annotation pair pair pair gap');
  });

  it('[CHG28] of a file are made anew only when something of it changed', () => {
    const reader = new RowReader();
    const views = [view(aFile('a.ts')), view(aFile('b.ts'))];
    const first = reader.read(views);
    expect(reader.read(views.map((each) => ({ ...each })))).toBe(first);
    const second = reader.read(views.map((each) => ({ ...each, isFolded: each.file.path === 'b.ts' })));
    expect(second[1]).toBe(first[1]);
    expect(second.length).toBeLessThan(first.length);
  });
});

describe('the list of files', () => {
  const files = ['docs/a.md', 'src/web/one/x.ts', 'src/web/one/y.ts', 'z.ts'].map((path) => aFile(path));

  it('[CHG26] has directories once, several in one row where nothing else is in them, and can close them', () => {
    const rows = (closed: string[]) =>
      treeOf(files, new Set(closed)).map(
        (row) => `${' '.repeat(row.depth)}${row.is === 'file' ? row.file.path : row.name}`,
      );
    expect(rows([])).toEqual([
      'docs',
      ' docs/a.md',
      'src/web/one',
      ' src/web/one/x.ts',
      ' src/web/one/y.ts',
      'z.ts',
    ]);
    expect(rows(['src/web/one/'])).toEqual(['docs', ' docs/a.md', 'src/web/one', 'z.ts']);
  });

  it('[CHG26] is filtered by letters, and by whether a file changed outside of the agent’s turns', () => {
    const outside = outsideOf({ between: ['docs/a.md'], both: ['z.ts'] });
    const found = (query: string, whose: 'all' | 'turns' | 'outside') =>
      filesMatching(files, query, whose, outside).map(({ path }) => path);
    expect(found('ONE y', 'all')).toEqual(['src/web/one/y.ts']);
    expect(found('', 'turns')).toEqual(['src/web/one/x.ts', 'src/web/one/y.ts', 'z.ts']);
    expect(found('', 'outside')).toEqual(['docs/a.md', 'z.ts']);
  });
});

describe('what is asked of the server', () => {
  function inHand() {
    let now = 0;
    const timers: { at: number; call: () => void }[] = [];
    const asked: PromiseWithResolvers<SessionChanges>[] = [];
    const reader = new ChangesReader(
      () => {
        const question = Promise.withResolvers<SessionChanges>();
        asked.push(question);
        return question.promise;
      },
      {
        now: () => now,
        after(ms, call) {
          const timer = { at: now + ms, call };
          timers.push(timer);
          return () => timers.splice(timers.indexOf(timer), 1);
        },
      },
    );
    const pass = (ms: number): void => {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.call();
      }
    };
    const answer = async (changes: SessionChanges): Promise<void> => {
      asked.at(-1)?.resolve(changes);
      await new Promise(setImmediate);
    };
    return { reader, asked, pass, answer };
  }

  it('[CHG25] is asked once at a time, with a pause, and once more for all that happened meanwhile', async () => {
    const { reader, asked, pass, answer } = inHand();
    for (let news = 0; news < 50; news += 1) reader.news();
    expect(asked).toHaveLength(1);
    pass(700);
    await answer(someChanges([]));
    expect(asked).toHaveLength(1);
    pass(1_399);
    expect(asked).toHaveLength(1);
    pass(1);
    expect(asked).toHaveLength(2);
    await answer(someChanges([]));
    pass(60_000);
    expect(asked).toHaveLength(2);
  });

  it('[CHG31] what was told last stays when the next cannot be had, and is said to be old', async () => {
    const { reader, asked, answer } = inHand();
    reader.news();
    await answer(someChanges([aFile('a.ts')]));
    reader.again();
    asked.at(-1)?.reject(new Error('gone'));
    await new Promise(setImmediate);
    expect(reader.state).toMatchObject({ error: new Error('gone'), isAsking: false });
    expect(reader.state.changes?.files).toHaveLength(1);
  });

  it('[CHG28] a patch is asked for when its file is in view, and again only when the file holds something else', async () => {
    const asked: string[] = [];
    const store = new PatchStore(async ({ path = '', after }) => {
      asked.push(`${path} ${after[0]}`);
      return { text: edited, isCut: false, isBinary: false };
    });
    const settle = (): Promise<void> => new Promise(setImmediate);
    const [one, two] = [aFile('1'), aFile('2')];
    const paths = new Set(['1', '2']);
    store.compare('a', 'b', paths);
    store.show([{ file: one, isWhole: false }]);
    await settle();
    store.compare('a', 'c', paths);
    const edit = { ...one, content: 'c2' };
    store.show([
      { file: one, isWhole: false },
      { file: two, isWhole: false },
    ]);
    await settle();
    store.show([{ file: edit, isWhole: false }]);
    expect(store.of('1').is).toBe('there');
    await settle();
    expect(asked).toEqual(['1 b', '2 c', '1 c']);
    store.compare('d', 'e', paths);
    expect(store.of('1').is).toBe('loading');
  });

  it('[CHG28] no more than three patches are asked for at a time, and none for what has left the view', async () => {
    const asked: string[] = [];
    const held: PromiseWithResolvers<void>[] = [];
    const store = new PatchStore(async ({ path = '' }) => {
      asked.push(path);
      const hold = Promise.withResolvers<void>();
      held.push(hold);
      await hold.promise;
      return { text: '', isCut: false, isBinary: false };
    });
    const files = Array.from({ length: 100 }, (_, at) => aFile(`${at}`));
    store.compare('a', 'b', new Set(files.map(({ path }) => path)));
    store.show(files.slice(0, 50).map((file) => ({ file, isWhole: false })));
    store.show(files.slice(90).map((file) => ({ file, isWhole: false })));
    for (const hold of held.splice(0)) hold.resolve();
    await new Promise(setImmediate);
    expect(asked).toEqual(['0', '1', '2', '90', '91', '92']);
    for (const hold of held) hold.resolve();
  });
});
