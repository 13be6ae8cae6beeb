import type { ChangedFile } from '../../protocol/changes.ts';
import type { Placed } from '../conversation/list-layout.logic.ts';
import {
  type Beside,
  beside,
  folded,
  type PatchLine,
  type PatchLines,
  type Shown,
  type Unchanged,
} from './patch-lines.logic.ts';

export type Side = 'before' | 'after';

/** Names a line of a file, as it was before or as it is after. */
export type LineKey = `${Side}:${number}:${string}`;
export const lineKey = (path: string, side: Side, line: number): LineKey => `${side}:${line}:${path}`;

/** Lines of one side of a file, from the first to the last. */
export interface LineRange {
  readonly path: string;
  readonly side: Side;
  readonly from: number;
  readonly to: number;
}

export type DiffLayout = 'unified' | 'split';

/** What is known of one file's patch. */
export type FilePatch =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly error: unknown }
  | {
      readonly is: 'there';
      readonly patch: PatchLines;
      readonly isCut: boolean;
      readonly isBinary: boolean;
    };

interface RowOfFile extends Placed {
  readonly file: ChangedFile;
}
type Note = 'binary' | 'mode' | 'moved' | 'same' | 'cut' | 'failed' | 'loading' | 'empty';
export type Row = RowOfFile &
  (
    | { readonly is: 'file'; readonly isFolded: boolean }
    | { readonly is: 'note'; readonly note: Note }
    | { readonly is: 'image' }
    | { readonly is: 'line'; readonly patch: PatchLines; readonly at: number }
    | { readonly is: 'pair'; readonly patch: PatchLines; readonly pair: Beside }
    | { readonly is: 'gap'; readonly lines: Unchanged }
    | { readonly is: 'annotation'; readonly line: LineKey }
  );

const lineHeight = 20;
const heights = { file: 40, note: 40, image: 240, gap: 28, annotation: 120 } as const;

/** Longer changes are opened by a press. */
const longestOpen = 3_000;

/** Why a file is folded until somebody opens it. */
export function foldReason(file: ChangedFile): 'generated' | 'binary' | 'long' | null {
  if (file.isGenerated === true) return 'generated';
  if (file.added === null && file.mediaType === undefined) return 'binary';
  return (file.added ?? 0) + (file.removed ?? 0) > longestOpen ? 'long' : null;
}

/** How one file is to be drawn. The same value as long as nothing of it changed. */
export interface FileView {
  readonly file: ChangedFile;
  readonly isFolded: boolean;
  readonly patch: FilePatch;
  readonly layout: DiffLayout;
  readonly opened: readonly Unchanged[];
  readonly annotated: ReadonlySet<LineKey> | undefined;
}

/** The rows of all files, one under the other; those of a file are made anew only when something of it changed. */
export class RowReader {
  readonly #known = new Map<string, { readonly view: FileView; readonly rows: readonly Row[] }>();
  #rows: readonly Row[] = [];

  read(views: readonly FileView[]): readonly Row[] {
    let isNews = this.#known.size !== views.length;
    const paths = new Set<string>();
    const all = views.map((view) => {
      paths.add(view.file.path);
      const known = this.#known.get(view.file.path);
      if (known !== undefined && isSame(known.view, view)) return known.rows;
      isNews = true;
      const rows = rowsOf(view);
      this.#known.set(view.file.path, { view, rows });
      return rows;
    });
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path);
    if (isNews) this.#rows = all.flat();
    return this.#rows;
  }
}

const isSame = (a: FileView, b: FileView): boolean =>
  a.file === b.file &&
  a.isFolded === b.isFolded &&
  a.patch === b.patch &&
  a.layout === b.layout &&
  a.opened === b.opened &&
  a.annotated === b.annotated;

function rowsOf(view: FileView): readonly Row[] {
  const { file, isFolded } = view;
  const head: Row = { is: 'file', key: `file:${file.path}`, estimate: heights.file, file, isFolded };
  return isFolded ? [head] : [head, ...bodyOf(view)];
}

