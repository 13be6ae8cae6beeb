/**
 * Every error a caller can meet, with its HTTP status. Codes are stable: programs match on them, never on the sentence.
 */
export const errorCatalogue = {
  malformed_request: {
    status: 400,
    meaning: 'The request is not of the expected form, or a field is missing.',
  },
  blank_message: { status: 400, meaning: 'A message needs text or an image.' },
  unauthorized: { status: 401, meaning: 'No token or cookie was sent, or it is wrong.' },
  key_missing: {
    status: 401,
    meaning: 'The cookie came without the key of its page; the browser must be paired again.',
  },
  ticket_unknown: {
    status: 401,
    meaning: 'This notification can answer no more: it has, is too old, or is of another device.',
  },
  pairing_failed: { status: 401, meaning: 'The pairing code is unknown, used or too old.' },
  host_not_allowed: { status: 403, meaning: 'The Host header names another machine.' },
  origin_not_allowed: { status: 403, meaning: 'The request comes from a foreign web page.' },
  device_required: {
    status: 403,
    meaning: 'Only a paired device, or a terminal that one has unlocked, decides here.',
  },
  interaction_disabled: { status: 403, meaning: 'This client has said that it does not answer.' },
  route_not_found: { status: 404, meaning: 'There is no such route.' },
  session_not_found: { status: 404, meaning: 'No session has this id or key.' },
  interaction_not_found: { status: 404, meaning: 'No interaction has this id in this session.' },
  message_not_found: { status: 404, meaning: 'No message has this id in this session.' },
  comment_not_found: {
    status: 404,
    meaning: 'No comment that waits to be sent has this id in this session.',
  },
  turn_not_found: { status: 404, meaning: 'No turn has this id in this session.' },
  image_not_found: { status: 404, meaning: 'No image has this id in this session.' },
  grant_not_found: { status: 404, meaning: 'No grant has this id.' },
  suggestion_not_found: { status: 404, meaning: 'This is not suggested, or no longer.' },
  rule_not_found: { status: 404, meaning: 'There is no such rule.' },
  policy_not_found: { status: 404, meaning: 'No policy of a directory has this id.' },
  template_not_found: { status: 404, meaning: 'No template has this name.' },
  device_not_found: { status: 404, meaning: 'No paired device has this id.' },
  subscription_not_found: { status: 404, meaning: 'This device has no notifications switched on.' },
  unlock_not_found: { status: 404, meaning: 'No terminal is, or wants to be, unlocked by this id.' },
  machine_not_found: { status: 404, meaning: 'No machine has this name.' },
  run_not_found: { status: 404, meaning: 'No run that nobody claims has this id on this machine.' },
  recording_not_found: {
    status: 404,
    meaning: 'This state of the files was not recorded, or is no longer kept.',
  },
  setup_not_found: { status: 404, meaning: 'Nobody has agreed to this setup.' },
  worktree_not_found: { status: 404, meaning: 'No worktree has this id.' },
  client_not_found: { status: 404, meaning: 'No connected client has this id.' },
  agent_unknown: { status: 422, meaning: 'No agent has this name.' },
  key_in_use: { status: 409, meaning: 'Another session has this key.' },
  session_stopped: { status: 409, meaning: 'The session is stopped; resume it first.' },
  session_failed: { status: 409, meaning: 'The session has failed; resume it first.' },
  session_not_stopped: { status: 409, meaning: 'The session must be stopped first.' },
  session_already_running: { status: 409, meaning: 'The session is neither stopped, failed nor asleep.' },
  session_waiting: {
    status: 409,
    meaning: 'Something is asked in the session; answer it or stop the session first.',
  },
  machine_reachable: { status: 409, meaning: 'The machine can be reached; stop its sessions instead.' },
  agent_not_running: { status: 409, meaning: "The session's agent is not running." },
  turn_running: { status: 409, meaning: 'A turn runs in this work tree; wait for its end, or interrupt it.' },
  undo_obstacles: {
    status: 409,
    meaning: 'Something stands against undoing this; say for each what to do. Nothing was changed.',
  },
  no_turn_running: { status: 409, meaning: 'No turn is running.' },
  message_already_sent: { status: 409, meaning: 'The message has left the queue.' },
  too_many_asks: { status: 409, meaning: 'Too much is asked in this session already, and not answered.' },
  queue_full: { status: 409, meaning: 'Too many messages wait in this session already.' },
  interaction_already_resolved: { status: 409, meaning: 'It has been answered already.' },
  interaction_changed: { status: 409, meaning: 'What is asked is not what was shown.' },
  comment_changed: {
    status: 409,
    meaning: 'A comment is not what was shown: it was edited, removed or sent meanwhile.',
  },
  too_many_comments: { status: 409, meaning: 'Too many comments wait in this session already.' },
  changes_moved: { status: 409, meaning: 'The files, or what is checked out, are not what was shown.' },
  commit_refused: {
    status: 409,
    meaning: 'As the repository stands, this cannot be committed or landed; the message says why.',
  },
  landing_conflicts: { status: 409, meaning: 'Both sides changed the same; nothing was done.' },
  policy_changed: { status: 409, meaning: 'The policy is not what was shown.' },
  worktree_changed: { status: 409, meaning: 'What lies in the worktree is not what was shown.' },
  worktree_not_restorable: { status: 409, meaning: 'This worktree cannot be brought back.' },
  worktree_in_use: { status: 409, meaning: 'A session works in this worktree; stop it first.' },
  branch_in_use: {
    status: 409,
    meaning: 'The repository has a branch of this name, or one that stands in its way.',
  },
  interaction_gone: { status: 410, meaning: 'The interaction ended without an answer.' },
  payload_too_large: {
    status: 413,
    meaning: 'The body is over 32 MB, or over 64 kB without a token or cookie.',
  },
  unsupported_media_type: { status: 415, meaning: 'The body must be JSON.' },
  invalid_value: { status: 422, meaning: 'A field has a value that is not allowed.' },
  invalid_answer: { status: 422, meaning: 'The answer does not fit the question.' },
  directory_not_found: { status: 422, meaning: 'The working directory does not exist.' },
  directory_not_allowed: { status: 422, meaning: 'The working directory lies outside the configured roots.' },
  no_repository: { status: 422, meaning: 'The working directory is in no git repository.' },
  commit_unreadable: { status: 422, meaning: 'The last commit of this repository cannot be read here.' },
  directory_too_wide: {
    status: 422,
    meaning: 'What lies in the working directory is too much to be recorded, or is a whole home directory.',
  },
  file_not_found: { status: 422, meaning: 'There is no such file, or nothing changed in it.' },
  file_not_allowed: {
    status: 422,
    meaning: "The file is neither in the session's directory nor named by its changes.",
  },
  base_not_found: { status: 422, meaning: 'The repository has no such branch, tag or commit.' },
  agent_refused: { status: 422, meaning: 'The agent refused the change.' },
  cannot_fork: { status: 422, meaning: 'The conversation cannot be forked there.' },
  too_many_requests: { status: 429, meaning: 'Too many attempts; wait a little.' },
  internal_error: { status: 500, meaning: 'Beckon failed; the server log says more.' },
  agent_not_available: { status: 503, meaning: 'The agent cannot be started here.' },
  git_not_available: {
    status: 503,
    meaning: 'git is not there, is older than 2.30, or did not do what it was to do.',
  },
  editor_not_available: { status: 503, meaning: 'No command opens this in an editor on that machine.' },
  editor_failed: {
    status: 503,
    meaning: 'The editor could not be started, or failed at once; the message says what it printed.',
  },
  push_not_available: {
    status: 503,
    meaning: 'This server sends no notifications to devices: the key for them could not be stored.',
  },
  machine_unreachable: { status: 503, meaning: 'The machine cannot be reached right now.' },
  storage_unavailable: { status: 503, meaning: 'The database cannot be written; nothing was changed.' },
  shutting_down: { status: 503, meaning: 'The server is about to end.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** An expected "no": a value, never thrown inside the model. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export const accept = <T>(value: T): Result<T> => ({ ok: true, value });

export const refuse = (
  code: ErrorCode,
  message: string = errorCatalogue[code].meaning,
  details?: Record<string, unknown>,
): { readonly ok: false; readonly refusal: Refusal } => ({
  ok: false,
  refusal: details === undefined ? { code, message } : { code, message, details },
});

export const statusOf = (code: ErrorCode): number => errorCatalogue[code].status;

/** What was thrown, in words. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
