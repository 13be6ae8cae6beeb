import { useId, useState } from 'react';
import type { UncommittedFile } from '../../protocol/landing.ts';
import { useFeed, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Textarea } from '../ui/field.tsx';
import { toast } from '../ui/toast.tsx';
import { askForMessage, canCommit, hindrance, proposedMessage, shortCommit } from './landing.logic.ts';
import type { FormParts } from './use-worktree.ts';

/** Chosen files, as they are shown, with a message that the agent may propose. */
export function CommitForm({
  session,
  state,
  look,
  title,
  onDone,
  onClose,
}: FormParts & { readonly onDone: () => void }) {
  const t = useT();
  const transport = useTransport();
  const { uncommitted } = state;
  const [unchosen, setUnchosen] = useState<ReadonlySet<string>>(new Set());
  const [message, setMessage] = useState('');
  const [askedAt, setAskedAt] = useState<number>();
  const [taken, setTaken] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const feed = useFeed(session.id, 'tail');
  const proposal =
    askedAt === undefined || feed === null ? undefined : proposedMessage(feed.conversation.rows, askedAt);
  // What a person has written is never replaced under their hands.
  if (proposal !== undefined && proposal !== taken && (message === '' || message === taken)) {
    setTaken(proposal);
    setMessage(proposal);
  }
  const { branch, author, files, recording, head } = uncommitted;
  const chosen = files.filter((file) => canCommit(file) && !unchosen.has(file.path));
  const problem = hindrance(uncommitted);
  const canAsk = session.status !== 'stopped' && session.status !== 'failed';

  const ask = async (): Promise<void> => {
    setError(undefined);
    const said = session.lastSeq;
    try {
      await transport.sendMessage(session.id, { message: askForMessage(chosen.map(({ path }) => path)) });
      setAskedAt(said);
    } catch (failure) {
      setError(errorText(t, failure));
    }
  };
  const commit = async (): Promise<void> => {
    if (branch === null || author === null) return;
    setBusy(true);
    setError(undefined);
    try {
      const paths = chosen.map(({ path }) => path);
      const shown = { recording, head, branch, author };
      const done = await transport.commit(session.id, { message, paths, shown });
      toast('done', t('landing.committed', { commit: shortCommit(done.commit), branch: done.branch }));
      await look();
      onDone();
    } catch (failure) {
      setError(errorText(t, failure));
      setBusy(false);
    }
  };

  return (
    <Dialog
      title={title}
      size="lg"
      onClose={onClose}
      footer={
        <>
          <p className="mr-auto basis-full text-faint text-xs sm:basis-auto">{t('landing.noHooks')}</p>
          <Button variant="ghost" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button
            variant="primary"
            isBusy={isBusy}
            disabled={problem !== undefined || chosen.length === 0 || message.trim() === ''}
            onClick={() => void commit()}
          >
            {t('landing.commit', { count: chosen.length })}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 px-4 py-3">
        {problem !== undefined && <p role="alert">{t(problem)}</p>}
        {branch !== null && author !== null && (
          <p className="text-soft text-sm wrap-anywhere">{t('landing.on', { branch, author })}</p>
        )}
        {files.length === 0 ? (
          <p>{t('landing.nothing')}</p>
        ) : (
          <FileChoice files={files} isAll={uncommitted.isAll} unchosen={unchosen} onChange={setUnchosen} />
        )}
        <Field
          label={t('landing.message')}
          hint={
            taken !== undefined && message === taken
              ? t('landing.proposed')
              : askedAt !== undefined && proposal === undefined
                ? t('landing.asked')
                : undefined
          }
        >
          {(ids) => (
            <Textarea
              {...ids}
              className="min-h-24 font-mono"
              value={message}
              onChange={(event) => setMessage(event.target.value)}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-2">
          {canAsk && (
            <Button size="sm" disabled={chosen.length === 0} onClick={() => void ask()}>
              {t('landing.ask')}
            </Button>
          )}
          {proposal !== undefined && message !== proposal && (
            <Button
              size="sm"
              variant="ghost"
              onClick={() => {
                setTaken(proposal);
                setMessage(proposal);
              }}
            >
              {t('landing.use')}
            </Button>
          )}
        </div>
        {error !== undefined && (
          <div role="alert" className="flex flex-wrap items-center gap-2 text-fail-ink text-sm">
            <p className="wrap-anywhere">{error}</p>
            <Button size="sm" onClick={() => void look().then(() => setError(undefined))}>
              {t('landing.again')}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

function FileChoice({
  files,
  isAll,
  unchosen,
  onChange,
}: {
  readonly files: readonly UncommittedFile[];
  readonly isAll: boolean;
  readonly unchosen: ReadonlySet<string>;
  readonly onChange: (unchosen: ReadonlySet<string>) => void;
}) {
  const t = useT();
  const id = useId();
  const toggle = (path: string): void => {
    const next = new Set(unchosen);
    if (!next.delete(path)) next.add(path);
    onChange(next);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="flex w-full items-center gap-2 font-medium text-sm">
        {t('landing.files')}
        <span className="ml-auto flex gap-1">
          <Button size="sm" variant="ghost" onClick={() => onChange(new Set())}>
            {t('landing.all')}
          </Button>
          <Button size="sm" variant="ghost" onClick={() => onChange(new Set(files.map(({ path }) => path)))}>
            {t('landing.none')}
          </Button>
        </span>
      </legend>
      <ul className="max-h-64 overflow-y-auto rounded-ui border border-line">
        {files.map((file, index) => (
          <li key={file.path} className="border-line not-first:border-t">
            <label
              htmlFor={`${id}-${index}`}
              className="flex min-h-8 cursor-pointer items-center gap-2 px-2 py-1 text-sm pointer-coarse:min-h-11"
            >
              <input
                id={`${id}-${index}`}
                type="checkbox"
                className="accent-ink"
                disabled={!canCommit(file)}
                checked={canCommit(file) && !unchosen.has(file.path)}
                onChange={() => toggle(file.path)}
              />
              <span className="min-w-0 flex-1 font-mono wrap-anywhere">
                {file.path}
                {file.blocked !== undefined && (
                  <span className="block font-sans text-faint text-xs">
                    {t(`landing.blocked.${file.blocked}`)}
                  </span>
                )}
              </span>
              <span className="shrink-0 text-faint text-xs">{t(`landing.kind.${kindShown(file)}`)}</span>
              {file.added !== null && (
                <span className="shrink-0 tabular-nums text-xs">
                  <span className="text-done-ink">+{file.added}</span>{' '}
                  <span className="text-fail-ink">−{file.removed}</span>
                </span>
              )}
            </label>
          </li>
        ))}
      </ul>
      {!isAll && <p className="text-faint text-xs">{t('landing.notAll', { count: files.length })}</p>}
    </fieldset>
  );
}

const kindShown = ({ kind }: UncommittedFile): 'added' | 'deleted' | 'modified' | 'type' =>
  kind === 'moved' || kind === 'mode' ? 'modified' : kind;
