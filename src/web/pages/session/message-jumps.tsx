import { ChevronDown, ChevronUp } from 'lucide-react';
import { useT } from '../../i18n/i18n.ts';
import { IconButton } from '../../ui/icon-button.tsx';

/** From one message of one's own to the next; beside the text, where there is room. */
export function MessageJumps({ onJump }: { readonly onJump: (step: -1 | 1) => void }) {
  const t = useT();
  return (
    <div className="absolute top-2 right-2 flex flex-col rounded-ui border border-line bg-surface max-[1400px]:hidden">
      <IconButton
        icon={ChevronUp}
        label={t('conversation.previousMessage')}
        shortcut="session.message-before"
        onClick={() => onJump(-1)}
      />
      <IconButton
        icon={ChevronDown}
        label={t('conversation.nextMessage')}
        shortcut="session.message-after"
        onClick={() => onJump(1)}
      />
    </div>
  );
}
