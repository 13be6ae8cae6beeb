import type { ResolvedNotice } from '../protocol/announcement.ts';
import type { Event, EventOf } from '../protocol/event.ts';
import type { Interaction } from '../protocol/interaction.ts';
import type { QueuedMessage, Session } from '../protocol/session.ts';
import { trustIn } from './grants.ts';
import { foldInteraction, isInteractionEvent } from './interaction-fold.ts';
import type { LiveInteraction, SessionState } from './state.ts';
import { isShown, openInteractions } from './status.ts';
import { outcomeOf } from './who.ts';

/** A session as callers see it. */
export function sessionView(state: SessionState): Session {
  return {
    id: state.id,
    key: state.key,
    title: state.title,
    agent: state.agent,
    agentVersion: state.agentVersion,
    agentSessionId: state.agentSessionId,
    ...(state.machine !== null && { machine: state.machine }),
    cwd: state.cwd,
    ...(state.realCwd !== null && state.realCwd !== state.cwd && { realCwd: state.realCwd }),
    ...(state.worktree !== undefined && { worktree: state.worktree }),
    status: state.status,
    since: state.since,
    waitingOn: state.waitingOn,
    awaited: state.awaited,
    permissionMode: state.permissionMode,
    model: state.model,
    labels: [...state.labels],
    askTimeout: state.askTimeout,
    ...(state.whileBusy !== null && { whileBusy: state.whileBusy }),
    ...(state.archived && { archived: true }),
    ...(state.pinned && { pinned: true }),
    ...(state.mutedUntil !== undefined && { mutedUntil: state.mutedUntil }),
    ephemeral: state.ephemeral,
    ...(state.forkedFrom !== undefined && { forkedFrom: state.forkedFrom }),
    capabilities: state.capabilities,
    isolation: state.process?.isolation ?? null,
    pendingCount: state.counts.open,
    queueLength: state.queue.filter(isShown).length,
    usage: state.usage,
    ...(state.context !== null && { context: state.context }),
    ...(state.options.length > 0 && { options: [...state.options] }),
    interrupting: state.turn?.interrupting ?? null,
    ...(state.held === null ? {} : { held: state.held }),
    ...(state.review !== undefined && {
      review: { comments: state.review.comments.length, revision: state.review.revision },
    }),
    ...trustView(state),
    failure:
      state.failure === null ? null : { reason: state.failure.reason, stderr: [...state.failure.stderr] },
    lastSeq: state.lastSeq,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
  };
}

function trustView(state: SessionState): Pick<Session, 'trust'> {
  const trust = trustIn(state);
  if (trust?.expiresAt === undefined) return {};
  const { id: grantId, createdAt: since, expiresAt: until, uses = 0 } = trust;
  return { trust: { grantId, since, until, uses } };
}

export function queueView(state: SessionState): QueuedMessage[] {
  return state.queue.filter(isShown).map((item, index) => ({
    messageId: item.queued.messageId,
    message: item.text,
    position: index + 1,
    disposition: item.queued.disposition,
    createdAt: item.queued.at,
    images: item.queued.images.length,
    sending: item.sending !== null,
  }));
}

export const pendingView = (state: SessionState): Interaction[] =>
  openInteractions(state).map((live) => interactionView(state, live));

type Owner = Pick<SessionState, 'id' | 'key'>;

/** An interaction as callers see it, whoever folded its events. */
export function interactionView(session: Owner, live: LiveInteraction): Interaction {
  const { requested } = live;
  const { agentRequestId: _, ...ask } = requested.ask;
  return {
    ...ask,
    interactionId: requested.interactionId,
    requestId: requested.interactionId,
    sessionId: session.id,
    sessionKey: session.key,
    turnId: requested.turnId,
    createdAt: requested.at,
    revision: live.revision,
    // Left open, it has no limit any more.
    ...(requested.expiresAt === undefined || live.leftOpen !== null
      ? {}
      : { expiresAt: requested.expiresAt }),
    parked: live.parked,
    ...(live.leftOpen === null ? {} : { leftOpen: live.leftOpen }),
    ...(live.deferred === 'asleep' ? { deferred: true } : {}),
    ...endOf(live),
  };
}

function endOf({
  decided,
  undelivered,
  resolved,
}: LiveInteraction): Pick<Interaction, 'status'> & Partial<Interaction> {
  const last = resolved ?? decided;
  if (last === null) return { status: 'open' };
  return {
    status: 'resolved',
    outcome: last.outcome,
    ...(decided === null ? {} : { decision: decided.decision }),
    resolvedBy: last.by,
    resolvedAt: decided?.at ?? last.at,
    ...(resolved?.reason === undefined ? {} : { resolvedReason: resolved.reason }),
    ...(resolved?.delivered === true ? { deliveredAt: resolved.at } : {}),
    ...(resolved === null && undelivered !== undefined ? { undelivered } : {}),
  };
}

/** An interaction made from its events alone, as found in the log. */
export function interactionFromLog(session: Owner, events: readonly Event[]): Interaction | undefined {
  const live = events
    .filter(isInteractionEvent)
    .reduce<LiveInteraction | undefined>(foldInteraction, undefined);
  return live && interactionView(session, live);
}

/** How the end of an interaction is told. Only a person or a grant decides; that nobody answered is not a decision. */
export const resolvedNotice = (
  interaction: Interaction,
  event: EventOf<'interaction.resolved'>,
): ResolvedNotice => ({
  sessionId: interaction.sessionId,
  requestId: interaction.requestId,
  kind: interaction.kind,
  outcome: event.outcome,
  decision: decisionIn(interaction, event),
  by: event.by,
  at: event.at,
  interaction,
});

function decisionIn(
  { decision }: Interaction,
  { outcome, by }: EventOf<'interaction.resolved'>,
): ResolvedNotice['decision'] {
  const said = outcome === 'unknown' && decision !== undefined ? outcomeOf(decision, by) : outcome;
  if (said === 'allowed') return 'allow';
  return said === 'denied' ? 'deny' : null;
}
