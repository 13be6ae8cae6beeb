import { Download } from 'lucide-react';
import { useState } from 'react';
import { wholeLog } from '../../client/whole-log.ts';
import {
  type ExportFormat,
  exportFormats,
  exportName,
  exportSession,
  exportTypes,
} from '../../model/export/session-export.ts';
import { useSession, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { titleOf } from './activity.logic.ts';

/** A session as one file to keep or to show; says what is in it before it is made. */
export function ExportDialog({
  sessionId,
  onClose,
}: {
  readonly sessionId: string;
  readonly onClose: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const session = useSession(sessionId);
  const [format, setFormat] = useState<ExportFormat>('html');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  if (session === undefined) return null;

  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const events = await wholeLog(transport, sessionId);
      const document = exportSession(session, events, { format, at: new Date().toISOString() });
      download(
        document,
        exportName({ ...session, title: titleOf(session) }, format),
        exportTypes[format].mediaType,
      );
      onClose();
    } catch (failure) {
      setError(errorText(t, failure));
      setBusy(false);
    }
  };

  return (
    <Dialog
      title={t('export.title')}
      onClose={onClose}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button variant="primary" icon={Download} isBusy={isBusy} onClick={() => void save()}>
            {t('export.save')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4 px-4 py-3">
        <p className="font-medium wrap-anywhere">{titleOf(session)}</p>
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 text-soft text-sm">{t('export.format')}</legend>
          {exportFormats.toReversed().map((each) => (
            <label
              key={each}
              className="flex cursor-pointer items-start gap-3 rounded-ui border border-line px-3 py-2 has-checked:border-line-strong has-checked:bg-hover"
            >
              <input
                type="radio"
                name="export-format"
                className="mt-1"
                checked={format === each}
                onChange={() => setFormat(each)}
              />
              <span className="flex min-w-0 flex-col">
                <span className="font-medium">{t(`export.${each}`)}</span>
                <span className="text-soft text-sm">{t(`export.${each}Means`)}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <p className="text-faint text-sm">{t('export.holds')}</p>
        {error !== undefined && (
          <p role="alert" className="text-fail-ink text-sm">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function download(document: string, name: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([document], { type: `${mediaType};charset=utf-8` }));
  const link = globalThis.document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then; without this it would be kept as long as the page is open.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
