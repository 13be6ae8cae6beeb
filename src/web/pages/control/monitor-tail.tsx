import { useMemo } from 'react';
import { noticeText, turnEndText } from '../../conversation/notice-row.tsx';
import { type TailLine, tailOf } from '../../conversation/tail.logic.ts';
import { ToolLineView } from '../../conversation/tool-line-view.tsx';
import { useFeedVersion } from '../../data/room-context.tsx';
import type { SessionFeed } from '../../data/session-feed.ts';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { messageInShort } from '../../text/message-in-short.ts';
import { cx } from '../../ui/class-names.ts';
import { Skeleton } from '../../ui/skeleton.tsx';

/** The end of a conversation, live; what does not fit leaves at the top. */
export function MonitorTail({
  feed,
  cwd,
  most,
}: {
  readonly feed: SessionFeed | null;
  readonly cwd: string;
  readonly most: number;
}) {
  const t = useT();
  useFeedVersion(feed);
  if (feed?.state === 'failed') return <p className="text-faint text-sm">{errorText(t, feed.error)}</p>;
  if (feed === null || feed.state === 'loading') {
    return (
      <div className="mt-auto flex flex-col gap-2">
        <Skeleton className="h-3 w-4/5" />
        <Skeleton className="h-3 w-3/5" />
        <Skeleton className="h-3 w-2/3" />
      </div>
    );
  }
  const lines = tailOf(feed.conversation, most);
  if (lines.length === 0) return <p className="mt-auto text-faint text-sm">{t('control.nothingSaid')}</p>;
  return (
    <div className="tail min-h-0 flex-1 gap-1 text-soft text-sm">
      {lines.map((line) => (
        <TailLineView key={line.key} line={line} cwd={cwd} />
      ))}
    </div>
  );
}

function TailLineView({ line, cwd }: { readonly line: TailLine; readonly cwd: string }) {
  const t = useT();
  switch (line.kind) {
    case 'message':
      return <Said text={line.text} />;
    case 'text':
    case 'thinking':
      return (
        <div
          className={cx(
            'flex shrink-0 flex-col gap-1',
            line.kind === 'thinking' ? 'text-faint italic' : 'text-ink',
          )}
        >
          {line.passages.map(({ isCode, text }, at) => (
            <p
              // biome-ignore lint/suspicious/noArrayIndexKey: passages have no other name than their place
              key={at}
              className={cx(
                'wrap-anywhere',
                isCode
                  ? 'whitespace-pre-wrap border-line border-l-2 pl-2 font-mono text-soft text-xs leading-4.5'
                  : 'whitespace-pre-line',
              )}
            >
              {text}
              {line.isLive && at === line.passages.length - 1 && (
                <span
                  aria-hidden
                  className="ml-0.5 inline-block h-3.5 w-1.5 animate-breathe bg-work align-[-2px]"
                />
              )}
            </p>
          ))}
        </div>
      );
    case 'tool':
      return <ToolLineView item={line.item} cwd={cwd} notMade={line.notMade} depth={line.depth} />;
    case 'turn-end':
      return <p className="shrink-0 text-faint">{turnEndText(t, line.end)}</p>;
    case 'notice':
      return <p className="line-clamp-2 shrink-0 text-faint wrap-anywhere">{noticeText(t, line.event)}</p>;
  }
}

function Said({ text }: { readonly text: string }) {
  const t = useT();
  const short = useMemo(() => messageInShort(t, text), [t, text]);
  return (
    <p className="line-clamp-2 shrink-0 border-line-strong border-l-2 pl-2 text-faint wrap-anywhere">
      <span className="sr-only">{t('conversation.you')}: </span>
      {short}
    </p>
  );
}
