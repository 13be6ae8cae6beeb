import { HardDrive, HeartCrack } from 'lucide-react';
import { useState } from 'react';
import type { MissingHistory } from '../../protocol/storage.ts';
import { useRoom } from '../data/room-context.tsx';
import { readStored, writeStored } from '../data/stored.ts';
import { type Translate, useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Bar } from './bar.tsx';

const readNotice = 'missing-read';

/** What is wrong with the disk: that nothing can be stored stays until it can be, what is missing until it was read. */
export function StorageBar() {
  const t = useT();
  const { ok, problem, missing, room } = useRoom((room) => room.storage);
  const [readUntil, setReadUntil] = useState(() => readStored(readNotice) ?? '');
  const unread = missing.filter(({ foundAt }) => foundAt > readUntil).at(-1);
  const markRead = ({ foundAt }: MissingHistory): void => {
    writeStored(readNotice, foundAt);
    setReadUntil(foundAt);
  };
  return (
    <>
      {!ok && <Bar icon={HardDrive}>{t(`storage.${problem ?? 'disk-error'}`)}</Bar>}
      {ok && room !== undefined && <Bar icon={HardDrive}>{t(`storage.room.${room}`)}</Bar>}
      {unread !== undefined && (
        <Bar
          icon={HeartCrack}
          action={
            <Button size="sm" variant="ghost" onClick={() => markRead(unread)}>
              {t('storage.read')}
            </Button>
          }
        >
          {missingText(t, unread)}
        </Bar>
      )}
    </>
  );
}

function missingText(t: Translate, { after, cause, keptAs, isRestWhole }: MissingHistory): string {
  const time =
    after === null
      ? null
      : new Date(after).toLocaleString(t.language, { dateStyle: 'medium', timeStyle: 'medium' });
  return [
    time === null ? t('storage.missing') : t('storage.missingAfter', { time }),
    t(`storage.${cause}`),
    ...(keptAs === null ? [] : [t('storage.kept', { file: keptAs })]),
    ...(isRestWhole ? [] : [t('storage.damaged')]),
  ].join(' ');
}
