import { useEffect, useState } from 'react';
import type { ChangedFile } from '../../protocol/changes.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { Skeleton } from '../ui/skeleton.tsx';

/** An image as it was and as it is, beside each other. */
export function ImagePair({
  sessionId,
  file,
  points: { before, after },
}: {
  readonly sessionId: string;
  readonly file: ChangedFile;
  readonly points: { readonly before: string; readonly after: string };
}) {
  const t = useT();
  const { path, movedFrom, kind, content, mediaType = '' } = file;
  // Asked for anew when the file holds something else, not with every recording.
  const [at, setAt] = useState({ content, after });
  if (at.content !== content) setAt({ content, after });
  return (
    <div className="grid grid-cols-2 gap-px bg-line font-sans">
      {kind !== 'added' && (
        <Picture
          sessionId={sessionId}
          at={before}
          path={movedFrom ?? path}
          mediaType={mediaType}
          says={t('changes.imageBefore')}
        />
      )}
      {kind !== 'deleted' && (
        <Picture
          sessionId={sessionId}
          at={at.after}
          path={path}
          mediaType={mediaType}
          says={t('changes.imageAfter')}
        />
      )}
    </div>
  );
}

type Found = { readonly url: string } | 'missing' | 'failed';

function Picture({
  sessionId,
  at,
  path,
  mediaType,
  says,
}: {
  readonly sessionId: string;
  readonly at: string;
  readonly path: string;
  readonly mediaType: string;
  readonly says: string;
}) {
  const t = useT();
  const calls = useTransport();
  const [found, setFound] = useState<Found>();
  const [size, setSize] = useState('');
  useEffect(() => {
    let isCurrent = true;
    calls.fileAt(sessionId, { at, path }).then(
      ({ base64 }) =>
        isCurrent && setFound(base64 === null ? 'missing' : { url: `data:${mediaType};base64,${base64}` }),
      () => isCurrent && setFound('failed'),
    );
    return () => {
      isCurrent = false;
    };
  }, [calls, sessionId, at, path, mediaType]);
  return (
    <figure className="flex min-w-0 flex-col items-center gap-2 bg-surface p-3">
      <figcaption className="text-faint text-xs">{[says, size].filter(Boolean).join(' · ')}</figcaption>
      {found === undefined && <Skeleton className="h-40 w-full" />}
      {found === 'missing' && <p className="text-faint text-xs">{t('changes.imageMissing')}</p>}
      {found === 'failed' && <p className="text-faint text-xs">{t('changes.imageFailed')}</p>}
      {typeof found === 'object' && (
        <img
          src={found.url}
          alt={`${says}: ${path}`}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize(`${naturalWidth} × ${naturalHeight}`)
          }
          onError={() => setFound('failed')}
          className="max-h-96 max-w-full bg-[repeating-conic-gradient(var(--sunken)_0_25%,var(--surface)_0_50%)] bg-size-[16px_16px] object-contain"
        />
      )}
    </figure>
  );
}
