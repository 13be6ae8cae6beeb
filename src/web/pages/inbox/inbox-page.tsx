import { useMemo, useState } from 'react';
import type { Interaction, InteractionKind } from '../../../protocol/interaction.ts';
import { useRoom } from '../../data/room-context.tsx';
import { PageHeader } from '../../frame/page-header.tsx';
import { useKeys } from '../../frame/use-keys.ts';
import { useT } from '../../i18n/i18n.ts';
import { titleOf } from '../../session/activity.logic.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Select } from '../../ui/field.tsx';
import { BatchDialog } from './batch-dialog.tsx';
import { CurrentCard } from './current-card.tsx';
import type { InboxFilter } from './inbox.logic.ts';
import { InboxEmpty } from './inbox-empty.tsx';
import { InboxKeys } from './inbox-keys.tsx';
import { InboxList } from './inbox-list.tsx';
import { useInbox } from './use-inbox.ts';

/** All open interactions of all sessions, oldest first: a list, and the card of the one chosen. */
export function InboxPage() {
  const t = useT();
  const inbox = useInbox();
  const { pending, items, filter, selected, batch } = inbox;
  const [isCardOpen, setCardOpen] = useState(false);
  useKeys('inbox', inbox.run);

  if (pending.length === 0 && items.length === 0) return <InboxEmpty />;
  return (
    <>
      <div className={cx('contents', isCardOpen && 'max-md:hidden')}>
        <PageHeader
          title={t('frame.inbox')}
          summary={<span className="text-sm text-you-ink">{t('inbox.open', { count: pending.length })}</span>}
        >
          <InboxFilters pending={pending} filter={filter} onChange={inbox.setFilter} />
        </PageHeader>
      </div>
      <div className={cx('flex min-h-0 flex-1 border-line border-t', isCardOpen && 'max-md:border-t-0')}>
        <div
          className={cx(
            'flex w-88 shrink-0 flex-col border-line border-r bg-surface max-md:w-full max-md:border-r-0',
            isCardOpen && 'max-md:hidden',
          )}
        >
          <InboxList
            ref={inbox.list}
            items={items}
            currentId={inbox.currentId}
            marked={new Set(selected.map(({ interactionId }) => interactionId))}
            onChoose={(id) => {
              inbox.choose(id);
              setCardOpen(true);
            }}
            onToggle={inbox.toggle}
          />
          {selected.length > 0 && (
            <div className="flex items-center gap-2 border-line border-t px-3 py-2">
              <span className="flex-1 text-sm text-soft">
                {t('inbox.selected', { count: selected.length })}
              </span>
              <Button size="sm" variant="ghost" onClick={inbox.clear}>
                {t('inbox.clear')}
              </Button>
              <Button size="sm" onClick={inbox.openBatch}>
                {t('inbox.allowSelected')}
              </Button>
            </div>
          )}
          <InboxKeys />
        </div>
        <CurrentCard
          key={inbox.place}
          interaction={inbox.current}
          isOpenOnPhone={isCardOpen}
          onBack={() => setCardOpen(false)}
          onAnswered={inbox.goOn}
        />
      </div>
      {batch !== null && <BatchDialog interactions={batch} onClose={inbox.closeBatch} />}
    </>
  );
}

interface InboxFiltersProps {
  readonly pending: readonly Interaction[];
  readonly filter: InboxFilter;
  readonly onChange: (filter: InboxFilter) => void;
}

/** By session and by kind, once there is something to choose between. */
function InboxFilters({ pending, filter, onChange }: InboxFiltersProps) {
  const t = useT();
  const sessions = useRoom((room) => room.sessions);
  const asking = useMemo(() => {
    const ids = new Set<string>(pending.map(({ sessionId }) => sessionId));
    if (filter.sessionId !== null) ids.add(filter.sessionId);
    return [...ids].flatMap((id) => sessions[id] ?? []);
  }, [pending, sessions, filter.sessionId]);
  const isFiltering = filter.sessionId !== null || filter.kind !== null;
  if (pending.length < 2 && !isFiltering) return null;
  return (
    <div className="flex min-w-0 gap-2 max-md:basis-full">
      <span className="w-44 max-md:min-w-0 max-md:flex-1">
        <Select
          aria-label={t('inbox.bySession')}
          value={filter.sessionId ?? ''}
          onChange={({ target }) =>
            onChange({ ...filter, sessionId: target.value === '' ? null : target.value })
          }
        >
          <option value="">{t('inbox.allSessions')}</option>
          {asking.map((session) => (
            <option key={session.id} value={session.id}>
              {titleOf(session)}
            </option>
          ))}
        </Select>
      </span>
      <span className="w-36 max-md:min-w-0 max-md:flex-1">
        <Select
          aria-label={t('inbox.byKind')}
          value={filter.kind ?? ''}
          onChange={({ target }) => onChange({ ...filter, kind: kindOf(target.value) })}
        >
          <option value="">{t('inbox.allKinds')}</option>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {t(`inbox.kind.${kind}`)}
            </option>
          ))}
        </Select>
      </span>
    </div>
  );
}

const kinds = ['approval', 'question', 'form'] as const satisfies readonly InteractionKind[];

const kindOf = (value: string): InteractionKind | null => kinds.find((kind) => kind === value) ?? null;
