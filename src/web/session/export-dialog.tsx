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
import { saveAs } from '../data/use-file.ts';
import { useT } from '../i18n/i18n.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
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
  if (session === undefined) return null;

  const save = async (): Promise<void> => {
    const events = await wholeLog(transport, sessionId);
    const document = exportSession(session, events, { format, at: new Date().toISOString() });
    const type = `${exportTypes[format].mediaType};charset=utf-8`;
    saveAs(new Blob([document], { type }), exportName({ ...session, title: titleOf(session) }, format));
  };

  return (
    <ConfirmDialog
      title={t('export.title')}
      action={t('export.save')}
      icon={Download}
      variant="primary"
      onConfirm={save}
      onClose={onClose}
    >
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
    </ConfirmDialog>
  );
}
