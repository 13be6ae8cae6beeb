import { foldInteraction } from '../model/interaction-fold.ts';
import type { SessionState } from '../model/state.ts';
import { interactionOf } from '../model/status.ts';
import { interactionView, queueView, resolvedNotice, sessionView } from '../model/views.ts';
import type { Announcement } from '../protocol/announcement.ts';
import type { EventOf } from '../protocol/event.ts';
import type { InteractionKind } from '../protocol/interaction.ts';
import type { Step } from './batch.ts';
import type { Commit } from './session-writer.ts';

/** What every client is told of a commit. Pure. */
export function announcementsOf(commit: Commit): Announcement[] {
  const { before, after, steps } = commit;
  const told = steps.flatMap((step) => announcementsOfStep(step, after));
  if (before !== null && looksTheSame(before, after)) return told;
  const data = { ...sessionView(after), sessionId: after.id };
  if (before === null) return [{ type: 'session-started', data }, ...told];
  const hasEnded = before.life === 'open' && after.life !== 'open';
  return [...told, { type: hasEnded ? 'session-ended' : 'session-updated', data }];
}

function announcementsOfStep({ event, before, after }: Step, final: SessionState): Announcement[] {
  switch (event.type) {
    case 'interaction.requested': {
      const live = interactionOf(final, event.interactionId);
      // Answered by a grant in the same breath: nobody is asked.
      if (live === undefined || live.decided !== null) return [];
      return [{ type: requestedWord[event.ask.kind], data: interactionView(final, live) }];
    }
    case 'interaction.parked': {
      const live = interactionOf(final, event.interactionId);
      return live === undefined ? [] : [{ type: 'approval-parked', data: interactionView(final, live) }];
    }
    case 'interaction.left-open':
    case 'interaction.deferred':
    case 'interaction.raised': {
      const live = interactionOf(final, event.interactionId);
      return live === undefined ? [] : [{ type: 'approval-updated', data: interactionView(final, live) }];
    }
    case 'interaction.resolved':
      return resolved(event, before);
    case 'message.queued':
      return event.applied === 'queue' || event.applied === 'interrupt'
        ? [queueNotice('message-queued', after, event.messageId, event.text)]
        : [];
    case 'message.edited':
      return [queueNotice('message-updated', after, event.messageId, event.text)];
    case 'message.moved':
    case 'message.requeued':
      return [queueNotice('message-updated', after, event.messageId, textIn(after, event.messageId))];
    case 'message.removed':
      return [queueNotice('message-removed', after, event.messageId, textIn(before, event.messageId))];
    case 'message.taken':
      return [queueNotice('message-sent', after, event.messageId, event.text)];
    default:
      return [];
  }
}

const requestedWord = {
  approval: 'approval-requested',
  question: 'question-requested',
  form: 'form-requested',
} as const satisfies Record<InteractionKind, Announcement['type']>;

function resolved(event: EventOf<'interaction.resolved'>, before: SessionState | null): Announcement[] {
  if (before === null) return [];
  const ended = foldInteraction(interactionOf(before, event.interactionId), event);
  if (ended === undefined) return [];
  const interaction = interactionView(before, ended);
  const notice: Announcement = { type: 'approval-resolved', data: resolvedNotice(interaction, event) };
  const byAgent = event.by.kind === 'agent';
  return byAgent ? [{ type: 'approval-cancelled', data: interaction }, notice] : [notice];
}

const queueNotice = (
  type: 'message-queued' | 'message-updated' | 'message-removed' | 'message-sent',
  state: SessionState,
  messageId: string,
  message: string,
): Announcement => ({
  type,
  data: { sessionId: state.id, messageId, message, queue: queueView(state) },
});

const textIn = (state: SessionState | null, messageId: string): string =>
  state?.queue.find((item) => item.queued.messageId === messageId)?.text ?? '';

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
    a.permissionMode === b.permissionMode &&
    a.model === b.model &&
    a.usage === b.usage &&
    a.turn?.interrupting === b.turn?.interrupting &&
    a.agentSessionId === b.agentSessionId &&
    a.queue.length === b.queue.length &&
    a.counts.open === b.counts.open &&
    a.held === b.held
  );
}