function bodyOf(view: FileView): Row[] {
  const { file, patch, layout } = view;
  const note = (name: Note, estimate: number = heights.note): Row => ({
    is: 'note',
    key: `note:${name}:${file.path}`,
    estimate,
    file,
    note: name,
  });
  if (file.mediaType !== undefined && file.added === null)
    return [{ is: 'image', key: `image:${file.path}`, estimate: heights.image, file }];
  if (patch.is === 'failed') return [note('failed')];
  if (patch.is === 'loading') {
    const lines = (file.added ?? 0) + (file.removed ?? 0) + (file.kind === 'modified' ? 6 : 0);
    return [note('loading', Math.max(heights.note, lines * lineHeight))];
  }
  if (patch.isBinary || file.added === null) return [note('binary')];
  if (patch.patch.lines.length === 0) return [note(emptyNote(file))];
  const rows = layout === 'split' ? pairRows(view, patch.patch) : lineRows(view, patch.patch);
  return patch.isCut ? [...rows, note('cut')] : rows;
}

/** Why there is no line to show. */
function emptyNote({ kind }: ChangedFile): Note {
  if (kind === 'mode') return 'mode';
  if (kind === 'moved') return 'moved';
  return kind === 'added' || kind === 'deleted' ? 'empty' : 'same';
}

function lineRows(view: FileView, patch: PatchLines): Row[] {
  const { file } = view;
  return shownOf(view, patch).flatMap((shown): Row[] => {
    if (shown.is === 'gap') return [gapRow(view, shown.lines)];
    const line = patch.lines[shown.at];
    if (line === undefined) return [];
    const row: Row = { is: 'line', key: line.key, estimate: lineHeight, file, patch, at: shown.at };
    return [row, ...annotationRows(view, [line], ['before', 'after'])];
  });
}

function pairRows(view: FileView, patch: PatchLines): Row[] {
  const { file } = view;
  const { lines } = patch;
  const rows: Row[] = [];
  let run: { from: number; to: number } | null = null;
  const endRun = (): void => {
    if (run === null) return;
    for (const pair of beside(lines, run.from, run.to)) {
      const [before, after] = [lines[pair[0]], lines[pair[1]]];
      const key = (after ?? before)?.key ?? '';
      rows.push({ is: 'pair', key, estimate: lineHeight, file, patch, pair });
      if (before !== undefined) rows.push(...annotationRows(view, [before], ['before']));
      if (after !== undefined) rows.push(...annotationRows(view, [after], ['after']));
    }
    run = null;
  };
  for (const shown of shownOf(view, patch)) {
    if (shown.is === 'gap') {
      endRun();
      rows.push(gapRow(view, shown.lines));
    } else if (run === null) run = { from: shown.at, to: shown.at + 1 };
    else run.to = shown.at + 1;
  }
  endRun();
  return rows;
}

const shownOf = ({ opened, annotated, file }: FileView, patch: PatchLines): Shown[] =>
  folded(
    patch,
    (line) =>
      opened.some(({ from, to }) => line.before !== null && line.before >= from && line.before <= to) ||
      (annotated !== undefined && keysOf(file.path, line).some((key) => annotated.has(key))),
  );

const gapRow = ({ file }: FileView, lines: Unchanged): Row => ({
  is: 'gap',
  key: `gap:${lines.from}:${file.path}`,
  estimate: heights.gap,
  file,
  lines,
});

const keysOf = (path: string, { before, after }: PatchLine): LineKey[] => [
  ...(before === null ? [] : [lineKey(path, 'before', before)]),
  ...(after === null ? [] : [lineKey(path, 'after', after)]),
];

function annotationRows(
  { file, annotated }: FileView,
  lines: readonly PatchLine[],
  sides: readonly Side[],
): Row[] {
  if (annotated === undefined) return [];
  return lines
    .flatMap((line) => keysOf(file.path, line))
    .filter((key) => annotated.has(key) && sides.some((side) => key.startsWith(`${side}:`)))
    .map((key) => ({
      is: 'annotation',
      key: `annotation:${key}`,
      estimate: heights.annotation,
      file,
      line: key,
    }));
}

/** The lines that something is annotated at, by their file. */
export function annotatedByPath(keys: Iterable<LineKey>): ReadonlyMap<string, ReadonlySet<LineKey>> {
  const found = new Map<string, Set<LineKey>>();
  for (const key of keys) {
    const path = key.replace(/^\w+:\d+:/, '');
    found.set(path, (found.get(path) ?? new Set<LineKey>()).add(key));
  }
  return found;
}

/** Where the rows of a change begin: the first that is added or removed after one that is not. */
export function isChangeStart(rows: readonly Row[], at: number): boolean {
  return isChanged(rows[at]) && !isChanged(rows[at - 1]);
}

function isChanged(row: Row | undefined): boolean {
  if (row?.is === 'line') return row.patch.lines[row.at]?.sign !== ' ';
  if (row?.is === 'pair') return row.pair[0] !== row.pair[1];
  return row?.is === 'image';
}
