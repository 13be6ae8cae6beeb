import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Session } from '../../../protocol/session.ts';
import type { Conversation } from '../../conversation/conversation.logic.ts';
import { ConversationProvider } from '../../conversation/conversation-context.ts';
import { type Entry, EntryReader } from '../../conversation/entries.logic.ts';
import { EntryView, versionOf } from '../../conversation/entry-view.tsx';
import type { Row } from '../../conversation/row.ts';
import type { SessionFeed } from '../../data/session-feed.ts';
import { useT } from '../../i18n/i18n.ts';
import { pageScrolledItself } from '../../interaction/stillness.ts';
import { ActivityLine } from '../../session/activity-line.tsx';
import { useLooksAt } from '../../session/read-marks.ts';
import { cx } from '../../ui/class-names.ts';
import {
  BeginningOf,
  ConversationShape,
  NothingSaid,
  NotLoaded,
  OlderNotLoaded,
} from './conversation-edges.tsx';
import { LatestPill } from './latest-pill.tsx';
import { countNew } from './news.logic.ts';
import type { OpennessControl } from './openness.ts';

/** What other parts of the page can ask of the conversation. */
export interface ConversationHandle {
  /** Shows a row, with all around it opened that hides it. */
  reveal(row: Row): void;
  toLatest(): void;
}

interface ConversationViewProps {
  readonly ref: Ref<ConversationHandle>;
  readonly session: Session;
  readonly feed: SessionFeed;
  readonly control: OpennessControl;
}

/** As near to the end as this, one wants to see what comes. */
const endThreshold = 48;
/** Older pages are read so long before one reaches the top. */
const readAhead = 1600;
const padding = 40;
const revealedMs = 1600;

/**
 * The conversation: only what is on the screen is drawn. At the end it follows what comes; away from it nothing moves,
 * whether something is added below, read in front, or turns out to be higher than thought.
 */
export function ConversationView({ ref, session, feed, control }: ConversationViewProps) {
  const t = useT();
  const scroller = useRef<HTMLElement>(null);
  const [reader] = useState(() => new EntryReader());
  const { conversation } = feed;
  const { shape } = conversation;
  const { openness, toggle, open } = control;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape tells when the conversation changed
  const entries = useMemo(() => reader.read(conversation, openness), [reader, conversation, shape, openness]);
  const getItemKey = useCallback((at: number) => entries[at]?.key ?? at, [entries]);
  const estimateSize = useCallback((at: number) => entries[at]?.estimate ?? 28, [entries]);
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count: entries.length,
    getScrollElement: () => scroller.current,
    getItemKey,
    estimateSize,
    overscan: 6,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: endThreshold,
    paddingStart: padding,
    paddingEnd: 40,
  });
  const { isAtEnd, lastSeen } = useEndWatch(virtualizer.isAtEnd(endThreshold), entries.at(-1)?.key);
  const height = virtualizer.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what grows at the end moves all that is seen, away from it nothing
  useLayoutEffect(() => {
    if (isAtEnd) pageScrolledItself();
  }, [height]);
  const revealed = useRevealed();
  useEndInSmallerBox(scroller);

  const top = virtualizer.scrollOffset ?? 0;
  const [olderError, setOlderError] = useState<unknown>(null);
  const canReadOlder = feed.state === 'ready' && feed.hasOlder && !feed.isReadingOlder && olderError === null;
  useEffect(() => {
    if (canReadOlder && top < readAhead) feed.loadOlder().catch(setOlderError);
  }, [canReadOlder, top, feed]);

  const isThere = entries.length > 0;
  useLayoutEffect(() => {
    if (isThere) virtualizer.scrollToEnd();
  }, [isThere, virtualizer]);

  const asking = isAsking(conversation, entries.at(-1)) ? entries.at(-1)?.key : undefined;
  useTopOfTallAsk(virtualizer, asking, isAtEnd);
  // Whoever reads what is asked at the end is where they want to be, and would find the pill on top of it.
  const isAskInView = asking !== undefined && virtualizer.range?.endIndex === entries.length - 1;

  useLooksAt(session, feed.state === 'ready' && (isAtEnd || isAskInView));

  const { show } = revealed;
  const reveal = useCallback(
    (row: Row) => {
      open([row, ...ancestorsOf(row)].flatMap((each) => keysToOpen(reader, each, row)));
      show(row.key);
    },
    [open, reader, show],
  );
  useImperativeHandle(ref, () => ({ toLatest: () => virtualizer.scrollToEnd(), reveal }));
  const wanted = revealed.key === null ? -1 : entries.findLastIndex(({ key }) => key === revealed.key);
  const isWanted = wanted !== -1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each row that is asked for
  useEffect(() => {
    if (isWanted) virtualizer.scrollToIndex(wanted, { align: 'center' });
  }, [isWanted, revealed.key]);

  const place = useMemo(
    () => ({
      sessionId: session.id,
      cwd: session.cwd,
      conversation,
      toggle,
      toAsk: (interactionId: string) => {
        const row = conversation.rowOfAsk(interactionId);
        if (row !== undefined) reveal(row);
      },
    }),
    [session.id, session.cwd, conversation, toggle, reveal],
  );
  const isEmpty = feed.state === 'ready' && entries.length === 0;
  return (
    <ConversationProvider value={place}>
      <div className="relative flex min-h-0 flex-1 flex-col bg-surface">
        <section
          ref={scroller}
          aria-label={t('conversation.label')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keys
          tabIndex={0}
          className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px] [overflow-anchor:none]"
        >
          {feed.state === 'failed' && entries.length === 0 && <NotLoaded feed={feed} />}
          {feed.state === 'loading' && entries.length === 0 && <ConversationShape />}
          {isEmpty && <NothingSaid />}
          <div className="relative mx-auto w-full max-w-190" style={{ height }}>
            {isThere && olderError === null && <BeginningOf isReading={feed.hasOlder} />}
            {olderError !== null && <OlderNotLoaded error={olderError} onRetry={() => setOlderError(null)} />}
            {isThere && isBusy(session) && (
              <div className="absolute bottom-2 left-0 max-w-full px-4 max-md:px-3">
                <ActivityLine session={session} conversation={conversation} />
              </div>
            )}
            {virtualizer.getVirtualItems().map(({ key, index, start }) => {
              const entry = entries[index];
              if (entry === undefined) return null;
              return (
                <div
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  data-entry={entry.key}
                  aria-current={entry.key === revealed.key ? 'location' : undefined}
                  style={{ transform: `translateY(${start}px)` }}
                  className={cx(
                    'absolute top-0 left-0 w-full px-4 max-md:px-3',
                    entry.key === revealed.key && 'rounded-ui bg-hover',
                  )}
                >
                  <EntryView entry={entry} version={versionOf(entry)} />
                </div>
              );
            })}
          </div>
        </section>
        {!isAtEnd && entries.length > 0 && !isAskInView && (
          <LatestPill count={countNew(entries, lastSeen)} onPress={() => virtualizer.scrollToEnd()} />
        )}
      </div>
    </ConversationProvider>
  );
}

