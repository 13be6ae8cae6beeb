import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { ToolEndpoint } from '../engine/ports/tool-endpoint.ts';
import { refuse } from '../protocol/errors.ts';
import { bareApp } from './bare-app.ts';
import { discardBody } from './body.ts';
import { sendRefusal } from './errors.ts';
import { apiHeaders } from './headers.ts';
import { addMcpRoutes } from './mcp-routes.ts';

export interface ToolServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** The interactive tools alone, for agents of the same machine: on loopback, with neither an API nor a page beside them. */
export async function openToolServer(
  tools: ToolEndpoint,
  options: {
    readonly logger: FastifyBaseLogger;
    /** The one that agents know from before, unless somebody else has it by now. */
    readonly port: number | undefined;
  },
): Promise<ToolServer> {
  const listen = async (asked: number) => {
    const app = bareApp(options.logger);
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(apiHeaders);
      // No agent has one: it is a page in somebody's browser.
      if (request.headers.origin === undefined) return done();
      discardBody(request.raw);
      sendRefusal(reply, refuse('origin_not_allowed').refusal);
    });
    addMcpRoutes(app, tools, app.strangers);
    try {
      await app.listen({ host: '127.0.0.1', port: asked });
    } catch (error) {
      await app.close();
      throw error;
    }
    return app;
  };
  const known = options.port ?? 0;
  const app = await listen(known).catch((error: unknown) => {
    if (known === 0) throw error;
    return listen(0);
  });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      const closed = app.close();
      app.server.closeAllConnections();
      await closed;
    },
  };
}
