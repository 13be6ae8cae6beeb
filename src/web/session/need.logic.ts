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

export interface NeedGroup {
  readonly need: Need;
  readonly sessions: readonly Session[];
}

/** "200+" where there are more that the page was not told of: only sessions at rest are ever left out. */
export const countOf = ({ need, sessions }: NeedGroup, hasOlder: boolean): string =>
  `${sessions.length}${hasOlder && sessions.length > 0 && (need === 'asleep' || need === 'ended') ? '+' : ''}`;

/** Groups with at least one session, in the order in which they concern a person. */
export function groupByNeed(sessions: Iterable<Session>): NeedGroup[] {
  const all = [...sessions];
  return needs.flatMap((need) => {
    const group = all.filter((session) => needOf(session) === need).sort(orderWithin(need));
    return group.length === 0 ? [] : [{ need, sessions: group }];
  });
}

/**
 * Sessions for the monitors: those that need you first, the longest waiting before the others. The rest keeps its place,
 * newest first, whether at work or idle: a monitor that jumps with every turn cannot be found again.
 */
export function monitorOrder(sessions: Iterable<Session>): Session[] {
  const live = [...sessions].filter(isOnAMonitor);
  const waiting = live.filter((session) => session.status === 'waiting').sort(byLongestInState);
  const others = live.filter((session) => session.status !== 'waiting').sort(byNewest);
  return [...waiting, ...others];
}

/** A failure is news until someone has dealt with it; what sleeps or was stopped is not. */
const isOnAMonitor = ({ status }: Session): boolean => status !== 'asleep' && status !== 'stopped';

const orderWithin = (need: Need): ((a: Session, b: Session) => number) =>
  need === 'needs-you'
    ? byLongestInState
    : need === 'asleep' || need === 'ended'
      ? byLatestInState
      : byNewest;

const byLongestInState = (a: Session, b: Session): number => compare(a.since, b.since) || compare(a.id, b.id);
const byLatestInState = (a: Session, b: Session): number => compare(b.since, a.since) || compare(a.id, b.id);
const byNewest = (a: Session, b: Session): number => compare(b.createdAt, a.createdAt) || compare(a.id, b.id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
