import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { ChangedFile, SessionChanges } from '../../protocol/changes.ts';
import type { Session } from '../../protocol/session.ts';
import { setPreferences, usePreferences } from '../data/preferences.ts';
import { useTransport } from '../data/room-context.tsx';
import { EditorButtons } from '../editor/editor-buttons.tsx';
import { EditorLink } from '../editor/editor-link.tsx';
import { useEditorCommands } from '../editor/use-editor-commands.ts';
import { isTextField } from '../frame/use-keys.ts';
import { useT } from '../i18n/i18n.ts';
import { type KeyIn, keyIn } from '../ui/keys.ts';
import { type Asked, filesMatching, outsideOf, totalsOf, treeOf, type Whose } from './changes.logic.ts';
import { NothingChanged, NotShown, Stale, StillAsking, Unrecorded } from './changes-edges.tsx';
import { ChangesHeader, roomForSplit } from './changes-header.tsx';
import { setChangesPreferences, useChangesPreferences } from './changes-preferences.ts';
import { DiffList, type DiffListHandle } from './diff-list.tsx';
import type { LineKey } from './diff-rows.logic.ts';
import { FileList } from './file-list.tsx';
import { PatchStore } from './patch-store.ts';
import { useChangesReview } from './review/use-changes-review.tsx';
import type { FollowedChanges } from './use-changes.ts';
import { useFileFolds } from './use-file-folds.ts';

export interface ChangesPanelProps {
  readonly session: Session;
  readonly followed: FollowedChanges;
  readonly asked: Asked;
  readonly onAsk: (asked: Asked) => void;
  /** The file that the address names, and how to name another. */
  readonly file: string | null;
  readonly onFile: (path: string) => void;
  /** It stands beside the conversation, can do so, or cannot. */
  readonly place: 'beside' | 'alone' | 'alone-for-now';
  readonly onPlace: (isAlone: boolean) => void;
  readonly onClose: () => void;
}

/** From this width on there is room for the list of files beside their lines. */
const roomForList = 860;

/** What changed in a session's files, to be read: which files, and each of their lines. */
export function ChangesPanel(props: ChangesPanelProps) {
  const t = useT();
  const { session, followed, asked, onClose } = props;
  const { changes, error, isAsking, again } = followed;
  const box = useRef<HTMLElement>(null);
  const width = useWidth(box);
  const viewKey = `${asked.since} ${asked.turnId}`;
  const keys = useRef<KeyHandler>(null);
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || isTextField(event.target)) return;
    const key = keyIn('changes', event);
    keys.current?.(key);
    if (key === undefined) return;
    if (key === 'leave') onClose();
    // The page has keys of its own for some of these.
    event.preventDefault();
  };
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  return (
    <section
      ref={box}
      tabIndex={-1}
      aria-label={t('changes.title')}
      onKeyDown={pressed}
      className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface outline-none"
    >
      {changes === null ? (
        <>
          <ChangesHeader
            {...props}
            changes={null}
            totals={null}
            width={width}
            isAsking={error === null}
            view={[]}
            list={null}
          />
          {error === null ? <StillAsking /> : <NotShown session={session} error={error} onAgain={again} />}
        </>
      ) : (
        <KnownChanges key={viewKey} {...props} changes={changes} width={width} keys={keys}>
          {error !== null && <Stale error={error} isAsking={isAsking} onAgain={again} />}
        </KnownChanges>
      )}
    </section>
  );
}

/** Takes a key that was pressed in the panel; undefined for one that means nothing here. */
type KeyHandler = (key: KeyIn<'changes'> | undefined) => void;

