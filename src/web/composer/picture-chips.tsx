import { X } from 'lucide-react';
import { useT } from '../i18n/i18n.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { addressOf, mostBytes, type Picture, type RefusedFile } from './pictures.ts';

/** The pictures that go with the message, and the files that cannot. */
export function PictureChips({
  pictures,
  refused,
  onRemove,
  onForget,
}: {
  readonly pictures: readonly Picture[];
  readonly refused: readonly RefusedFile[];
  readonly onRemove: (id: string) => void;
  readonly onForget: () => void;
}) {
  const t = useT();
  if (pictures.length === 0 && refused.length === 0) return null;
  return (
    <div className="flex flex-col gap-1 px-3 pt-2.5">
      {pictures.length > 0 && (
        <ul aria-label={t('composer.pictures', { count: pictures.length })} className="flex flex-wrap gap-2">
          {pictures.map((picture) => (
            <li
              key={picture.id}
              className="flex max-w-60 items-center gap-2 rounded-ui border border-line bg-ground p-1"
            >
              <img
                src={addressOf(picture)}
                alt=""
                className="size-9 shrink-0 rounded-tight bg-sunken object-cover"
              />
              <span className="min-w-0 flex-1 truncate text-xs" title={picture.name}>
                {picture.name}
              </span>
              <IconButton
                icon={X}
                label={t('picture.remove', { name: picture.name })}
                onClick={() => onRemove(picture.id)}
              />
            </li>
          ))}
        </ul>
      )}
      {refused.length > 0 && (
        <div role="alert" className="flex items-start justify-between gap-2 text-fail-ink text-xs">
          <ul className="py-1.5">
            {refused.map(({ name, why }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two refused files may have the same name
              <li key={at} className="wrap-anywhere">
                {name}: {t(`picture.${why}`, { megabytes: mostBytes / 1_000_000 })}
              </li>
            ))}
          </ul>
          <IconButton icon={X} label={t('ui.close')} onClick={onForget} />
        </div>
      )}
    </div>
  );
}
