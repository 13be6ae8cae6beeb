import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { ControlRoom } from '../engine/ports/control-room.ts';
import { isRecord } from '../model/json-pointer.ts';
import { check, inputSchema, unknownField } from '../protocol/check.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import {
  type CheckedFor,
  type OperationDefinition,
  type OperationName,
  operations,
  type ParamOf,
} from '../protocol/operation.ts';
import { type ServerOperation, serverOperations } from '../protocol/server-operation.ts';
import { callerOf } from './auth/guard.ts';
import { sendRefusal } from './errors.ts';

/**
 * One route per operation: everything that was sent goes to the dispatcher as one record, and its answer comes back.
 * `first` are hooks that may answer in the operation's place.
 */
export function addOperationRoutes(
  app: FastifyInstance,
  room: ControlRoom,
  first: Partial<Record<OperationName, preHandlerHookHandler>>,
): void {
  for (const [name, operation] of Object.entries(operations) as [OperationName, OperationDefinition][]) {
    app.route({
      method: operation.method,
      url: operation.path,
      preHandler: first[name] ?? [],
      handler: async (request, reply) => {
        const input = inputOf(operation, request);
        if (!input.ok) return sendRefusal(reply, input.refusal);
        const result = await room.dispatch(name, input.value, callerOf(request.identity, request.raw));
        if (!result.ok) return sendRefusal(reply, result.refusal);
        return reply.code(result.value.status).send(result.value.body);
      },
    });
  }
}

type ServerOperationName = keyof typeof serverOperations;
type Input<Name extends ServerOperationName> = CheckedFor<(typeof serverOperations)[Name]> & {
  readonly [Param in ParamOf<(typeof serverOperations)[Name]['path']>]: string;
};

/** A route of the server's own, with what was sent checked. Whether the caller may is looked at before a body is read. */
export function addServerRoute<Name extends ServerOperationName>(
  app: FastifyInstance,
  name: Name,
  handler: (input: Input<Name>, request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  const operation: ServerOperation = serverOperations[name];
  app.route({
    method: operation.method,
    url: operation.path,
    config: { open: operation.open === true },
    onRequest: ({ identity }, reply, done) => {
      const may = operation.devicesOnly
        ? identity.via === 'device'
        : !operation.decides || identity.mayDecide;
      if (may) done();
      else sendRefusal(reply, refuse('device_required').refusal);
    },
    handler: (request, reply) => {
      const input = checkedInput(operation, request);
      return input.ok
        ? handler(input.value as Input<Name>, request, reply)
        : sendRefusal(reply, input.refusal);
    },
  });
}

/** What was sent for an operation, checked. */
export function checkedInput(operation: OperationDefinition, request: FastifyRequest): Result<object> {
  const given = inputOf(operation, request);
  if (!given.ok) return given;
  const params = recordOf(request.params);
  const fields = Object.fromEntries(Object.entries(given.value).filter(([name]) => !(name in params)));
  const checked = check(inputSchema(operation), fields);
  return checked.ok ? accept({ ...checked.value, ...params }) : checked;
}

/** The names in the path, and the query or the body, whichever the operation has: in the other place no field is known. */
function inputOf(operation: OperationDefinition, request: FastifyRequest): Result<Record<string, unknown>> {
  const params = recordOf(request.params);
  // `/queue/` is no message without an id: the router takes what is missing for an empty name.
  if (Object.values(params).includes('')) return refuse('route_not_found');
  const sent = [recordOf(request.query), recordOf(request.body)] as const;
  const [other, fields] = operation.body === undefined ? sent.toReversed() : sent;
  const stray = Object.keys(other ?? {})[0] ?? Object.keys(fields ?? {}).find((name) => name in params);
  return stray === undefined ? accept({ ...fields, ...params }) : unknownField(stray);
}

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
