import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { ControlRoom } from '../engine/ports/control-room.ts';
import type { PushDelivery } from '../engine/ports/push.ts';
import type { ToolEndpoint } from '../engine/ports/tool-endpoint.ts';
import { type Refusal, refuse } from '../protocol/errors.ts';
import { type Access, addAccessRoutes } from './access-routes.ts';
import type { Guard, Identity } from './auth/guard.ts';
import { Strangers } from './auth/strangers.ts';
import { acceptJsonBodies, discardBody } from './body.ts';
import { errorBody, refusalOfThrown, sendRefusal } from './errors.ts';
import { addFileRoutes } from './file-routes.ts';
import { apiHeaders } from './headers.ts';
import { addMcpRoutes } from './mcp-routes.ts';
import { addPage } from './page.ts';
import type { Places } from './public-url.ts';
import { addPushRoutes } from './push-routes.ts';
import { addOperationRoutes, addServerRoute } from './routes.ts';
import type { StreamContext } from './stream/connections.ts';
import { addStreamRoute, sessionStream } from './stream-routes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For everyone: no token is needed. */
    open?: boolean;
  }
  interface FastifyInstance {
    strangers: Strangers;
  }
  interface FastifyRequest {
    identity: Identity;
  }
}

export interface AppOptions {
  readonly room: ControlRoom;
  readonly guard: Guard;
  readonly access: Access;
  readonly places: Places;
  readonly streams: StreamContext;
  readonly tools: ToolEndpoint | undefined;
  readonly push: PushDelivery | undefined;
  readonly version: string;
  readonly webRoot: string | undefined;
  readonly logger: FastifyBaseLogger;
  readonly isClosing: () => boolean;
}

/** The HTTP side: every request passes the guard, then finds its route, and leaves with an answer of a known shape. */
export function createApp(options: AppOptions): FastifyInstance {
  const { room, guard, version, places } = options;
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger,
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
  const strangers = new Strangers(app.server);
  app.decorate('strangers', strangers);
  // Not by Fastify's own means, which write every address into the log.
  app.server.prependListener('request', (request) => places.rewrite(request));
  admitOnlyCallers(app, guard, strangers, options.isClosing);
  acceptJsonBodies(app);
  answerErrors(app);

  addServerRoute(app, 'health', (_input, _request, reply) =>
    reply.send({ status: 'ok', version, storage: room.storage(), whileBusy: room.whileBusy }),
  );
  addServerRoute(app, 'getOpenApi', async (_input, request, reply) => {
    // Made when it is asked for: few do, and every start would wait for it.
    const { openApi } = await import('./openapi.ts');
    return reply.send(openApi(version, places.of(request.raw).path));
  });
  addAccessRoutes(app, options.access, places);
  addPushRoutes(app, { push: options.push, devices: options.access.devices, guard, room });
  addOperationRoutes(app, room, { listEvents: sessionStream(options.streams) });
  addStreamRoute(app, options.streams);
  addFileRoutes(app, room);
  if (options.tools !== undefined) addMcpRoutes(app, options.tools, strangers);
  for (const url of ['/api', '/api/*']) {
    app.all(url, (_request, reply) => sendRefusal(reply, refuse('route_not_found').refusal));
  }
  addPage(app, options.webRoot, (request) => places.of(request.raw).path);
  return app;
}

/** What comes in is checked by the dispatcher. With these Fastify does not load its own ways of checking, a tenth of a start. */
const noSchemas = (): never => {
  throw new Error('No route has a schema.');
};

function admitOnlyCallers(
  app: FastifyInstance,
  guard: Guard,
  strangers: Strangers,
  isClosing: () => boolean,
): void {
  app.decorateRequest('identity');
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(apiHeaders);
    const decline = (refusal: Refusal): void => {
      discardBody(request.raw);
      sendRefusal(reply, refusal);
    };
    if (isClosing()) {
      reply.header('connection', 'close');
      return decline(refuse('shutting_down').refusal);
    }
    const foreign = guard.checkOrigin(request.raw);
    if (foreign !== undefined) return decline(foreign);
    if (request.routeOptions.config.open === true || isOutsideApi(request.is404, request.url)) {
      done();
      return;
    }
    const identity = guard.identify(request.raw);
    if (!identity.ok) return decline(identity.refusal);
    strangers.isKnown(request.raw.socket);
    request.identity = identity.value;
    done();
  });
}

/** Nothing is there, so there is nothing to guard; below `/api` not even that is told to strangers. */
const isOutsideApi = (isNowhere: boolean, url: string): boolean =>
  isNowhere && !/^\/api(?:[/?#]|$)/.test(url);

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
