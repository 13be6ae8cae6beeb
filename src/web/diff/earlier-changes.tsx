import { History } from 'lucide-react';
import { useState } from 'react';
import { showInvisible } from '../../model/suspicious-text.ts';
import type { ChangedFile } from '../../protocol/changes.ts';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { PatchText } from './patch-text.tsx';

interface Earlier {
  readonly file: ChangedFile;
  readonly patch: string;
}

type Told =
  | { readonly is: 'asking' }
  | { readonly is: 'there'; readonly files: readonly Earlier[] }
  | { readonly is: 'failed'; readonly error: unknown };

/** What became of these files since the session began. Asked for by a press alone: the files are recorded for it. */
export function EarlierChanges({
  session,
  paths,
}: {
  readonly session: Session;
  /** Whole. */
  readonly paths: readonly string[];
}) {
  const t = useT();
  const transport = useTransport();
  const [told, setTold] = useState<Told>();

  const ask = async (): Promise<void> => {
    setTold({ is: 'asking' });
    try {
      const { files, root, before, after } = await transport.changes(session.id, { since: 'start' });
      const meant = files.filter(({ path }) => paths.includes(`${root}/${path}`));
      const patches = meant.map(async (file) => ({
        file,
        patch: (await transport.changePatch(session.id, { before, after, path: file.path })).text,
      }));
      setTold({ is: 'there', files: await Promise.all(patches) });
    } catch (error) {
      setTold({ is: 'failed', error });
    }
  };

  if (told?.is === 'failed') return <p className="text-sm text-soft">{errorText(t, told.error)}</p>;
  if (told?.is !== 'there')
    return (
      <Button
        size="sm"
        variant="ghost"
        icon={History}
        isBusy={told?.is === 'asking'}
        className="self-start"
        onClick={() => void ask()}
      >
        {t('place.earlier')}
      </Button>
    );
  if (told.files.length === 0) return <p className="text-sm text-soft">{t('place.notEarlier')}</p>;
  return told.files.map(({ file: { path, added, removed }, patch }) => (
    <div key={path} className="flex min-w-0 flex-col gap-1">
      <p className="text-sm text-soft">
        {t('place.earlierIs')} <code className="font-mono wrap-anywhere">{showInvisible(path)}</code>{' '}
        {added !== null && <span className="text-done-ink">+{added}</span>}{' '}
        {removed !== null && <span className="text-fail-ink">−{removed}</span>}
      </p>
      {patch !== '' && (
        <div className="max-h-72 overflow-auto rounded-tight border border-line bg-surface">
          <PatchText text={patch} path={path} />
        </div>
      )}
    </div>
  ));
}
