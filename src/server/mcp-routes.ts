import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ToolEndpoint } from '../engine/ports/tool-endpoint.ts';
import { refuse } from '../protocol/errors.ts';
import type { Strangers } from './auth/strangers.ts';
import { bearerOf } from './auth/token.ts';
import { discardBody, readBody } from './body.ts';
import { sendRefusal } from './errors.ts';
import { parseJson } from './json.ts';

type ToolRoute = { Params: { session: string } };

/**
 * Where agents reach the interactive tools of their session. Its key opens this and nothing else, and nothing else opens this: the
 * token of the API does not, and neither does a paired browser.
 */
export function addMcpRoutes(app: FastifyInstance, endpoint: ToolEndpoint, strangers: Strangers): void {
  void app.register(async (scope) => {
    acceptAnyJson(scope);
    scope.route<ToolRoute>({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp/:session',
      config: { open: true },
      onRequest: (request, reply, done) => {
        if (!holdsKey(endpoint, request)) {
          discardBody(request.raw);
          sendRefusal(reply.header('www-authenticate', 'Bearer'), refuse('unauthorized').refusal);
          return;
        }
        strangers.isKnown(request.raw.socket);
        done();
      },
      handler: async (request, reply) => {
        // An answer here may take days, so it cannot wait behind another on the same connection.
        if (reply.raw.socket === null)
          return sendRefusal(reply, refuse('malformed_request', 'Pipelining is not possible here.').refusal);
        reply.hijack();
        for (const [name, value] of Object.entries(reply.getHeaders()))
          if (value !== undefined) reply.raw.setHeader(name, value);
        await endpoint.handle(request.params.session, request.raw, reply.raw, request.body);
        return reply;
      },
    });
  });
}

function holdsKey(endpoint: ToolEndpoint, request: FastifyRequest<ToolRoute>): boolean {
  const presented = bearerOf(request.headers.authorization);
  return presented !== undefined && endpoint.opens(request.params.session, presented);
}

/** What is no JSON is left to the endpoint to refuse, in the words of its own protocol. */
function acceptAnyJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', (_request, payload, done) => {
    readBody(payload, (error, body) => {
      if (error !== null) return done(error);
      const json = parseJson(body.toString());
      done(null, json.ok ? json.value : undefined);
    });
  });
}
