import { FileText } from 'lucide-react';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { useConversationPlace } from './conversation-context.ts';
import { Disclosure } from './disclosure.tsx';
import type { FoldEntry } from './entries.logic.ts';
import { callIn, isAtWork, toolLine } from './tool-call.logic.ts';

/** "Read 4 files, searched 2 times", and the last of them. */
export function FoldRow({ entry: { key, rows, isOpen } }: { readonly entry: FoldEntry }) {
  const t = useT();
  const { cwd } = useConversationPlace();
  const calls = rows.flatMap(({ item }) => (item.kind === 'tool' ? [item] : []));
  const reads = calls.filter((item) => callIn(item).is === 'read').length;
  const searches = calls.length - reads;
  const last = calls.at(-1);
  const isRunning = calls.some(isAtWork);
  return (
    <Disclosure name={key} isOpen={isOpen}>
      <FileText
        aria-hidden
        className={cx('size-3.5 shrink-0', isRunning ? 'animate-breathe text-work' : 'text-faint')}
      />
      <span className="shrink-0">
        {reads === 0
          ? t('fold.searchOnly', { count: searches })
          : [t('fold.read', { count: reads }), searches > 0 ? t('fold.search', { count: searches }) : '']
              .filter((part) => part !== '')
              .join(', ')}
      </span>
      {!isOpen && last !== undefined && (
        <span className="min-w-0 truncate font-mono text-xs">{toolLine(last, cwd).subject}</span>
      )}
    </Disclosure>
  );
}
