import { useRef } from 'react';
import { imagePath } from '../data/access.ts';
import { useFile } from '../data/use-file.ts';
import { useT } from '../i18n/i18n.ts';
import { useOnScreen } from '../ui/use-on-screen.ts';
import { useConversationPlace } from './conversation-context.ts';
import type { MessageItem } from './row.ts';

/** Pictures that were sent or shown: all of one height, so that nothing moves when they are there. */
export function Pictures({ images }: { readonly images: MessageItem['images'] }) {
  if (images.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {images.map(({ imageId }, at) => (
        <Picture key={imageId} imageId={imageId} number={at + 1} />
      ))}
    </div>
  );
}

function Picture({ imageId, number }: { readonly imageId: string; readonly number: number }) {
  const t = useT();
  const { sessionId } = useConversationPlace();
  const frame = useRef<HTMLAnchorElement>(null);
  const isOnScreen = useOnScreen(frame);
  const url = useFile(imagePath(sessionId, imageId), isOnScreen);
  return (
    <a
      ref={frame}
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="block h-40 min-w-16 max-w-full overflow-hidden rounded-ui border border-line bg-ground"
    >
      <img
        src={url}
        alt={t('conversation.image', { number })}
        className="h-full w-auto max-w-full object-contain"
      />
    </a>
  );
}
