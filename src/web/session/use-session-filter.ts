import { create } from 'zustand';
import { readStored, writeStored } from '../data/stored.ts';
import { needs, sorts } from './need.logic.ts';
import { noFilter, type SessionFilter } from './session-filter.logic.ts';

/** The lists that can be filtered, each for itself. */
export type FilteredList = 'sidebar' | 'board';

/** Kept in this browser, but for the words: a list that hides what was sought last week looks empty. */
const useFilters = create<Readonly<Record<FilteredList, SessionFilter>>>(() => ({
  sidebar: keptFilter('sidebar'),
  board: keptFilter('board'),
}));

export const useSessionFilter = (list: FilteredList): SessionFilter => useFilters((filters) => filters[list]);

export function setFilter(list: FilteredList, changes: Partial<SessionFilter>): void {
  const next = { ...useFilters.getState()[list], ...changes };
  useFilters.setState({ [list]: next });
  writeStored(`filter.${list}`, JSON.stringify({ ...next, text: '' }));
}

/** Only what still has its shape: another version of the page may have written it. */
function keptFilter(list: FilteredList): SessionFilter {
  try {
    const kept: Partial<SessionFilter> = JSON.parse(readStored(`filter.${list}`) ?? '{}');
    const { status, agent, project, labels, sort } = { ...noFilter, ...kept };
    return {
      text: '',
      status: needs.find((need) => need === status) ?? '',
      agent: String(agent),
      project: String(project),
      labels: Array.isArray(labels) ? labels.map(String) : [],
      sort: sorts.find((each) => each === sort) ?? 'need',
    };
  } catch {
    return noFilter;
  }
}
