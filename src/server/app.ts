import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ControlRoom } from '../engine/ports/control-room.ts';
import type { PushDelivery } from '../engine/ports/push.ts';
import type { ToolEndpoint } from '../engine/ports/tool-endpoint.ts';
import { type Refusal, refuse } from '../protocol/errors.ts';
import { type Access, addAccessRoutes } from './access-routes.ts';
import type { Guard, Identity } from './auth/guard.ts';
import type { Strangers } from './auth/strangers.ts';
import { bareApp } from './bare-app.ts';
import { acceptJsonBodies, discardBody } from './body.ts';
import { sendRefusal } from './errors.ts';
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
  const app = bareApp(options.logger);
  const { strangers } = app;
  // Not by Fastify's own means, which write every address into the log.
  app.server.prependListener('request', (request) => places.rewrite(request));
  admitOnlyCallers(app, guard, strangers, options.isClosing);
  acceptJsonBodies(app);

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
