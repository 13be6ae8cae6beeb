import { create } from 'zustand';
import { findableText, findWords, hasWords } from '../../model/find-session.ts';
import { localMachine } from '../../protocol/local-machine.ts';
import type { Session } from '../../protocol/session.ts';
import { readStored, writeStored } from '../data/stored.ts';
import { type Need, needOf, needs, type Sort, sorts } from './need.logic.ts';

/** Which sessions a list shows, and in which order. Empty means all that are not archived. */
export interface SessionFilter {
  readonly text: string;
  readonly status: Need | 'archived' | '';
  readonly agent: string;
  /** A directory. */
  readonly project: string;
  readonly machine: string;
  readonly labels: readonly string[];
  readonly sort: Sort;
}

export const noFilter: SessionFilter = {
  text: '',
  status: '',
  agent: '',
  project: '',
  machine: '',
  labels: [],
  sort: 'need',
};

/** Whether it leaves anything out. */
export const isFiltered = ({ text, status, agent, project, machine, labels }: SessionFilter): boolean =>
  text.trim() + status + agent + project + machine !== '' || labels.length > 0;

/** What is archived is shown among the archived, and where its words were asked for. */
export function fits(
  session: Session,
  { text, status, agent, project, machine, labels }: SessionFilter,
): boolean {
  const words = findWords(text);
  if (status === 'archived' ? session.archived !== true : session.archived === true && words.length === 0)
    return false;
  if (status !== '' && status !== 'archived' && needOf(session) !== status) return false;
  if (agent !== '' && session.agent !== agent) return false;
  if (project !== '' && session.cwd !== project) return false;
  if (machine !== '' && (session.machine ?? localMachine) !== machine) return false;
  if (!labels.every((label) => session.labels.includes(label))) return false;
  return words.length === 0 || hasWords(findableText(session), words);
}

/** What the server is asked for: it finds at least what fits. */
export const wordsOf = ({ text, agent, project, labels }: SessionFilter): string =>
  [text, agent, project, ...labels].join(' ').trim();

export interface FilterChoices {
  readonly agents: readonly string[];
  readonly projects: readonly string[];
  readonly labels: readonly string[];
}

/** What can be filtered by: only what is there. */
export function choicesOf(sessions: Iterable<Session>): FilterChoices {
  const all = [...sessions];
  const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort();
  return {
    agents: sorted(all.map(({ agent }) => agent)),
    projects: sorted(all.map(({ cwd }) => cwd)),
    labels: sorted(all.flatMap(({ labels }) => labels)),
  };
}

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
    const { status, agent, project, machine, labels, sort } = { ...noFilter, ...kept };
    return {
      text: '',
      status: needs.find((need) => need === status) ?? '',
      agent: String(agent),
      project: String(project),
      machine: String(machine),
      labels: Array.isArray(labels) ? labels.map(String) : [],
      sort: sorts.find((each) => each === sort) ?? 'need',
    };
  } catch {
    return noFilter;
  }
}
