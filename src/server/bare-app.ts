import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { refuse } from '../protocol/errors.ts';
import { Strangers } from './auth/strangers.ts';
import { errorBody, refusalOfThrown, sendRefusal } from './errors.ts';
import { apiHeaders } from './headers.ts';

/** HTTP without any route: who dawdles is not waited for, and whatever goes wrong is answered in a known shape. */
export function bareApp(logger: FastifyBaseLogger): FastifyInstance {
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    // A request line may hold what someone mistook for a place for the token.
    logController: new fastify.LogController({ disableRequestLogging: true }),
    // One of its own for each request, which hardly any needs, costs as much as finding the route.
    childLoggerFactory: (logger) => logger,
    requestTimeout: 300_000,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1000 },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // Who says nothing, or says it slowly, is not waited for.
    http: { requireHostHeader: false, headersTimeout: 20_000, connectionsCheckingInterval: 5_000 },
    frameworkErrors: (_error, _request, reply) => {
      reply.headers(apiHeaders);
      sendRefusal(reply, refuse('malformed_request', 'The address is not well formed.').refusal);
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end(rawRefusal);
      else socket.destroy();
    },
  });
  app.decorate('strangers', new Strangers(app.server));
  answerErrors(app);
  return app;
}

/** What comes in is checked by the dispatcher. With these Fastify does not load its own ways of checking, a tenth of a start. */
const noSchemas = (): never => {
  throw new Error('No route has a schema.');
};

function answerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, refuse('route_not_found').refusal));
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOfThrown(error);
    if (refusal !== undefined) return sendRefusal(reply, refusal);
    request.log.error(
      { err: error, method: request.method, route: request.routeOptions.url },
      'A request failed',
    );
    return sendRefusal(reply, refuse('internal_error').refusal);
  });
}

const rawBody = JSON.stringify(errorBody(refuse('malformed_request', 'This is no HTTP request.').refusal));
const rawRefusal = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(rawBody)}`,
  'Connection: close',
  '',
  rawBody,
].join('\r\n');