/** Whether it waits for a person. */
function isAsking(conversation: Conversation, entry: Entry | undefined): boolean {
  if (entry?.kind !== 'row') return false;
  const { row } = entry;
  const rows = row.item.kind === 'tool' ? conversation.asksWithin(row.item.toolCallId) : [row];
  return rows.some(({ item }) => item.kind === 'interaction' && item.interaction.status === 'open');
}

/** What is asked at the end, and is higher than the page, is read from its beginning: once, and not while one answers it. */
function useTopOfTallAsk(
  virtualizer: Virtualizer<HTMLElement, HTMLElement>,
  key: string | undefined,
  isAtEnd: boolean,
): void {
  const wasAtEnd = useRef(true);
  const shown = useRef<string>(undefined);
  const last = virtualizer.options.count - 1;
  const room = virtualizer.scrollRect?.height ?? Number.POSITIVE_INFINITY;
  const isTall = key !== undefined && (virtualizer.measurementsCache[last]?.size ?? 0) > room;
  useEffect(() => {
    const isFollowing = wasAtEnd.current || isAtEnd;
    wasAtEnd.current = isAtEnd;
    if (!isTall || !isFollowing || shown.current === key) return;
    shown.current = key;
    const scroller = virtualizer.scrollElement;
    const focused = document.activeElement;
    if (focused !== scroller && scroller?.contains(focused) === true) return;
    virtualizer.scrollToIndex(last, { align: 'start' });
  }, [virtualizer, key, last, isTall, isAtEnd]);
}

const isBusy = ({ status }: Session): boolean => status === 'running' || status === 'starting';

/** Whether the end is in view, and what was last there when it was. */
function useEndWatch(isAtEnd: boolean, lastKey: string | undefined) {
  const lastSeen = useRef(lastKey);
  if (isAtEnd) lastSeen.current = lastKey;
  return { isAtEnd, lastSeen: lastSeen.current };
}

/** What was at the end stays there when the box becomes smaller: the composer grows, a bar appears below it. */
function useEndInSmallerBox(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let isAtEnd = true;
    const moved = (): void => {
      isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= endThreshold;
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd) element.scrollTop = element.scrollHeight;
    });
    element.addEventListener('scroll', moved, { passive: true });
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', moved);
      observer.disconnect();
    };
  }, [scroller]);
}

/** The row that was just asked for, set apart for a moment. */
function useRevealed() {
  const [key, setKey] = useState<string | null>(null);
  useEffect(() => {
    if (key === null) return;
    const timer = setTimeout(() => setKey(null), revealedMs);
    return () => clearTimeout(timer);
  }, [key]);
  return { key, show: setKey };
}

/** What hides a row: all that it lies in, and the run that it is folded into. */
function keysToOpen(reader: EntryReader, each: Row, wanted: Row): string[] {
  const fold = reader.foldOf(each);
  return [...(each === wanted ? [] : [each.key]), ...(fold === undefined ? [] : [fold])];
}

function ancestorsOf(row: Row): Row[] {
  const found: Row[] = [];
  for (let at = row.parent; at !== null; at = at.parent) found.push(at);
  return found;
}