function KnownChanges({
  changes,
  width,
  keys,
  children,
  ...props
}: ChangesPanelProps & {
  readonly changes: SessionChanges;
  readonly width: number;
  readonly keys: Ref<KeyHandler>;
  readonly children: ReactNode;
}) {
  const { session, file: wanted, onFile } = props;
  const { isTree, isListOpen } = useChangesPreferences();
  const preferred = usePreferences((preferences) => preferences.diffLayout);
  const [query, setQuery] = useState('');
  const [whose, setWhose] = useState<Whose>('all');
  const [isListAlone, setListAlone] = useState(false);
  const handle = useRef<DiffListHandle>(null);
  const panel = useRef<HTMLDivElement>(null);
  const folds = useFileFolds();
  const store = usePatches(session.id, changes);
  const outside = useMemo(() => outsideOf(changes), [changes]);
  const files = useMemo(() => {
    const found = filesMatching(changes.files, query, whose, outside);
    if (!isTree) return found;
    return treeOf(found, new Set()).flatMap((row) => (row.is === 'file' ? [row.file] : []));
  }, [changes.files, query, whose, outside, isTree]);
  const { cursor, inView, toFile, setInView, forget } = useCursor(handle);

  const hasRoom = width >= roomForList;
  const isListBeside = hasRoom && isListOpen;
  const layout = width >= roomForSplit ? preferred : 'unified';
  const current = cursor ?? inView;
  const choose = useCallback(
    (path: string) => {
      setListAlone(false);
      toFile(path);
      onFile(path);
    },
    [toFile, onFile],
  );
  useWantedFile(wanted, changes, folds.fold, toFile);
  const toLine = (key: LineKey, file: ChangedFile): void => {
    setListAlone(false);
    setQuery('');
    setWhose('all');
    folds.fold(file, false);
    requestAnimationFrame(() => handle.current?.toLine(key));
  };
  const commands = useEditorCommands(session.machine);
  const { root, since, turnId } = changes;
  const fileActions = useCallback(
    ({ path, content }: ChangedFile) =>
      content !== null && (
        <>
          <EditorButtons sessionId={session.id} commands={commands} path={path} shown={{ since, turnId }} />
          {/* A path that is told in quotes is no path by which an editor would find it. */}
          {!path.startsWith('"') && <EditorLink session={session} place={{ path: `${root}/${path}` }} />}
        </>
      ),
    [session, commands, root, since, turnId],
  );
  const review = useChangesReview({ session, changes, onGoTo: toLine, onFold: folds.fold });

  const step = (by: -1 | 1): void => {
    const next = files[files.findIndex(({ path }) => path === current) + by];
    if (next !== undefined) toFile(next.path);
  };
  useImperativeHandle(keys, () => (key) => {
    if (key !== 'next-file' && key !== 'previous-file') forget();
    switch (key) {
      case 'next-file':
        return step(1);
      case 'previous-file':
        return step(-1);
      case 'next-change':
        return handle.current?.toChange(1);
      case 'previous-change':
        return handle.current?.toChange(-1);
      case 'seen': {
        const file = files.find(({ path }) => path === current);
        if (file !== undefined) review.toggleSeen(file);
        break;
      }
      case 'layout':
        return setPreferences({ diffLayout: preferred === 'split' ? 'unified' : 'split' });
      case 'find':
        setChangesPreferences({ isListOpen: true });
        setListAlone(!hasRoom);
        requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>('input[type=search]')?.focus());
        return;
      default:
    }
  });
  const list = (
    <FileList
      files={files}
      all={changes.files.length}
      outside={outside}
      isTree={isTree}
      query={query}
      onQuery={setQuery}
      current={current}
      fileMark={review.slots.fileMark}
      onChoose={choose}
    />
  );
  const isListShown = isListBeside || (!hasRoom && isListAlone);
  return (
    <div ref={panel} onWheel={forget} onTouchMove={forget} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <ChangesHeader
        {...props}
        changes={changes}
        totals={totalsOf(files)}
        width={width}
        view={[
          {
            is: isTree ? 'flat' : 'tree',
            press: () => setChangesPreferences({ isTree: !isTree }),
          },
          { is: 'foldAll', press: () => folds.foldAll(files, true) },
          { is: 'unfoldAll', press: () => folds.foldAll(files, false) },
        ]}
        list={{
          isShown: isListShown,
          toggle: () =>
            hasRoom ? setChangesPreferences({ isListOpen: !isListOpen }) : setListAlone(!isListAlone),
        }}
        whose={outside.size === 0 ? null : { value: whose, set: setWhose }}
      />
      {children}
      {changes.files.length === 0 ? (
        <NothingChanged changes={changes} />
      ) : (
        <div className="flex min-h-0 flex-1">
          {isListBeside && <div className="flex w-64 shrink-0 flex-col border-line border-r">{list}</div>}
          {isListShown && !isListBeside && <div className="flex min-w-0 flex-1 flex-col">{list}</div>}
          {/* It stays where it is while the list has its place. */}
          <div className={isListShown && !isListBeside ? 'hidden' : 'flex min-h-0 min-w-0 flex-1 flex-col'}>
            <DiffList
              ref={handle}
              files={files}
              outside={outside}
              points={changes}
              sessionId={session.id}
              store={store}
              folds={folds}
              layout={layout}
              fileActions={fileActions}
              end={<Unrecorded changes={changes} />}
              onCurrent={setInView}
              {...review.slots}
            />
          </div>
        </div>
      )}
      {review.footer}
    </div>
  );
}

/** The patches of what is compared now. */
function usePatches(sessionId: string, changes: SessionChanges): PatchStore {
  const calls = useTransport();
  const store = useMemo(
    () => new PatchStore((query) => calls.changePatch(sessionId, query)),
    [calls, sessionId],
  );
  const compared = useRef<SessionChanges>(null);
  if (compared.current !== changes) {
    compared.current = changes;
    store.compare(changes.before, changes.after, new Set(changes.files.map(({ path }) => path)));
  }
  return store;
}

/** The file that was gone to; until somebody scrolls, for the last files of a list cannot be at its top. */
function useCursor(handle: RefObject<DiffListHandle | null>) {
  const [cursor, setCursor] = useState<string | null>(null);
  const [inView, setInView] = useState('');
  const toFile = useCallback(
    (path: string) => {
      setCursor(path);
      handle.current?.toFile(path);
    },
    [handle],
  );
  const forget = useCallback(() => setCursor(null), []);
  return { cursor, inView, toFile, setInView, forget };
}

/** Goes to the file that the address names, once it is there; one that is folded is opened. */
function useWantedFile(
  wanted: string | null,
  { files }: SessionChanges,
  fold: (file: SessionChanges['files'][number], isFolded: boolean) => void,
  toFile: (path: string) => void,
): void {
  const shown = useRef<string | null>(null);
  const file = files.find(({ path }) => path === wanted);
  useEffect(() => {
    if (wanted === shown.current || file === undefined) return;
    shown.current = wanted;
    fold(file, false);
    toFile(file.path);
  }, [wanted, file, fold, toFile]);
}

function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
