import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { ControlRoom } from '../engine/ports/control-room.ts';
import { refuse } from '../protocol/errors.ts';
import { type OperationDefinition, type OperationName, operations } from '../protocol/operation.ts';
import { callerOf } from './auth/guard.ts';
import { sendRefusal } from './errors.ts';
import { isRecord } from './json.ts';

/**
 * One route per operation: everything that was sent goes to the dispatcher as one record, and its answer comes back.
 * `first` are hooks that may answer in the operation's place.
 */
export function addOperationRoutes(
  app: FastifyInstance,
  room: ControlRoom,
  first: Partial<Record<OperationName, preHandlerHookHandler>>,
): void {
  for (const [name, operation] of namedOperations()) {
    app.route({
      method: operation.method,
      url: operation.path,
      preHandler: first[name] ?? [],
      handler: async (request, reply) => {
        if (namesNothing(request.params)) return sendRefusal(reply, refuse('route_not_found').refusal);
        const result = await room.dispatch(name, inputOf(request), callerOf(request.identity, request.raw));
        if (!result.ok) return sendRefusal(reply, result.refusal);
        return reply.code(result.value.status).send(result.value.body);
      },
    });
  }
}

export function namedOperations(): [OperationName, OperationDefinition][] {
  return Object.entries(operations) as [OperationName, OperationDefinition][];
}

/** `/queue/` is no message without an id: the router takes what is missing for an empty name. */
const namesNothing = (params: unknown): boolean => Object.values(recordOf(params)).includes('');

const inputOf = ({ query, body, params }: FastifyRequest): Record<string, unknown> => ({
  ...recordOf(query),
  ...recordOf(body),
  ...recordOf(params),
});

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
