import { Copy, Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isPatchOf, patchesIn } from '../../model/patch-files.ts';
import { showInvisible } from '../../model/suspicious-text.ts';
import type { Patch, SessionChanges } from '../../protocol/changes.ts';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { saveAs } from '../data/use-file.ts';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { announce } from '../ui/announcer.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, Select } from '../ui/field.tsx';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { toast } from '../ui/toast.tsx';

/** Of a patch that is looked at before it is taken; all of it is copied and saved. */
const mostShown = 20_000;

/** The changes as a patch that git applies, of all files or of one: to copy, and to save. */
export function PatchDialog({
  session,
  changes,
  onClose,
}: {
  readonly session: Session;
  readonly changes: SessionChanges;
  readonly onClose: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const [whole, setWhole] = useState<Patch>();
  const [error, setError] = useState<unknown>();
  const [file, setFile] = useState('');
  const { before, after, files } = changes;
  useEffect(() => {
    let isCurrent = true;
    transport.changePatch(session.id, { before, after }).then(
      (patch) => isCurrent && setWhole(patch),
      (failure: unknown) => isCurrent && setError(failure),
    );
    return () => {
      isCurrent = false;
    };
  }, [transport, session.id, before, after]);
  const parts = patchesIn(whole?.text ?? '');
  const contained = files.filter(({ path }) => parts.some((part) => isPatchOf(part, path)));
  const missing = whole === undefined ? 0 : files.length - contained.length;
  const text = (file === '' ? parts : parts.filter((part) => isPatchOf(part, file))).join('');
  const isEmpty = text === '';
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => announce(t('conversation.copied')),
      (failure: unknown) => toast('fail', errorText(t, failure)),
    );
  return (
    <Dialog
      title={t('patch.title')}
      size="lg"
      onClose={onClose}
      footer={
        <>
          {navigator.clipboard !== undefined && (
            <Button icon={Copy} disabled={isEmpty} onClick={copy}>
              {t('patch.copy')}
            </Button>
          )}
          <Button
            variant="primary"
            icon={Download}
            disabled={isEmpty}
            onClick={() => saveAs(new Blob([text], { type: 'text/x-patch' }), fileName(session, file))}
          >
            {t('patch.save')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 px-4 py-3">
        <Field label={t('patch.of')}>
          {(ids) => (
            <Select {...ids} value={file} onChange={({ target }) => setFile(target.value)}>
              <option value="">{t('patch.all', { count: contained.length })}</option>
              {contained.map(({ path }) => (
                <option key={path} value={path}>
                  {showInvisible(path)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {error !== undefined && <ErrorNote>{errorText(t, error)}</ErrorNote>}
        {whole === undefined ? (
          error === undefined && <Skeleton className="h-32" />
        ) : (
          <ScrollArea className="max-h-80 rounded-tight bg-sunken">
            <pre className="px-2.5 py-2 font-mono text-xs">
              {showInvisible(text.slice(0, mostShown))}
              {text.length > mostShown && '…'}
            </pre>
          </ScrollArea>
        )}
        {missing > 0 && <p className="text-sm text-soft">{t('patch.missing', { count: missing })}</p>}
        {whole?.isCut === true && <p className="text-sm text-soft">{t('patch.cut')}</p>}
      </div>
    </Dialog>
  );
}

/** Of letters that every system takes. */
function fileName({ title }: Session, file: string): string {
  const words = (file === '' ? title : (file.split('/').at(-1) ?? file)).replace(/[^\p{L}\p{N}._-]+/gu, '-');
  return `${words.replace(/^[-.]+|[-.]+$/g, '').slice(0, 80) || 'changes'}.patch`;
}
