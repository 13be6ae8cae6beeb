import { useMemo } from 'react';
import type { Interaction, InteractionKind } from '../../../protocol/interaction.ts';
import { useRoom } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { titleOf } from '../../session/activity.logic.ts';
import { Select } from '../../ui/field.tsx';
import type { InboxFilter } from './inbox.logic.ts';

export interface InboxFiltersProps {
  readonly pending: readonly Interaction[];
  readonly filter: InboxFilter;
  readonly onChange: (filter: InboxFilter) => void;
}

/** By session and by kind, once there is something to choose between. */
export function InboxFilters({ pending, filter, onChange }: InboxFiltersProps) {
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
