import { UnfoldVertical } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { hunksBetween } from '../../model/diff-lines.ts';
import { type EditPlace, placeOfEdit } from '../../model/edit-in-file.ts';
import { type TextEdit, toolCallOf } from '../../model/tool-call.ts';
import type { NamedFile } from '../../protocol/asked-file.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { useSession, useTransport } from '../data/room-context.tsx';
import { EditorLink } from '../editor/editor-link.tsx';
import { useT } from '../i18n/i18n.ts';
import { ReadBox, ReadingProvider, tall } from '../interaction/reading.tsx';
import { cx } from '../ui/class-names.ts';
import { DiffView, PatchView } from './diff-view.tsx';
import { EarlierChanges } from './earlier-changes.tsx';

interface AskedChangeProps {
  readonly interaction: Interaction;
  /** As they are shown: their paths are those of the card. */
  readonly edits: readonly TextEdit[];
  readonly path: string;
}

/**
 * What an ask would change, in its place in the file as that is now. The change itself is the ask's own, whatever the file is like:
 * where its place is not known, it is shown alone, and that is said.
 */
export function AskedChange({ interaction, edits, path }: AskedChangeProps) {
  const files = useAskedFiles(interaction);
  const session = useSession(interaction.sessionId);
  const placed = useMemo(() => placesIn(interaction, files), [interaction, files]);
  return (
    <>
      {edits.map((edit, at) => (
        <Edit
          // biome-ignore lint/suspicious/noArrayIndexKey: edits of a file have no other name than their place
          key={at}
          edit={edit}
          path={edit.path ?? path}
          {...placed[at]}
          isNamed={edit.path !== null}
          open={(line) =>
            session && (
              <EditorLink
                session={session}
                place={{ path: wholePath(session.cwd, placed[at]?.named ?? ''), line }}
              />
            )
          }
        />
      ))}
      {session !== undefined && files.length > 0 && interaction.status === 'open' && (
        // Beside what is decided on: it need not be read.
        <ReadingProvider value={null}>
          <EarlierChanges session={session} paths={files.flatMap((file) => pathsOf(session, file.path))} />
        </ReadingProvider>
      )}
    </>
  );
}

const none: readonly NamedFile[] = [];

