import type { z } from 'zod';
import { type Result, refuse } from '../protocol/errors.ts';
import { isDecision, type OperationName, operations } from '../protocol/operation.ts';
import * as grants from './handlers/grants.ts';
import * as interactions from './handlers/interactions.ts';
import * as messages from './handlers/messages.ts';
import * as reading from './handlers/reading.ts';
import type { Handler, Params, Room } from './handlers/room.ts';
import * as sessions from './handlers/sessions.ts';
import type { Caller, ControlRoom, Reply } from './ports/control-room.ts';
import { StorageError } from './ports/event-log.ts';

const handlers: { readonly [Name in OperationName]: Handler<never> } = {
  listAgents: sessions.listAgents,
  createSession: sessions.createSession,
  listSessions: sessions.listSessions,
  getSession: sessions.getSession,
  patchSession: sessions.patchSession,
  deleteSession: sessions.deleteSession,
  interrupt: sessions.interrupt,
  stop: sessions.stop,
  resume: sessions.resume,
  sendMessage: messages.sendMessage,
  getQueue: messages.getQueue,
  patchQueued: messages.patchQueued,
  removeQueued: messages.removeQueued,
  listPending: interactions.listPending,
  listPendingOfSession: interactions.listPendingOfSession,
  getInteraction: interactions.getInteraction,
  approve: interactions.approve,
  deny: interactions.deny,
  answer: interactions.answer,
  submitAnswers: interactions.submitAnswers,
  respond: interactions.respond,
  listGrants: grants.listGrants,
  revokeGrant: grants.revokeGrant,
  previewGrant: grants.previewGrant,
  listEvents: reading.listEvents,
  search: reading.search,
  listTools: reading.listTools,
  switchInteraction: reading.switchInteraction,
};

/** The one way in, for every transport: checks the input, then hands it to the operation's handler. */
export function createDispatcher(room: Room): ControlRoom['dispatch'] {
  return async (name, input, caller) => {
    const parsed = parse(name, input);
    if (!parsed.ok) return parsed;
    if (caller.mayDecide === false && isDecision(name, input)) return refuse('device_required');
    const handler = handlers[name] as (room: Room, input: unknown, caller: Caller) => Promise<Result<Reply>>;
    try {
      return await handler(room, parsed.value, caller);
    } catch (error) {
      if (error instanceof StorageError) return refuse('storage_unavailable', error.message);
      throw error;
    }
  };
}

function parse(name: OperationName, input: Readonly<Record<string, unknown>>): Result<object> {
  const operation: { readonly path: string; readonly query?: z.ZodType; readonly body?: z.ZodType } =
    operations[name];
  const params = paramsOf(operation.path, input);
  const missing = Object.entries(params).find(([, value]) => value === '')?.[0];
  if (missing !== undefined) {
    return refuse('malformed_request', `"${missing}" is missing`, { field: missing });
  }
  const schema = operation.body ?? operation.query;
  if (schema === undefined) return { ok: true, value: params };
  const result = schema.safeParse(input);
  if (result.success) return { ok: true, value: { ...(result.data as object), ...params } };
  return refusalOf(input, result.error.issues);
}

function paramsOf(path: string, input: Readonly<Record<string, unknown>>): Partial<Params> {
  const params: Record<string, string> = {};
  for (const name of paramNames.get(path) ?? []) params[name] = String(input[name] ?? '');
  return params;
}

const paramNames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values(operations).map(({ path }) => [path, path.match(/(?<=:)\w+/g) ?? []]),
);

/** A field that is missing or of another type is malformed; one of the right type with a wrong value is invalid. */
function refusalOf(input: unknown, issues: readonly z.core.$ZodIssue[]): Result<never> {
  const issue = issues[0];
  const field = issue?.path.join('.') ?? '';
  const value = issue?.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
  const malformed = value === undefined || issue?.code === 'invalid_type';
  const what = value === undefined ? 'is missing' : `is not valid: ${issue?.message ?? 'unknown reason'}`;
  return refuse(malformed ? 'malformed_request' : 'invalid_value', `"${field}" ${what}`, {
    field,
    issues: issues.slice(0, 10).map(({ path, message }) => ({ field: path.join('.'), message })),
  });
}
