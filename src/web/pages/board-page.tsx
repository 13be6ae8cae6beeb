import { Plus } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { useRoom } from '../data/room-context.tsx';
import { type Older, useArchived, useOlder } from '../data/use-older.ts';
import { openDialog } from '../frame/dialogs.ts';
import { PageHeader } from '../frame/page-header.tsx';
import { useT } from '../i18n/i18n.ts';
import { countOf, type Need, type NeedGroup, splitOld } from '../session/need.logic.ts';
import { choicesOf, isFiltered, useSessionFilter, wordsOf } from '../session/session-filter.ts';
import { SessionFilterBar } from '../session/session-filter-bar.tsx';
import { OlderButton, OlderRows, SessionRows, useOldBefore } from '../session/session-rows.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { keyIn } from '../ui/keys.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Tone, toneText } from '../ui/tone.ts';
import { columnsOf, spotAfter } from './board/board.logic.ts';
import { BoardCard } from './board/board-card.tsx';

/** Sessions as cards in columns, by what they want of you. */
export function BoardPage() {
  const t = useT();
  const sessions = useRoom((room) => room.sessions);
  const isLoaded = useRoom((room) => room.isLoaded);
  const filter = useSessionFilter('board');
  const all = useMemo(() => Object.values(sessions), [sessions]);
  const isArchive = filter.status === 'archived';
  const archived = useArchived(isArchive);
  const others = useOlder(wordsOf(filter));
  const older = isArchive ? archived : others;
  const columns = useMemo(() => columnsOf(all, filter), [all, filter]);
  const choices = useMemo(() => choicesOf(all), [all]);
  const board = useRef<HTMLDivElement>(null);

  const moved = (event: KeyboardEvent): void => {
    const key = keyIn('board', event);
    if (key === undefined) return;
    const cards = [...(board.current?.children ?? [])].map((column) => [
      ...column.querySelectorAll<HTMLElement>('[data-card]'),
    ]);
    const { target } = event;
    if (!(target instanceof HTMLElement)) return;
    const column = cards.findIndex((each) => each.includes(target));
    const row = cards[column]?.indexOf(target) ?? -1;
    if (row === -1) return;
    const spot = spotAfter(
      key,
      { column, row },
      cards.map((each) => each.length),
    );
    const next = spot === undefined ? undefined : cards[spot.column]?.[spot.row];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };

  return (
    <>
      <PageHeader title={t('frame.board')}>
        <Button icon={Plus} onClick={() => openDialog({ is: 'new-session' })}>
          {t('control.new')}
        </Button>
      </PageHeader>
      {all.length > 0 && (
        <SessionFilterBar list="board" choices={choices} className="px-4 pb-3 max-md:px-3" />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the cards in it, which take the focus */}
      <div
        ref={board}
        onKeyDown={moved}
        aria-busy={!isLoaded || undefined}
        className="flex min-h-0 flex-1 gap-3 overflow-x-auto px-4 pb-4 max-md:snap-x max-md:snap-mandatory max-md:scroll-px-3 max-md:px-3"
      >
        {columns.map((column) => (
          <Column
            key={column.need}
            column={column}
            older={older}
            isLoaded={isLoaded}
            isFiltered={isFiltered(filter)}
          />
        ))}
      </div>
    </>
  );
}

/** A new session works as soon as it has a first message, and is idle without one. */
const beginHere: readonly Need[] = ['working', 'idle'];

/** Only these have sessions that the page was not told of. */
const endsInThePast: readonly Need[] = ['asleep', 'ended'];

const tones: Readonly<Record<Need, Tone>> = {
  'needs-you': 'you',
  working: 'work',
  idle: 'neutral',
  asleep: 'neutral',
  ended: 'neutral',
};

const cardClass = '[contain-intrinsic-size:auto_84px] [content-visibility:auto]';

function Column({
  column,
  older,
  isLoaded,
  isFiltered: isNarrowed,
}: {
  readonly column: NeedGroup;
  readonly older: Older;
  readonly isLoaded: boolean;
  readonly isFiltered: boolean;
}) {
  const t = useT();
  const { need } = column;
  const oldBefore = useOldBefore();
  const { sessions, older: old } = useMemo(
    () => splitOld(column.sessions, isNarrowed ? '' : oldBefore),
    [column, isNarrowed, oldBefore],
  );
  return (
    <section
      aria-label={t(`need.${need}`)}
      className="flex min-w-52 flex-1 snap-start flex-col gap-2 max-md:min-w-[82vw]"
    >
      <header className="flex h-7 items-center gap-2 px-1 pointer-coarse:h-11">
        <h2 className={cx('font-medium text-sm', sessions.length > 0 ? toneText[tones[need]] : 'text-faint')}>
          {t(`need.${need}`)}
        </h2>
        <span className="text-faint text-sm">{countOf(need, column.sessions.length, older.count > 0)}</span>
        <span className="flex-1" />
        {beginHere.includes(need) && (
          <IconButton
            icon={Plus}
            label={t('control.new')}
            shortcut="everywhere.new-session"
            onClick={() => openDialog({ is: 'new-session' })}
          />
        )}
      </header>
      <ul className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto rounded-ui bg-sunken p-2 md:in-data-docked:pb-72">
        {!isLoaded && <Skeleton className="h-20 bg-surface" />}
        {isLoaded && column.sessions.length === 0 && (
          <li className="px-1 py-2 text-faint text-sm">
            {isNarrowed ? t('board.noneHere') : t(`board.empty.${need}`)}
          </li>
        )}
        <SessionRows sessions={sessions} itemClass={cardClass}>
          {(session) => <BoardCard session={session} />}
        </SessionRows>
        {old.length > 0 && (
          <li>
            <OlderRows count={old.length}>
              <ul className="flex flex-col gap-2 pt-2">
                <SessionRows sessions={old} itemClass={cardClass}>
                  {(session) => <BoardCard session={session} />}
                </SessionRows>
              </ul>
            </OlderRows>
          </li>
        )}
        {endsInThePast.includes(need) && older.count > 0 && (
          <li>
            <OlderButton older={older} />
          </li>
        )}
      </ul>
    </section>
  );
}
