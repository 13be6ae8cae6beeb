import type { Grant } from '../protocol/grant.ts';
import type { StandingRule } from '../protocol/policy.ts';
import type { Session } from '../protocol/session.ts';
import type { SessionState } from './state.ts';
import { wantsProcess } from './status.ts';
import { sessionView } from './views.ts';

/** All that is shown of a session while nobody opens it; stored beside its log, so that lists need not read the log. */
export interface SessionSummary {
  readonly session: Session;
  /** Those it holds for itself. */
  readonly grants: readonly Grant[];
  /** Not there in those from before there were any. */
  readonly rules?: readonly StandingRule[];
}

/** Raise this whenever a stored summary could no longer be understood, or lacks something: each is then made again from its log. */
export const SUMMARY_VERSION = 1;

/** No process and none wanted, nothing open, queued, being put back or limited in time: nothing happens in it until someone calls. */
export const isAtRest = (state: SessionState): boolean =>
  state.process === null &&
  state.turn === null &&
  state.interactions.size === 0 &&
  state.queue.length === 0 &&
  state.restoring === null &&
  !wantsProcess(state) &&
  !state.ephemeral &&
  state.grants.every(({ expiresAt }) => expiresAt === undefined);

export const summaryOf = (state: SessionState): SessionSummary => ({
  session: sessionView(state),
  grants: state.grants,
  ...(state.rules.length > 0 && { rules: state.rules }),
});

/**
 * The summary to be stored with what led from one state to the other: null takes away the one there is, for a session at work is
 * known by its log alone; undefined leaves it. So a session that works costs no write.
 */
export function summaryAfter(
  before: SessionState | null,
  after: SessionState,
): SessionSummary | null | undefined {
  if (isAtRest(after)) return summaryOf(after);
  return before !== null && isAtRest(before) ? null : undefined;
}
