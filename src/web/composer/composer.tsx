import { CloudOff, ImagePlus, RotateCcw, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { messageParts } from '../../model/pasted-text.ts';
import type { Session } from '../../protocol/session.ts';
import { useQueue, useTransport } from '../data/room-context.tsx';
import { useKeepClear } from '../dock/keep-clear.ts';
import { useKeys } from '../frame/use-keys.ts';
import { useT } from '../i18n/i18n.ts';
import { useSessionActions } from '../session/use-session-actions.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { AnswerChoice } from './answer-choice.tsx';
import { PastedChips } from './attachments.tsx';
import { CommandList, useCommandList } from './command-list.tsx';
import { type Blocked, lastEditable } from './composer.logic.ts';
import { ComposerField } from './composer-field.tsx';
import { OutboxView } from './outbox-view.tsx';
import { PictureChips } from './picture-chips.tsx';
import { addPictures, pictureTypes, type RefusedFile, removePicture } from './pictures.ts';
import { type Editing, QueueView } from './queue-view.tsx';
import { SendButton } from './send-button.tsx';
import { useComposer } from './use-composer.ts';

/** Where one talks to a session: what waits in its queue, what is on its way, and the text that is next. */
export function Composer({ session }: { readonly session: Session }) {
  const t = useT();
  const composer = useComposer(session, true);
  const queue = useQueue(session.id);
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const all = useRef<HTMLDivElement>(null);
  const commandList = useCommandList(session.id, composer, field);
  useKeepClear(all);
  useKeys('session', { write: () => field.current?.focus() });
  const [editing, setEditing] = useState<Editing | null>(null);
  const [refused, setRefused] = useState<readonly RefusedFile[]>([]);
  const { blocked, isEnded, answers, error, became } = composer;
  const takesPictures = session.capabilities?.images !== false;

  const take = async (given: readonly File[]): Promise<void> => {
    if (given.length === 0) return;
    composer.written();
    setRefused(
      takesPictures
        ? await addPictures(session.id, given)
        : given.map(({ name }) => ({ name, why: 'not-taken' as const })),
    );
  };

  const isOver = useFileDrop((given) => void take(given));

  const editLast = (): boolean => {
    const last = lastEditable(queue);
    if (last === undefined) return false;
    setEditing({ messageId: last.messageId, text: messageParts(last.message).typed });
    return true;
  };

  return (
    <div ref={all} className="flex flex-col gap-2">
      <QueueView
        session={session}
        editing={editing}
        onEdit={setEditing}
        onDone={() => field.current?.focus()}
      />
      <OutboxView
        sessionId={session.id}
        canRetry={blocked === null}
        onRetry={(outgoing) => void composer.retry(outgoing)}
      />
      {became !== null && (
        <p
          role="status"
          className="flex items-center justify-between gap-2 rounded-ui bg-sunken py-0.5 pr-1 pl-3 text-sm text-soft"
        >
          <span>
            {t(`composer.became.${became.applied}`)} {became.reason}
          </span>
          <IconButton icon={X} label={t('ui.close')} onClick={composer.forgetNotes} />
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void composer.submit();
        }}
        className={cx(
          'relative flex flex-col rounded-ui border bg-surface transition-colors duration-150',
          isOver
            ? 'border-ink border-dashed'
            : answers !== null
              ? 'border-you-edge focus-within:border-you'
              : 'border-line-strong focus-within:border-faint',
        )}
      >
        <CommandList list={commandList} />
        {composer.question !== null && blocked === null && <AnswerChoice composer={composer} field={field} />}
        <PictureChips
          pictures={composer.pictures}
          refused={refused}
          onRemove={(id) => removePicture(session.id, id)}
          onForget={() => setRefused([])}
        />
        <PastedChips
          field={field}
          pasted={composer.pasted}
          onIntoField={composer.addToDraft}
          className="px-3 pt-2.5"
        />
        <ComposerField
          session={session}
          composer={composer}
          field={field}
          commandList={commandList}
          onArrowUp={editLast}
          onFiles={(given) => void take(given)}
          className="field-sizing-content max-h-[40vh] min-h-10 w-full resize-none bg-transparent px-3 pt-2.5 pb-1 outline-none read-only:text-soft pointer-coarse:min-h-11 pointer-coarse:text-lg"
        />
        <div className="flex items-center gap-2 p-1.5">
          <input
            ref={files}
            type="file"
            multiple
            hidden
            accept={pictureTypes.join(',')}
            onChange={({ target }) => {
              void take([...(target.files ?? [])]);
              target.value = '';
            }}
          />
          <IconButton
            icon={ImagePlus}
            label={takesPictures ? t('composer.attach') : t('picture.not-taken')}
            disabled={isEnded || !takesPictures || answers !== null}
            onClick={() => files.current?.click()}
          />
          <BlockedNote session={session} blocked={blocked} />
          {!isEnded && <SendButton composer={composer} onSent={() => field.current?.focus()} />}
        </div>
      </form>
      {error !== null && (
        <p role="alert" className="text-fail-ink text-sm">
          {error}
        </p>
      )}
    </div>
  );
}

/** Why nothing can be sent, and the way on where there is one. */
function BlockedNote({ session, blocked }: { readonly session: Session; readonly blocked: Blocked | null }) {
  const t = useT();
  const { resume } = useSessionActions(session, useTransport());
  switch (blocked) {
    case null:
      return <span className="flex-1" />;
    case 'disconnected':
      return (
        <p role="status" className="flex min-w-0 flex-1 items-center gap-1.5 text-faint text-xs">
          <CloudOff aria-hidden className="size-3.5 shrink-0" />
          {t('composer.disconnected')}
        </p>
      );
    case 'stopped':
    case 'failed':
      return (
        <>
          <p className="min-w-0 flex-1 text-faint text-xs">{t(`composer.blocked.${blocked}`)}</p>
          <Button variant="primary" icon={RotateCcw} onClick={resume}>
            {t('session.resume')}
          </Button>
        </>
      );
  }
}

/**
 * Takes files that are dropped anywhere on the page, and says whether some are held over it.
 * Without this, a browser would leave the page for a file that missed its target.
 */
function useFileDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  useEffect(() => {
    take.current = onFiles;
  });
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const dropped = (event: DragEvent): void => {
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      take.current(files);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', left);
    document.addEventListener('drop', dropped);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', left);
      document.removeEventListener('drop', dropped);
    };
  }, []);
  return isOver;
}
