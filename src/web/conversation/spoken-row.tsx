import { Brain } from 'lucide-react';
import { useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { oneLine } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Disclosure } from './disclosure.tsx';
import type { SpokenItem } from './row.ts';

/** More than this at once would hold up the page; nobody reads it in one go. */
const longestText = 120_000;

/** What the agent says, as it says it. */
export function TextRow({ item }: { readonly item: SpokenItem }) {
  const t = useT();
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && !item.isLive && item.text.length > longestText;
  return (
    <>
      <Markdown text={isCut ? item.text.slice(0, longestText) : item.text} isLive={item.isLive} />
      {isCut && (
        <Button variant="ghost" size="sm" onClick={() => setWhole(true)}>
          {t('conversation.showAll', { count: item.text.split('\n').length })}
        </Button>
      )}
    </>
  );
}

const previewLength = 160;

/** Thinking is one line, before and after: only who wants to read it opens it, and nothing jumps when it ends. */
export function ThinkingRow({
  name,
  item: { text, isLive },
  isOpen,
}: {
  readonly name: string;
  readonly item: SpokenItem;
  readonly isOpen: boolean;
}) {
  const t = useT();
  const preview = isLive ? text.slice(-previewLength) : text.slice(0, previewLength);
  return (
    <>
      <Disclosure name={name} isOpen={isOpen}>
        <Brain aria-hidden className={cx('size-3.5 shrink-0', isLive && 'animate-breathe text-work')} />
        <span className="shrink-0">{t(isLive ? 'conversation.thinking' : 'conversation.thought')}</span>
        {!isOpen && (
          <span className={cx('min-w-0 truncate italic', isLive && '[direction:rtl]')}>
            <bdi>{oneLine(preview)}</bdi>
          </span>
        )}
      </Disclosure>
      {isOpen && (
        <div className="mt-1 mb-2 border-line-strong border-l-2 pl-3 text-soft">
          <Markdown text={text} isLive={isLive} className="text-sm" />
        </div>
      )}
    </>
  );
}
