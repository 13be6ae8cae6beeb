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
import { useVirtualList, type VirtualList } from './use-virtual-list.ts';

/** What other parts of the page can ask of the conversation. */
export interface ConversationHandle {
  /** Shows a row, with all around it opened that hides it. */
  reveal(row: Row): void;
  toLatest(): void;
  /** Goes to the person's own message before or after what is in view. */
  toOwnMessage(step: -1 | 1): void;
}

interface ConversationViewProps {
  readonly ref: Ref<ConversationHandle>;
  readonly session: Session;
  readonly feed: SessionFeed;
  readonly control: OpennessControl;
  /** Something else has its place for now: nobody reads it. */
  readonly isHidden: boolean;
}

const revealedMs = 1600;

/**
 * The conversation: only what is on the screen is drawn. At the end it follows what comes; away from it nothing moves,
 * whether something is added below, read in front, or turns out to be higher than thought.
 */
export function ConversationView({ ref, session, feed, control, isHidden }: ConversationViewProps) {
  const t = useT();
  const scroller = useRef<HTMLElement>(null);
  const [reader] = useState(() => new EntryReader());
  const { conversation } = feed;
  const { openness, toggle, open } = control;
  const entries = reader.read(conversation, openness);
  const list = useVirtualList(scroller, entries, reader.firstChanged);
  const { isAtEnd, lastSeen } = useEndWatch(list.isAtEnd, entries.at(-1)?.key);
  const { height, isNearStart } = list;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what grows at the end moves all that is seen, away from it nothing
  useLayoutEffect(() => {
    if (isAtEnd) pageScrolledItself();
  }, [height]);
  const revealed = useRevealed();

  const [olderError, setOlderError] = useState<unknown>(null);
  const canReadOlder = feed.state === 'ready' && feed.hasOlder && !feed.isReadingOlder && olderError === null;
  useEffect(() => {
    if (canReadOlder && isNearStart) feed.loadOlder().catch(setOlderError);
  }, [canReadOlder, isNearStart, feed]);

  const isThere = entries.length > 0;
  const asking = isAsking(conversation, entries.at(-1)) ? entries.at(-1)?.key : undefined;
  useTopOfTallAsk(list, scroller, asking, entries.length - 1);
  // Whoever reads what is asked at the end is where they want to be, and would find the pill on top of it.
  const isAskInView = asking !== undefined && list.lastInView === entries.length - 1;

  useLooksAt(session, !isHidden && feed.state === 'ready' && (isAtEnd || isAskInView));

  const { show } = revealed;
  const reveal = useCallback(
    (row: Row, align: 'start' | 'center' = 'center') => {
      open([row, ...ancestorsOf(row)].flatMap((each) => keysToOpen(reader, each, row)));
      show({ key: row.key, align });
    },
    [open, reader, show],
  );
  const toOwnMessage = async (step: -1 | 1): Promise<void> => {
    const inView = entries[list.firstInView];
    const from = inView === undefined ? undefined : topRowOf(inView);
    let found = from && ownMessageFrom(conversation, from, step);
    while (step === -1 && found === undefined && from !== undefined && feed.hasOlder) {
      await feed.loadOlder();
      found = ownMessageFrom(conversation, from, step);
    }
    if (found !== undefined) reveal(found, 'start');
    else if (step === 1) list.toEnd();
  };
  const jump = (step: -1 | 1): void => void toOwnMessage(step).catch(setOlderError);
  useImperativeHandle(ref, () => ({ toLatest: () => list.toEnd(), toOwnMessage: jump, reveal }));
  const { row: wanted } = revealed;
  const isDrawable = wanted !== null && entries.some(({ key }) => key === wanted.key);
  useEffect(() => {
    if (isDrawable) list.toEntry(wanted.key, wanted.align);
  }, [isDrawable, wanted, list]);

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
  const watch = useCallback((element: HTMLElement | null) => list.watch(element), [list]);
  const { from, to, start } = list.range();
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
          <div className="relative mx-auto flow-root w-full max-w-190" style={{ height }}>
            {isThere && olderError === null && <BeginningOf isReading={feed.hasOlder} />}
            {olderError !== null && <OlderNotLoaded error={olderError} onRetry={() => setOlderError(null)} />}
            {isThere && isBusy(session) && (
              <div className="absolute bottom-2 left-0 max-w-full px-4 max-md:px-3">
                <ActivityLine session={session} conversation={conversation} />
              </div>
            )}
            <div className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>
              {entries.slice(from, to).map((entry, at) => (
                <div
                  key={entry.key}
                  ref={watch}
                  data-index={from + at}
                  data-entry={entry.key}
                  aria-current={entry.key === wanted?.key ? 'location' : undefined}
                  className={cx(
                    'flow-root px-4 max-md:px-3',
                    entry.key === wanted?.key && 'rounded-ui bg-hover',
                  )}
                >
                  <EntryView entry={entry} version={versionOf(entry)} />
                </div>
              ))}
            </div>
          </div>
        </section>
        {!isAtEnd && entries.length > 0 && !isAskInView && (
          <LatestPill count={countNew(entries, lastSeen)} onPress={() => list.toEnd()} />
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
  list: VirtualList,
  scroller: RefObject<HTMLElement | null>,
  key: string | undefined,
  last: number,
): void {
  const { isAtEnd } = list;
  const wasAtEnd = useRef(true);
  const shown = useRef<string>(undefined);
  const isTall = key !== undefined && list.heightOf(last) > list.viewHeight;
  useEffect(() => {
    const isFollowing = wasAtEnd.current || isAtEnd;
    wasAtEnd.current = isAtEnd;
    if (!isTall || !isFollowing || shown.current === key) return;
    shown.current = key;
    const focused = document.activeElement;
    if (focused !== scroller.current && scroller.current?.contains(focused) === true) return;
    list.toEntry(key, 'start');
  }, [list, scroller, key, isTall, isAtEnd]);
}

const isBusy = ({ status }: Session): boolean => status === 'running' || status === 'starting';

/** Whether the end is in view, and what was last there when it was. */
function useEndWatch(isAtEnd: boolean, lastKey: string | undefined) {
  const lastSeen = useRef(lastKey);
  if (isAtEnd) lastSeen.current = lastKey;
  return { isAtEnd, lastSeen: lastSeen.current };
}

/** The row that was just asked for, set apart for a moment. */
function useRevealed() {
  const [row, setRow] = useState<{ readonly key: string; readonly align: 'start' | 'center' } | null>(null);
  useEffect(() => {
    if (row === null) return;
    const timer = setTimeout(() => setRow(null), revealedMs);
    return () => clearTimeout(timer);
  }, [row]);
  return { row, show: setRow };
}

/** The row at the top that an entry is, or belongs under. */
function topRowOf(entry: Entry): Row | undefined {
  const row = entry.kind === 'fold' ? entry.rows[0] : entry.row;
  return row && (ancestorsOf(row).at(-1) ?? row);
}

/** The nearest message of the person's before or after a row. */
function ownMessageFrom({ rows }: Conversation, from: Row, step: -1 | 1): Row | undefined {
  for (let at = rows.lastIndexOf(from) + step; at >= 0 && at < rows.length; at += step)
    if (rows[at]?.item.kind === 'message') return rows[at];
  return undefined;
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
