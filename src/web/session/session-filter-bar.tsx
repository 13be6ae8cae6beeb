import { Search, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Input, Select } from '../ui/field.tsx';
import { shortDirectory } from './activity.logic.ts';
import { needs, sorts } from './need.logic.ts';
import {
  type FilterChoices,
  type FilteredList,
  isFiltered,
  noFilter,
  type SessionFilter,
  setFilter,
  useSessionFilter,
} from './session-filter.ts';

/** By words, status, agent, project and label; what there is only one of is not offered. */
export function SessionFilterBar({
  list,
  choices: { agents, projects, labels },
  className,
}: {
  readonly list: FilteredList;
  readonly choices: FilterChoices;
  readonly className: string;
}) {
  const t = useT();
  const filter = useSessionFilter(list);
  const machines = useRoom((room) => room.machines);
  const change = (changes: Partial<SessionFilter>): void => setFilter(list, changes);
  return (
    <search className={cx('flex flex-wrap items-center gap-2', className)}>
      <div className="relative w-56 max-w-full grow max-md:w-full md:max-w-64">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
        />
        <Input
          type="search"
          aria-label={t('board.filter')}
          placeholder={t('board.filter')}
          value={filter.text}
          onChange={({ target }) => change({ text: target.value })}
          className="pl-8"
        />
      </div>
      <Choice
        label={t('filter.status')}
        value={filter.status}
        onChange={(value) => change({ status: statuses.find((each) => each === value) ?? '' })}
      >
        <option value="">{t('filter.allStatuses')}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {t(status === 'archived' ? 'life.archived' : `need.${status}`)}
          </option>
        ))}
      </Choice>
      {agents.length > 1 && (
        <Choice label={t('new.agent')} value={filter.agent} onChange={(agent) => change({ agent })}>
          <option value="">{t('board.allAgents')}</option>
          {agents.map((agent) => (
            <option key={agent}>{agent}</option>
          ))}
        </Choice>
      )}
      {projects.length > 1 && (
        <Choice
          label={t('filter.project')}
          value={filter.project}
          onChange={(project) => change({ project })}
        >
          <option value="">{t('filter.allProjects')}</option>
          {projects.map((project) => (
            <option key={project} value={project} title={project}>
              {shortDirectory(project)}
            </option>
          ))}
        </Choice>
      )}
      {(machines.length > 1 || filter.machine !== '') && (
        <Choice label={t('machine.name')} value={filter.machine} onChange={(machine) => change({ machine })}>
          <option value="">{t('machine.all')}</option>
          {[...new Set([...machines.map(({ name }) => name), filter.machine])].filter(Boolean).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Choice>
      )}
      <Choice
        label={t('filter.sort')}
        value={filter.sort}
        onChange={(value) => change({ sort: sorts.find((each) => each === value) ?? 'need' })}
      >
        {sorts.map((sort) => (
          <option key={sort} value={sort}>
            {t(`filter.sort.${sort}`)}
          </option>
        ))}
      </Choice>
      {labels.length > 0 && (
        <fieldset
          aria-label={t('board.labels')}
          className="flex min-w-0 flex-wrap gap-1 max-md:flex-nowrap max-md:overflow-x-auto"
        >
          {labels.map((label) => (
            <LabelButton
              key={label}
              label={label}
              isChosen={filter.labels.includes(label)}
              onPress={(isChosen) =>
                change({
                  labels: isChosen
                    ? filter.labels.filter((each) => each !== label)
                    : [...filter.labels, label],
                })
              }
            />
          ))}
        </fieldset>
      )}
      {isFiltered(filter) && (
        <Button size="sm" variant="ghost" icon={X} onClick={() => change({ ...noFilter, sort: filter.sort })}>
          {t('board.all')}
        </Button>
      )}
    </search>
  );
}

const statuses = [...needs, 'archived'] as const;

function Choice({
  label,
  value,
  onChange,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}) {
  return (
    <div className="w-36 grow max-md:w-32 md:max-w-44">
      <Select
        aria-label={label}
        title={label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        {children}
      </Select>
    </div>
  );
}

function LabelButton({
  label,
  isChosen,
  onPress,
}: {
  readonly label: string;
  readonly isChosen: boolean;
  readonly onPress: (wasChosen: boolean) => void;
}) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => onPress(isChosen)}
      className={cx(
        'max-w-40 shrink-0 truncate rounded-ui border px-2 py-0.5 text-xs transition-colors duration-150 pointer-coarse:min-h-11',
        isChosen
          ? 'border-ink bg-ink text-inverse'
          : 'border-line-strong text-soft hover:border-faint hover:text-ink',
      )}
    >
      {label}
    </button>
  );
}
