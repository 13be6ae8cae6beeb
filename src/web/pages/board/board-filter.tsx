import { Search, X } from 'lucide-react';
import { create } from 'zustand';
import { useT } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Input, Select } from '../../ui/field.tsx';
import { type BoardFilter, isFiltered, noFilter } from './board.logic.ts';

/** Kept while one looks at a session and comes back. */
export const useBoardFilter = create<BoardFilter>(() => noFilter);

/** By text, by agent where there are several, and by label. */
export function BoardFilterBar({
  agents,
  labels,
}: {
  readonly agents: readonly string[];
  readonly labels: readonly string[];
}) {
  const t = useT();
  const filter = useBoardFilter();
  const toggle = (label: string): void =>
    useBoardFilter.setState({
      labels: filter.labels.includes(label)
        ? filter.labels.filter((each) => each !== label)
        : [...filter.labels, label],
    });
  return (
    <search className="flex flex-wrap items-center gap-2 px-4 pb-3 max-md:px-3">
      <div className="relative w-56 max-md:w-full">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
        />
        <Input
          type="search"
          aria-label={t('board.filter')}
          placeholder={t('board.filter')}
          value={filter.text}
          onChange={({ target }) => useBoardFilter.setState({ text: target.value })}
          className="pl-8"
        />
      </div>
      {agents.length > 1 && (
        <div className="w-40 max-md:w-32">
          <Select
            aria-label={t('new.agent')}
            value={filter.agent}
            onChange={({ target }) => useBoardFilter.setState({ agent: target.value })}
          >
            <option value="">{t('board.allAgents')}</option>
            {agents.map((agent) => (
              <option key={agent}>{agent}</option>
            ))}
          </Select>
        </div>
      )}
      {labels.length > 0 && (
        <fieldset
          aria-label={t('board.labels')}
          className="flex min-w-0 flex-wrap gap-1 max-md:flex-nowrap max-md:overflow-x-auto"
        >
          {labels.map((label) => {
            const isChosen = filter.labels.includes(label);
            return (
              <button
                key={label}
                type="button"
                aria-pressed={isChosen}
                onClick={() => toggle(label)}
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
          })}
        </fieldset>
      )}
      {isFiltered(filter) && (
        <Button size="sm" variant="ghost" icon={X} onClick={() => useBoardFilter.setState(noFilter)}>
          {t('board.all')}
        </Button>
      )}
    </search>
  );
}
