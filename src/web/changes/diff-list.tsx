import {
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ChangedFile } from '../../protocol/changes.ts';
import { useT } from '../i18n/i18n.ts';
import { useVirtualList } from '../pages/session/use-virtual-list.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import {
  annotatedByPath,
  type DiffLayout,
  type FileView,
  isChangeStart,
  type LineKey,
  type LineRange,
  type Row,
  RowReader,
} from './diff-rows.logic.ts';
import { FileHeader, FileNote, GapLine, type LineDress, SplitLine, UnifiedLine } from './file-diff.tsx';
import { ImagePair } from './image-pair.tsx';
import { LineColours } from './line-colours.ts';
import { usePicking } from './line-picking.ts';
import { marksIn, type PatchLine } from './patch-lines.logic.ts';
import type { PatchStore } from './patch-store.ts';
import type { FileFolds } from './use-file-folds.ts';

/** What a review adds to the lines and files that are shown. */
export interface ReviewSlots {
  /** Stands under the line that its key names; see `lineKey`. */
  readonly annotations?: ReadonlyMap<LineKey, ReactNode>;
  /** Lines that are set apart, as those that a comment is being written on. */
  readonly picked?: LineRange | null;
  /** Lines were picked by their numbers; `quote` is what they hold. Without it numbers cannot be pressed. */
  readonly onPick?: (range: LineRange, quote: string) => void;
  /** In front of a file's name, in its header; a list of files has it, too. */
  readonly fileMark?: (file: ChangedFile) => ReactNode;
}

export interface DiffListHandle {
  toFile(path: string): void;
  toLine(key: LineKey): void;
  /** To the change before or after the one in view. */
  toChange(step: -1 | 1): void;
}

interface DiffListProps extends ReviewSlots {
  readonly ref: Ref<DiffListHandle>;
  readonly files: readonly ChangedFile[];
  readonly outside: ReadonlyMap<string, 'only' | 'also'>;
  readonly points: { readonly before: string; readonly after: string };
  readonly sessionId: string;
  readonly store: PatchStore;
  readonly folds: FileFolds;
  readonly layout: DiffLayout;
  readonly fileActions?: (file: ChangedFile) => ReactNode;
  /** What stands below all files. */
  readonly end?: ReactNode;
  /** The file whose lines are at the top. */
  readonly onCurrent: (path: string) => void;
}

const listKind = { padding: 0, followsEnd: false } as const;