/** None until they are here. The change itself does not wait for them; a press while they come is not taken, for the card moves. */
function useAskedFiles(interaction: Interaction): readonly NamedFile[] {
  const transport = useTransport();
  const { sessionId, interactionId, status } = interaction;
  const isOpen = status === 'open';
  const [files, setFiles] = useState(none);
  useEffect(() => {
    if (!isOpen) return;
    let isCurrent = true;
    transport.askedFiles(sessionId, interactionId).then(
      (told) => isCurrent && setFiles(told),
      // The change is shown without its place then.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [transport, sessionId, interactionId, isOpen]);
  return isOpen ? files : none;
}

interface Placed {
  /** What the file holds before this edit; undefined where that is not told. */
  readonly file?: string | undefined;
  readonly isWrite: boolean;
  readonly isMissing: boolean;
  /** Its path as the call has it. */
  readonly named: string;
}

/** A file by the session's directory as it was given, and as it is with links followed. */
function pathsOf({ cwd, realCwd = cwd }: Session, path: string): readonly string[] {
  const whole = wholePath(cwd, path);
  return whole.startsWith(`${cwd}/`) ? [whole, realCwd + whole.slice(cwd.length)] : [whole];
}

const wholePath = (cwd: string, path: string): string =>
  /^(\/|[A-Za-z]:[\\/])/.test(path) ? path : `${cwd.replace(/\/$/, '')}/${path}`;

/** Each edit with the text that it finds: that of the file, with the edits before it made. */
function placesIn(interaction: Interaction, files: readonly NamedFile[]): readonly Placed[] {
  const call = toolCallOf(interaction);
  if (call.is !== 'change') return [];
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const isMissing = new Set(files.filter(({ why }) => why === 'missing').map(({ path }) => path));
  return call.edits.map((edit) => {
    const path = edit.path ?? call.path;
    const file = texts.get(path) ?? undefined;
    const isWrite = call.does === 'write';
    const place = file === undefined || isWrite ? undefined : placeOfEdit(file, edit, 0);
    if (place !== undefined) texts.set(path, 'text' in place ? place.text : null);
    return { file, isWrite, isMissing: isMissing.has(path), named: path };
  });
}

interface EditProps extends Partial<Placed> {
  readonly edit: TextEdit;
  readonly path: string;
  /** It is of another file than the one that the card names. */
  readonly isNamed: boolean;
  readonly open: InFileProps['open'];
}

function Edit({ edit, path, isNamed, file, isWrite = false, isMissing = false, open }: EditProps) {
  const t = useT();
  const alone = <DiffView before={edit.before} after={edit.after} path={path} />;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {isNamed && <p className="font-mono text-sm wrap-anywhere">{path}</p>}
      {edit.isEverywhere && <p className="text-sm text-soft">{t('ask.everywhere')}</p>}
      {file === undefined ? (
        <>
          {isMissing && !isWrite && edit.before !== '' && <Note>{t('place.missing')}</Note>}
          {alone}
        </>
      ) : isWrite ? (
        <Overwrite file={file} edit={edit} path={path}>
          {alone}
        </Overwrite>
      ) : (
        <EditInFile file={file} edit={edit} path={path} open={open}>
          {alone}
        </EditInFile>
      )}
    </div>
  );
}

const aroundAtFirst = 3;
/** More than anyone reads on a card. */
const aroundAtMost = 400;

interface InFileProps {
  readonly file: string;
  readonly edit: TextEdit;
  readonly path: string;
  /** Opens the file at a line in the person's editor. */
  readonly open?: ((line: number) => ReactNode) | undefined;
  /** The change alone. */
  readonly children: ReactNode;
}

function EditInFile({ file, edit, path, open, children }: InFileProps) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const place = useMemo(
    () => placeOfEdit(file, edit, isOpen ? aroundAtMost : aroundAtFirst),
    [file, edit, isOpen],
  );
  const box = useRef<HTMLDivElement>(null);
  // What is decided on stays in sight when the lines above it come.
  useLayoutEffect(() => {
    if (isOpen) box.current?.querySelector('[data-change]')?.scrollIntoView({ block: 'center' });
  }, [isOpen]);
  if (place.is !== 'placed')
    return (
      <>
        <Note>{whereNot(t, place)}</Note>
        {children}
      </>
    );
  const canOpen = place.above + place.below > 0;
  return (
    <>
      <ReadBox className={cx(tall, 'rounded-tight border border-line bg-surface')}>
        <div ref={box}>
          <PatchView
            hunks={[place.hunk]}
            path={path}
            isWrapped
            most={2 * aroundAtMost + edit.before.length + edit.after.length}
          />
        </div>
      </ReadBox>
      <p className="flex flex-wrap items-center gap-x-2 text-faint text-xs">
        {t('place.around')}
        {open?.(place.hunk.find(({ sign }) => sign !== ' ')?.before ?? 1)}
        {(canOpen || isOpen) && <MoreOfFile isOpen={isOpen} onPress={() => setOpen(!isOpen)} />}
      </p>
    </>
  );
}

const whereNot = (t: ReturnType<typeof useT>, place: Exclude<EditPlace, { is: 'placed' }>): string => {
  switch (place.is) {
    case 'everywhere':
      return t('place.everywhere', { count: place.count, line: place.line });
    case 'several':
      return t('place.several', { count: place.count });
    case 'absent':
      return t('place.absent');
  }
};

function Overwrite({ file, edit, path, children }: InFileProps) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const hunks = useMemo(() => hunksBetween(file, edit.after), [file, edit.after]);
  if (hunks.length === 0)
    return (
      <>
        <Note>{t('place.same')}</Note>
        {children}
      </>
    );
  return (
    <>
      <Note>{t('place.overwrites')}</Note>
      {children}
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} className={quiet}>
        <UnfoldVertical aria-hidden className="size-3.5 shrink-0" />
        {t('place.asChange')}
      </button>
      {isOpen && (
        <ReadingProvider value={null}>
          <div className="overflow-auto rounded-tight border border-line bg-surface">
            <PatchView hunks={hunks} path={path} isWrapped />
          </div>
        </ReadingProvider>
      )}
    </>
  );
}

const quiet =
  'flex min-h-6 items-center gap-1 self-start rounded-tight px-1 font-medium text-xs text-soft hover:text-ink hover:underline pointer-coarse:min-h-11';

function MoreOfFile({ isOpen, onPress }: { readonly isOpen: boolean; readonly onPress: () => void }) {
  const t = useT();
  return (
    <button type="button" aria-expanded={isOpen} onClick={onPress} className={quiet}>
      <UnfoldVertical aria-hidden className="size-3.5 shrink-0" />
      {t('place.more')}
    </button>
  );
}

const Note = ({ children }: { readonly children: string }) => (
  <p className="text-sm text-soft wrap-anywhere">{children}</p>
);
