import type { Session, SessionStatus } from '../../protocol/session.ts';

/** Sessions by what they want of a person. */
export const needs = ['needs-you', 'working', 'idle', 'asleep', 'ended'] as const;
export type Need = (typeof needs)[number];

const needByStatus: Readonly<Record<SessionStatus, Need>> = {
  waiting: 'needs-you',
  running: 'working',
  starting: 'working',
  idle: 'idle',
  asleep: 'asleep',
  stopped: 'ended',
  failed: 'ended',
};

export const needOf = (session: Pick<Session, 'status'>): Need => needByStatus[session.status];

/** `need`: as each group concerns a person. */
export const sorts = ['need', 'activity', 'created', 'title'] as const;
export type Sort = (typeof sorts)[number];

export interface NeedGroup {
  readonly need: Need;
  readonly sessions: readonly Session[];
}

/** "200+" where there are more that the page was not told of: only sessions at rest are ever left out. */
export const countOf = (need: Need | 'pinned', count: number, hasOlder: boolean): string =>
  `${count}${hasOlder && count > 0 && (need === 'asleep' || need === 'ended') ? '+' : ''}`;

/** Groups with at least one session, in the order in which they concern a person; what is pinned is first in each. */
export function groupByNeed(sessions: Iterable<Session>, sort: Sort = 'need'): NeedGroup[] {
  const groups = new Map<Need, Session[]>(needs.map((need) => [need, []]));
  for (const session of sessions) groups.get(needOf(session))?.push(session);
  return [...groups].flatMap(([need, group]) =>
    group.length === 0 ? [] : [{ need, sessions: pinnedFirst(group.sort(orderOf(sort, need))) }],
  );
}

export interface ListGroup {
  readonly need: Need | 'pinned';
  readonly sessions: readonly Session[];
  /** Ended so long ago that they are folded away. */
  readonly older: readonly Session[];
}

/** What is pinned stands in a group of its own, unless it needs you; what ended before the given time is set apart. */
export function listGroups(sessions: Iterable<Session>, sort: Sort, oldBefore: string): ListGroup[] {
  const groups = groupByNeed(sessions, sort);
  const isPinned = (session: Session): boolean => session.pinned === true && session.status !== 'waiting';
  const pinned = groups.flatMap((group) => group.sessions.filter(isPinned));
  const others = groups
    .map(({ need, sessions: all }) => ({
      need,
      ...splitOld(
        all.filter((session) => !isPinned(session)),
        oldBefore,
      ),
    }))
    .filter((group) => group.sessions.length + group.older.length > 0);
  const first = others.filter(({ need }) => need === 'needs-you');
  return [
    ...first,
    ...(pinned.length === 0 ? [] : [{ need: 'pinned' as const, sessions: pinned, older: [] }]),
    ...others.slice(first.length),
  ];
}

/** What ended before the given time, apart from the rest. */
export function splitOld(
  sessions: readonly Session[],
  oldBefore: string,
): { readonly sessions: readonly Session[]; readonly older: readonly Session[] } {
  const isOld = (session: Session): boolean =>
    needOf(session) === 'ended' && session.pinned !== true && session.since < oldBefore;
  const older = sessions.filter(isOld);
  return { sessions: older.length === 0 ? sessions : sessions.filter((each) => !isOld(each)), older };
}

/**
 * Sessions for the monitors: those that need you first, the longest waiting before the others. The rest keeps its place,
 * newest first, whether at work or idle: a monitor that jumps with every turn cannot be found again.
 */
export function monitorOrder(sessions: Iterable<Session>): Session[] {
  const live = [...sessions].filter(isOnAMonitor);
  const waiting = live.filter((session) => session.status === 'waiting').sort(byLongestInState);
  const others = live.filter((session) => session.status !== 'waiting').sort(byNewest);
  return [...waiting, ...pinnedFirst(others)];
}

/** A failure is news until someone has dealt with it; what sleeps, was stopped or put away is not. */
const isOnAMonitor = ({ status, archived }: Session): boolean =>
  status !== 'asleep' && status !== 'stopped' && archived !== true;

const pinnedFirst = (sessions: readonly Session[]): readonly Session[] =>
  sessions.some(({ pinned }) => pinned)
    ? [...sessions.filter(({ pinned }) => pinned), ...sessions.filter(({ pinned }) => !pinned)]
    : sessions;

type Order = (a: Session, b: Session) => number;

function orderOf(sort: Sort, need: Need): Order {
  switch (sort) {
    case 'activity':
      return byLatestActivity;
    case 'created':
      return byNewest;
    case 'title':
      return byTitle;
    case 'need':
      if (need === 'needs-you') return byLongestInState;
      return need === 'asleep' || need === 'ended' ? byLatestInState : byNewest;
  }
}

const byLongestInState: Order = (a, b) => compare(a.since, b.since) || compare(a.id, b.id);
const byLatestInState: Order = (a, b) => compare(b.since, a.since) || compare(a.id, b.id);
const byLatestActivity: Order = (a, b) => compare(b.updatedAt, a.updatedAt) || compare(a.id, b.id);
const byNewest: Order = (a, b) => compare(b.createdAt, a.createdAt) || compare(a.id, b.id);
const titles = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const byTitle: Order = (a, b) => titles.compare(a.title, b.title) || compare(a.id, b.id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