/** The changes of all files, one under the other: only what is in view is drawn, and its patches asked for. */
export function DiffList({
  ref,
  files,
  outside,
  points,
  sessionId,
  store,
  folds,
  layout,
  annotations,
  picked,
  onPick,
  fileMark,
  fileActions,
  end,
  onCurrent,
}: DiffListProps) {
  const t = useT();
  const box = useRef<HTMLElement>(null);
  const [reader] = useState(() => new RowReader());
  const [colours] = useState(() => new LineColours());
  const version = useSyncExternalStore(store.subscribe, () => store.version);
  useSyncExternalStore(colours.subscribe, () => colours.version);
  const annotated = useMemo(() => annotatedByPath(annotations?.keys() ?? []), [annotations]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version tells when the store has something else
  const read = useMemo(
    () =>
      reader.read(
        files.map(
          (file): FileView => ({
            file,
            isFolded: folds.isFolded(file),
            patch: store.of(file.path),
            layout,
            opened: folds.openedIn(file.path),
            annotated: annotated.get(file.path),
          }),
        ),
      ),
    [reader, files, folds, store, version, layout, annotated],
  );
  const drawn = useRef<readonly Row[]>([]);
  const isPressed = usePressed(box);
  // Nothing moves under a finger that is down.
  const rows = isPressed ? drawn.current : read;
  const list = useVirtualList(box, rows, rows === drawn.current ? rows.length : 0, listKind);
  useEffect(() => {
    drawn.current = rows;
  });
  const { from, to, start } = list.range();
  const inView = rows.slice(from, to);

  const wanted = filesOf(inView).filter((file) => !folds.isFolded(file) && file.added !== null);
  useEffect(() => {
    store.show(wanted.map((file) => ({ file, isWhole: folds.openedIn(file.path).length > 0 })));
  });
  const current = rows[list.firstInView]?.file.path ?? '';
  useEffect(() => onCurrent(current), [onCurrent, current]);

  const jumped = useRef('');
  const go = (key: string, align: 'start' | 'center'): void => {
    jumped.current = key;
    list.toEntry(key, align);
  };
  useImperativeHandle(ref, () => ({
    toFile: (path) => go(`file:${path}`, 'start'),
    toLine: (key) => go(`annotation:${key}`, 'center'),
    toChange(step) {
      const last = rows.findIndex(({ key }) => key === jumped.current);
      const isHere = last >= list.firstInView && last <= list.lastInView;
      for (let at = (isHere ? last : list.firstInView) + step; at >= 0 && at < rows.length; at += step) {
        const row = rows[at];
        if (row === undefined || !(isChangeStart(rows, at) || isUnread(row))) continue;
        go(row.key, isUnread(row) ? 'start' : 'center');
        return;
      }
    },
  }));

  const picking = usePicking(rows, onPick);
  const isPicked = (line: PatchLine | undefined, path: string, side?: 'before' | 'after'): boolean =>
    [picking.range, picked].some((range) => {
      if (range === null || range === undefined || range.path !== path) return false;
      if (side !== undefined && side !== range.side) return false;
      const number = range.side === 'before' ? line?.before : line?.after;
      return typeof number === 'number' && number >= range.from && number <= range.to;
    });
  const firstLine = list.firstInView + rows.slice(list.firstInView, to).findIndex(isLines);
  const dress = (row: LinesRow, at: number, index: number, side?: 'before' | 'after'): LineDress => {
    const line = row.patch.lines[at];
    return {
      pieces: line === undefined ? undefined : colours.of(row.patch, at, row.file.path),
      marks: line === undefined ? [] : marksIn(row.patch.lines, line),
      isPicked: isPicked(line, row.file.path, side),
      canPick: onPick !== undefined,
      isFirst: index === firstLine && side !== 'before',
    };
  };
  const body = (row: Row, index: number): ReactNode => {
    switch (row.is) {
      case 'file':
        return null;
      case 'line': {
        const line = row.patch.lines[row.at];
        return line && <UnifiedLine line={line} {...dress(row, row.at, index)} />;
      }
      case 'pair': {
        const [before, after] = row.pair;
        return (
          <SplitLine
            before={row.patch.lines[before]}
            after={row.patch.lines[after]}
            beforeDress={dress(row, before, index, 'before')}
            afterDress={dress(row, after, index, 'after')}
          />
        );
      }
      case 'gap':
        return (
          <GapLine
            lines={row.lines}
            onOpen={(lines) => {
              keepFocus();
              folds.open(row.file.path, lines);
            }}
          />
        );
      case 'annotation':
        return <div className="font-sans">{annotations?.get(row.line)}</div>;
      case 'image':
        return <ImagePair sessionId={sessionId} file={row.file} points={points} />;
      case 'note':
        return (
          <Note row={row} error={errorOf(store, row.file.path)} onRetry={() => store.retry(row.file.path)} />
        );
    }
  };

  const keepFocus = useFocusKept(box);
  const watch = useCallback((element: HTMLElement | null) => list.watch(element), [list]);
  const sections = sectionsOf(rows, from, to);
  const first = sections[0];
  // A file that begins above what is drawn has its header all the same.
  const above = first === undefined || first.header >= from ? 0 : list.heightOf(first.header);
  return (
    <section
      ref={box}
      aria-label={t('changes.lines')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keys
      tabIndex={0}
      className="relative min-h-0 flex-1 overflow-y-auto bg-surface outline-offset-[-2px] [overflow-anchor:none]"
    >
      <div
        className="relative w-full font-mono text-xs leading-5 pointer-coarse:leading-6"
        style={{ height: list.height }}
        {...picking.handlers}
      >
        <div className="absolute inset-x-0" style={{ top: start - above }}>
          {sections.map(({ header, file, from: begin, to: finish }) => {
            const isDrawn = header >= from;
            const head = rows[header];
            return (
              <section key={file.path} aria-label={file.path}>
                <div
                  ref={isDrawn ? watch : null}
                  data-index={isDrawn ? header : undefined}
                  data-file={file.path}
                  className="sticky top-0 z-10 font-sans"
                >
                  <FileHeader
                    file={file}
                    isFolded={head?.is === 'file' && head.isFolded}
                    outside={outside.get(file.path)}
                    mark={fileMark?.(file)}
                    actions={fileActions?.(file)}
                    onFold={folds.fold}
                  />
                </div>
                {rows.slice(begin, finish).map((row, at) => (
                  <div
                    key={row.key}
                    ref={watch}
                    data-index={begin + at}
                    data-row={isLines(row) || undefined}
                    className={cx(row.is === 'note' && 'font-sans')}
                  >
                    {body(row, begin + at)}
                  </div>
                ))}
              </section>
            );
          })}
        </div>
      </div>
      {end}
    </section>
  );
}

/** What has the focus may no longer be drawn: then the box has it, or its keys would no longer be heard. */
function useFocusKept(box: RefObject<HTMLElement | null>): () => void {
  const keep = useCallback(() => box.current?.focus({ preventScroll: true }), [box]);
  const focused = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (focused.current?.isConnected === false && document.activeElement === document.body) keep();
    const { activeElement } = document;
    focused.current = box.current?.contains(activeElement) === true ? activeElement : null;
  });
  return keep;
}

