import type { RoomSnapshot } from '../../client/transport.ts';
import type { Announcement } from '../../protocol/announcement.ts';
import type { MachineState } from '../../protocol/machine.ts';
import type { AgentCommand, QueuedMessage, Session, WhileBusy } from '../../protocol/session.ts';
import type { StorageState } from '../../protocol/storage.ts';
import type { Unlock } from '../../protocol/unlock.ts';
import { needOf } from '../session/need.logic.ts';
import { afterNews, type Interactions, noInteractions } from './interactions.ts';

/** What is known of all sessions. */
export interface Room extends Interactions {
  /** Those that the page was told of, or asked for. */
  readonly sessions: Readonly<Record<string, Session>>;
  /** How many there are in all. */
  readonly total: number;
  /** How many of them are archived. */
  readonly archived: number;
  /** Where the list of the others goes on. */
  readonly nextCursor: string | undefined;
  readonly queues: Readonly<Record<string, readonly QueuedMessage[]>>;
  /** What the agents of some sessions offer by `/name`, where it was asked for or heard of. */
  readonly commands: Readonly<Record<string, readonly AgentCommand[]>>;
  readonly storage: StorageState;
  /** What messages do while an agent works, in sessions that are not set for themselves. */
  readonly whileBusy: WhileBusy;
  /** None where there is only the server's own. */
  readonly machines: readonly MachineState[];
  /** Terminals that decide for a time, or want to. */
  readonly unlocks: readonly Unlock[];
}

export const emptyRoom: Room = {
  ...noInteractions,
  sessions: {},
  total: 0,
  archived: 0,
  nextCursor: undefined,
  queues: {},
  commands: {},
  storage: { ok: true, missing: [] },
  whileBusy: 'queue',
  machines: [],
  unlocks: [],
};

const nothing: readonly QueuedMessage[] = [];

/** All that is, in place of what was known. */
export function roomOf(snapshot: RoomSnapshot, before: Room, now: number): Room {
  const { nextCursor } = snapshot;
  const told = Object.fromEntries(snapshot.sessions.map((session) => [session.id, session]));
  return {
    ...afterNews(before, { by: 'snapshot', pending: snapshot.pending }, now),
    sessions: {
      ...(nextCursor === undefined ? {} : olderThan(snapshot.sessions, before.sessions)),
      ...archivedOf(before.sessions),
      ...told,
    },
    total: snapshot.total ?? snapshot.sessions.length,
    archived: snapshot.archived ?? 0,
    nextCursor,
    queues: snapshot.queues,
    storage: snapshot.storage ?? emptyRoom.storage,
    whileBusy: snapshot.whileBusy ?? emptyRoom.whileBusy,
    machines: snapshot.machines ?? [],
    unlocks: snapshot.unlocks ?? [],
  };
}

/** Sessions at rest that were asked for before, and that lie beyond those that a snapshot tells of. */
function olderThan(told: readonly Session[], before: Room['sessions']): Room['sessions'] {
  const resting = told.filter(isAtRest);
  const isOlder = ({ since }: Session): boolean => resting.every((other) => since < other.since);
  return Object.fromEntries(
    Object.entries(before).filter(([, session]) => isAtRest(session) && isOlder(session)),
  );
}

/** A snapshot does not tell of them; who looks at one goes on to. */
const archivedOf = (sessions: Room['sessions']): Room['sessions'] =>
  Object.fromEntries(Object.entries(sessions).filter(([, { archived }]) => archived === true));

const isAtRest = (session: Session): boolean => needOf(session) === 'asleep' || needOf(session) === 'ended';

/** What is known of a session already is at least as new as what was asked for. */
export const withSessions = <R extends Room>(room: R, sessions: readonly Session[]): R => ({
  ...room,
  sessions: { ...Object.fromEntries(sessions.map((session) => [session.id, session])), ...room.sessions },
});

/** How many sessions the page does not know of, of those that are archived or of the others. */
export function unknownCount({ total, archived, sessions }: Room, ofArchived = false): number {
  const known = Object.values(sessions).filter((each) => (each.archived === true) === ofArchived).length;
  return Math.max(0, (ofArchived ? archived : total - archived) - known);
}

export function afterAnnouncement(room: Room, { type, data }: Announcement, now: number): Room {
  switch (type) {
    case 'session-started':
      return {
        ...room,
        ...withSession(room, data),
        total: room.total + (data.id in room.sessions ? 0 : 1),
      };
    case 'session-updated':
    case 'session-ended':
      return withSession(room, data);
    case 'session-removed':
      return afterRemoval(room, data.sessionId, now);
    case 'approval-requested':
    case 'question-requested':
    case 'form-requested':
    case 'approval-parked':
    case 'approval-updated':
    case 'approval-cancelled':
      return afterNews(room, { by: 'announcement', interaction: data }, now);
    case 'approval-resolved':
      return afterNews(room, { by: 'announcement', interaction: data.interaction }, now);
    case 'message-queued':
    case 'message-updated':
    case 'message-removed':
    case 'message-sent':
      return { ...room, queues: { ...room.queues, [data.sessionId]: data.queue } };
    case 'storage-changed':
      return { ...room, storage: data };
    case 'machines-changed':
    case 'unlocks-changed':
      return { ...room, ...data };
    default:
      // A newer server may announce what this page does not know.
      return room;
  }
}

/** Whether it tells of a session that the page did not know, and that was not started just now. */
export const isOfUnknown = ({ sessions }: Room, { type, data }: Announcement): boolean =>
  (type === 'session-updated' || type === 'session-ended' || type === 'session-removed') &&
  !(data.sessionId in sessions);

/** Whether one that the page did not know was archived before cannot be seen: then the server is asked how many are. */
function withSession(room: Room, session: Session): Room {
  const known = room.sessions[session.id];
  const change =
    known === undefined ? 0 : Number(session.archived === true) - Number(known.archived === true);
  return {
    ...room,
    archived: Math.max(0, room.archived + change),
    sessions: { ...room.sessions, [session.id]: session },
  };
}

export const withCommands = <R extends Room>(
  room: R,
  sessionId: string,
  commands: readonly AgentCommand[],
): R => ({ ...room, commands: { ...room.commands, [sessionId]: commands } });

export const queueOf = (room: Room, sessionId: string): readonly QueuedMessage[] =>
  room.queues[sessionId] ?? nothing;

/** A session by what an address calls it: its id or its key. */
export const sessionNamed = ({ sessions }: Pick<Room, 'sessions'>, name: string): Session | undefined =>
  sessions[name] ?? Object.values(sessions).find(({ key }) => key === name);

function afterRemoval(room: Room, sessionId: string, now: number): Room {
  const isArchived = room.sessions[sessionId]?.archived === true;
  return {
    ...withoutSession(room, sessionId, now),
    total: Math.max(0, room.total - 1),
    archived: Math.max(0, room.archived - Number(isArchived)),
  };
}

/** The page forgets a session; how many there are is not its to say. */
export function withoutSession(room: Room, sessionId: string, now: number): Room {
  const { [sessionId]: _, ...sessions } = room.sessions;
  const { [sessionId]: __, ...queues } = room.queues;
  const { [sessionId]: ___, ...commands } = room.commands;
  return { ...afterNews(room, { by: 'removal', sessionId }, now), sessions, queues, commands };
}
