import { trustIn } from '../model/grants.ts';
import { foldInteraction, type InteractionEvent } from '../model/interaction-fold.ts';
import type { SessionState } from '../model/state.ts';
import { interactionOf } from '../model/status.ts';
import { interactionView, queueView, resolvedNotice, sessionView } from '../model/views.ts';
import { isByItself } from '../model/who.ts';
import type { SessionAnnouncement, SessionAnnouncements, SessionNames } from '../protocol/announcement.ts';
import type { Event, EventOf } from '../protocol/event.ts';
import type { Interaction, InteractionKind } from '../protocol/interaction.ts';
import type { QueuedMessage, Session } from '../protocol/session.ts';
import type { Step } from './batch.ts';
import type { Commit } from './session-writer.ts';

export interface Owner {
  readonly id: Session['id'];
  readonly key: string | null;
}

/** An announcement with the position of the event that it tells of. */
export interface Placed {
  readonly position: number;
  readonly announcement: SessionAnnouncement;
}

/** Where an announcement takes from what its event does not say: the states around the event, or the log. */
export interface Sources {
  readonly owner: Owner;
  readonly session: () => Session;
  readonly queue: () => readonly QueuedMessage[];
  /** As it was after this event. */
  readonly interaction: (event: InteractionEvent) => Interaction | undefined;
  /** It was ended in the same breath, by a grant or for there being too many: nobody is asked. */
  readonly isAskedOfNobody: (event: EventOf<'interaction.requested'>) => boolean;
  /** Of a message that waited before this event. */
  readonly text: (event: MessageEvent) => string;
}

type MessageEvent = Extract<Event, { type: `message.${string}` }>;

/** What every client is told of a commit. Pure. */
export function announcementsOf({ before, after, steps, place }: Commit): Placed[] {
  const first = place.own.from;
  const told = steps.flatMap((step, index) =>
    announcementsOfEvent(step.event, sourcesIn(step, steps[index + 1]?.event, after)).map((announcement) => ({
      position: first + index,
      announcement,
    })),
  );
  if (before === null || looksTheSame(before, after)) return told;
  const hasEnded = before.life === 'open' && after.life !== 'open';
  const announcement = stateOf(hasEnded ? 'session-ended' : 'session-updated', sessionView(after));
  return [...told, { position: first + steps.length - 1, announcement }];
}

/** How a session is now. */
export const stateOf = (
  type: 'session-started' | 'session-updated' | 'session-ended',
  session: Session,
): SessionAnnouncement => ofSession(session, type, session);

/** The only place where an announcement of a session is made: so each names it in the same way. */
export function ofSession<T extends keyof SessionAnnouncements>(
  { id, key }: Owner,
  type: T,
  data: SessionAnnouncements[T],
): SessionAnnouncement {
  const names: SessionNames = { sessionId: id, sessionKey: key, ...(key !== null && { stageId: key }) };
  return { type, data: { ...data, ...names } } as unknown as SessionAnnouncement;
}

/** What every client is told of one event, beside how the session is after all of it. */
export function announcementsOfEvent(event: Event, sources: Sources): SessionAnnouncement[] {
  const { owner } = sources;
  switch (event.type) {
    case 'session.created':
      return [stateOf('session-started', sources.session())];
    case 'interaction.requested':
      return sources.isAskedOfNobody(event) ? [] : asTold(requestedWord[event.ask.kind], event, sources);
    case 'interaction.parked':
      return asTold('approval-parked', event, sources);
    case 'interaction.left-open':
    case 'interaction.deferred':
    case 'interaction.raised':
    case 'interaction.undelivered':
      return asTold('approval-updated', event, sources);
    case 'interaction.resolved': {
      const interaction = sources.interaction(event);
      if (interaction === undefined) return [];
      const notice = ofSession(owner, 'approval-resolved', resolvedNotice(interaction, event));
      const isTakenBack = event.by.kind === 'agent';
      return isTakenBack ? [ofSession(owner, 'approval-cancelled', interaction), notice] : [notice];
    }
    case 'message.queued':
      return event.applied === 'queue' || event.applied === 'interrupt'
        ? [queued('message-queued', event, event.text, sources)]
        : [];
    case 'message.edited':
      return [queued('message-updated', event, event.text, sources)];
    case 'message.moved':
    case 'message.requeued':
      return [queued('message-updated', event, sources.text(event), sources)];
    case 'message.removed':
      return [queued('message-removed', event, sources.text(event), sources)];
    case 'message.taken':
      return [queued('message-sent', event, event.text, sources)];
    default:
      return [];
  }
}

const requestedWord = {
  approval: 'approval-requested',
  question: 'question-requested',
  form: 'form-requested',
} as const satisfies Record<InteractionKind, keyof SessionAnnouncements>;

function asTold(
  type:
    | 'approval-requested'
    | 'question-requested'
    | 'form-requested'
    | 'approval-parked'
    | 'approval-updated',
  event: InteractionEvent,
  { owner, interaction }: Sources,
): SessionAnnouncement[] {
  const asked = interaction(event);
  return asked === undefined ? [] : [ofSession(owner, type, asked)];
}

const queued = (
  type: 'message-queued' | 'message-updated' | 'message-removed' | 'message-sent',
  { messageId }: MessageEvent,
  message: string,
  { owner, queue }: Sources,
): SessionAnnouncement => ofSession(owner, type, { messageId, message, queue: queue() });

/** From the states around an event, when it has just been stored. */
const sourcesIn = ({ before, after }: Step, next: Event | undefined, final: SessionState): Sources => ({
  owner: after,
  session: () => sessionView(final),
  queue: () => queueView(after),
  interaction(event) {
    const known = before === null ? undefined : interactionOf(before, event.interactionId);
    const live = foldInteraction(known, event);
    return live && interactionView(after, live);
  },
  isAskedOfNobody: ({ interactionId }) =>
    (next?.type === 'interaction.decided' && next.interactionId === interactionId && isByItself(next.by)) ||
    (next?.type === 'interaction.resolved' &&
      next.interactionId === interactionId &&
      next.by.kind === 'server'),
  text: ({ messageId }) =>
    (before ?? after).queue.find((item) => item.queued.messageId === messageId)?.text ?? '',
});

/** Whether callers would see any difference worth telling. */
function looksTheSame(a: SessionState, b: SessionState): boolean {
  return (
    a.since === b.since &&
    a.life === b.life &&
    a.status === b.status &&
    a.waitingOn === b.waitingOn &&
    a.awaited?.id === b.awaited?.id &&
    a.title === b.title &&
    a.labels === b.labels &&
    a.whileBusy === b.whileBusy &&
    a.archived === b.archived &&
    a.pinned === b.pinned &&
    a.mutedUntil === b.mutedUntil &&
    a.permissionMode === b.permissionMode &&
    a.model === b.model &&
    a.usage === b.usage &&
    a.turn?.interrupting === b.turn?.interrupting &&
    a.agentSessionId === b.agentSessionId &&
    a.queue.length === b.queue.length &&
    a.counts.open === b.counts.open &&
    a.held === b.held &&
    a.review === b.review &&
    trustIn(a) === trustIn(b)
  );
}
