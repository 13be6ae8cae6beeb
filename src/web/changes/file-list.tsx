import { ChevronDown, ChevronRight, Search } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { showInvisible } from '../../model/suspicious-text.ts';
import type { ChangedFile } from '../../protocol/changes.ts';
import { useT } from '../i18n/i18n.ts';
import { useVirtualList } from '../pages/session/use-virtual-list.ts';
import { cx } from '../ui/class-names.ts';
import { Input } from '../ui/field.tsx';
import { useMedium } from '../ui/media.ts';
import { type ListedRow, nameOf, treeOf } from './changes.logic.ts';
import { ChangeCount, KindSign } from './file-signs.tsx';

interface FileListProps {
  /** Those that are left by the filter. */
  readonly files: readonly ChangedFile[];
  readonly all: number;
  readonly outside: ReadonlyMap<string, 'only' | 'also'>;
  readonly isTree: boolean;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** The file whose lines are in view. */
  readonly current: string;
  readonly fileMark?: ((file: ChangedFile) => ReactNode) | undefined;
  readonly onChoose: (path: string) => void;
}

const listKind = { padding: 4, followsEnd: false } as const;
const rowHeights = { fine: 28, coarse: 44 } as const;

/** The files that changed, to be gone to; thousands of them, of which those in view are drawn. */
export function FileList({
  files,
  all,
  outside,
  isTree,
  query,
  onQuery,
  current,
  fileMark,
  onChoose,
}: FileListProps) {
  const t = useT();
  const isPhone = useMedium('phone');
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const estimate = rowHeights[isPhone ? 'coarse' : 'fine'];
  const rows = useMemo(() => {
    const listed: readonly ListedRow[] = isTree
      ? treeOf(files, closed)
      : files.map((file) => ({ is: 'file', file, depth: 0 }));
    return listed.map((row) => ({ ...row, key: row.is === 'file' ? row.file.path : row.path, estimate }));
  }, [files, isTree, closed, estimate]);
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<readonly unknown[]>([]);
  const list = useVirtualList(box, rows, rows === drawn.current ? rows.length : 0, listKind);
  useEffect(() => {
    drawn.current = rows;
  });
  useShownInList(list, rows, current);
  const toggle = (path: string): void =>
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  const watch = useCallback((element: HTMLElement | null) => list.watch(element), [list]);
  const { from, to, start } = list.range();
  return (
    <nav aria-label={t('changes.files')} className="flex min-h-0 flex-1 flex-col">
      <div className="relative border-line border-b p-2">
        <Search aria-hidden className="absolute top-4.5 left-4 size-3.5 text-faint pointer-coarse:top-6" />
        <Input
          type="search"
          value={query}
          onChange={({ target }) => onQuery(target.value)}
          placeholder={t('changes.filter')}
          aria-label={t('changes.filter')}
          className="w-full pl-7"
        />
      </div>
      {files.length === 0 && all > 0 && (
        <p className="p-3 text-faint text-sm">{t('changes.nothingFound', { count: all })}</p>
      )}
      <div ref={box} className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]">
        <div className="relative" style={{ height: list.height }}>
          <ul className="absolute inset-x-1" style={{ top: start }}>
            {rows.slice(from, to).map((row, at) => (
              <li
                key={row.key}
                ref={watch}
                data-index={from + at}
                aria-setsize={rows.length}
                aria-posinset={from + at + 1}
              >
                {row.is === 'directory' ? (
                  <DirectoryRow row={row} onToggle={toggle} />
                ) : (
                  <FileRow
                    file={row.file}
                    depth={row.depth}
                    isTree={isTree}
                    isCurrent={row.file.path === current}
                    outside={outside.get(row.file.path)}
                    mark={fileMark?.(row.file)}
                    onChoose={onChoose}
                  />
                )}
              </li>
            ))}
          </ul>
        </div>
      </div>
    </nav>
  );
}

/** The file whose lines are read is in view here, too, unless this list was scrolled for something else. */
function useShownInList(
  list: ReturnType<typeof useVirtualList>,
  rows: readonly { readonly key: string }[],
  current: string,
): void {
  const now = useRef({ list, rows });
  useEffect(() => {
    now.current = { list, rows };
  });
  useEffect(() => {
    const at = now.current.rows.findIndex(({ key }) => key === current);
    const { firstInView, lastInView } = now.current.list;
    if (at !== -1 && (at < firstInView || at >= lastInView)) now.current.list.toEntry(current, 'center');
  }, [current]);
}

const look =
  'flex min-h-7 w-full min-w-0 items-center gap-1.5 rounded-ui pr-2 text-start text-sm hover:bg-hover max-md:min-h-11';
const indent = (depth: number): { readonly paddingLeft: number } => ({
  paddingLeft: 8 + Math.min(depth, 8) * 12,
});

const DirectoryRow = ({
  row: { path, name, depth, isOpen, files },
  onToggle,
}: {
  readonly row: Extract<ListedRow, { is: 'directory' }>;
  readonly onToggle: (path: string) => void;
}) => (
  <button
    type="button"
    aria-expanded={isOpen}
    title={path}
    onClick={() => onToggle(path)}
    className={cx(look, 'text-faint')}
    style={indent(depth)}
  >
    {isOpen ? (
      <ChevronDown aria-hidden className="size-3.5 shrink-0" />
    ) : (
      <ChevronRight aria-hidden className="size-3.5 shrink-0" />
    )}
    <span className="min-w-0 flex-1 truncate text-xs">{showInvisible(name)}</span>
    {!isOpen && <span className="text-xs">{files}</span>}
  </button>
);

function FileRow({
  file,
  depth,
  isTree,
  isCurrent,
  outside,
  mark,
  onChoose,
}: {
  readonly file: ChangedFile;
  readonly depth: number;
  readonly isTree: boolean;
  readonly isCurrent: boolean;
  readonly outside: 'only' | 'also' | undefined;
  readonly mark: ReactNode;
  readonly onChoose: (path: string) => void;
}) {
  const t = useT();
  const [directory, name] = nameOf(file.path);
  return (
    <div
      className={cx('flex min-w-0 items-center rounded-ui', isCurrent && 'bg-hover')}
      style={indent(depth)}
    >
      {mark}
      <button
        type="button"
        title={file.path}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={() => onChoose(file.path)}
        className={cx(look, 'flex-1')}
      >
        <KindSign file={file} />
        <span className="min-w-0 flex-1 truncate font-mono text-xs">
          {showInvisible(name)}
          {!isTree && directory !== '' && <span className="pl-2 text-faint">{showInvisible(directory)}</span>}
        </span>
        {outside !== undefined && (
          <span title={t(`changes.outside.${outside}Means`)} className="text-2xs text-faint">
            <span aria-hidden>◇</span>
            <span className="sr-only">{t(`changes.outside.${outside}`)}</span>
          </span>
        )}
        <ChangeCount file={file} />
      </button>
    </div>
  );
}
