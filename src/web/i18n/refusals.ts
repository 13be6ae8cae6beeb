import type { BeckonErrorCode } from '../../client/beckon-error.ts';

/** Whose own sentence says more than the code, which field, what the agent said: it is told behind the translated one. */
export const saysMore: ReadonlySet<string> = new Set<BeckonErrorCode>([
  'malformed_request',
  'invalid_value',
  'invalid_answer',
  'agent_refused',
  'agent_not_available',
  'changes_moved',
  'commit_refused',
  'editor_not_available',
  'editor_failed',
]);

/** What the server's refusals are called in another language than its own, which is English. */
export type Refusals = Readonly<Record<Exclude<BeckonErrorCode, 'unreachable'>, string>>;