/** Whether a pointer is down in the box; until what was pressed has heard of it. */
function usePressed(box: RefObject<HTMLElement | null>): boolean {
  const [isPressed, setPressed] = useState(false);
  useEffect(() => {
    const over = new AbortController();
    const listen = { capture: true, passive: true, signal: over.signal };
    let timer: ReturnType<typeof setTimeout> | undefined;
    box.current?.addEventListener(
      'pointerdown',
      () => {
        clearTimeout(timer);
        setPressed(true);
      },
      listen,
    );
    const release = (): void => {
      timer = setTimeout(() => setPressed(false));
    };
    window.addEventListener('pointerup', release, listen);
    window.addEventListener('pointercancel', release, listen);
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [box]);
  return isPressed;
}

type LinesRow = Extract<Row, { is: 'line' | 'pair' }>;
const isLines = (row: Row): row is LinesRow => row.is === 'line' || row.is === 'pair';
const isUnread = (row: Row): boolean => row.is === 'note' && row.note === 'loading';
const filesOf = (rows: readonly Row[]): ChangedFile[] => [...new Set(rows.map(({ file }) => file))];

const errorOf = (store: PatchStore, path: string): unknown => {
  const patch = store.of(path);
  return patch.is === 'failed' ? patch.error : null;
};

interface Section {
  readonly file: ChangedFile;
  /** Where its header stands, which may be above what is drawn. */
  readonly header: number;
  readonly from: number;
  readonly to: number;
}

/** What is drawn, file by file. */
function sectionsOf(rows: readonly Row[], from: number, to: number): Section[] {
  const sections: Section[] = [];
  for (let at = from; at < to; ) {
    const row = rows[at];
    if (row === undefined) break;
    let header = at;
    while (header > 0 && rows[header]?.is !== 'file') header -= 1;
    const begin = Math.max(at, header + 1);
    let end = begin;
    while (end < to && rows[end]?.file === row.file && rows[end]?.is !== 'file') end += 1;
    sections.push({ file: row.file, header, from: begin, to: end });
    at = end;
  }
  return sections;
}

function Note({
  row,
  error,
  onRetry,
}: {
  readonly row: Extract<Row, { is: 'note' }>;
  readonly error: unknown;
  readonly onRetry: () => void;
}) {
  const t = useT();
  if (row.note === 'loading')
    return (
      <div className="overflow-hidden p-3" style={{ height: row.estimate }}>
        <Skeleton className="h-3 w-2/3" />
      </div>
    );
  if (row.note !== 'failed') return <FileNote says={`changes.note.${row.note}`} />;
  return (
    <FileNote says="changes.note.failed">
      {errorText(t, error)}
      <Button size="sm" onClick={onRetry}>
        {t('changes.again')}
      </Button>
    </FileNote>
  );
}
