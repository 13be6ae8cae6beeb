import { useT } from '../i18n/i18n.ts';
import { useConversationPlace } from './conversation-context.ts';
import type { MessageItem } from './row.ts';

/** Pictures that were sent or shown: all of one height, so that nothing moves when they are there. */
export function Pictures({ images }: { readonly images: MessageItem['images'] }) {
  const t = useT();
  const { sessionId } = useConversationPlace();
  if (images.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {images.map(({ imageId }, at) => {
        const href = `/api/sessions/${encodeURIComponent(sessionId)}/images/${encodeURIComponent(imageId)}`;
        return (
          <a
            key={imageId}
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            className="block h-40 max-w-full overflow-hidden rounded-ui border border-line bg-ground"
          >
            <img
              src={href}
              alt={t('conversation.image', { number: at + 1 })}
              loading="lazy"
              className="h-full w-auto max-w-full object-contain"
            />
          </a>
        );
      })}
    </div>
  );
}
