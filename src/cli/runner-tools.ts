import type { RunnerSideOptions } from '../cluster/runner-side.ts';
import { RunnerTools } from '../cluster/runner-tools.ts';
import { systemClock } from '../engine/ports/clock.ts';
import type { ToolEndpoint } from '../engine/ports/tool-endpoint.ts';
import { openToolServer } from '../server/tool-server.ts';
import { createMcpEndpoint, toolKeys } from '../tools/mcp/endpoint.ts';
import { readLastPort, writeLastPort } from './data-directory.ts';
import type { Logger } from './logger.ts';

export interface OpenRunnerTools {
  readonly tools: NonNullable<RunnerSideOptions['tools']>;
  /** Lets go of the connections. Calls go on with the room; agents come back for them to the next start. */
  close(): Promise<void>;
}

/**
 * Where agents of this machine call the tools of their room: on loopback alone, with keys that are made here, at the port of the
 * start before, for they know it.
 */
export async function openRunnerTools(parts: {
  /** Of this start. */
  readonly id: string;
  readonly dataDir: string;
  readonly secret: string;
  readonly version: string;
  readonly logger: Logger;
}): Promise<OpenRunnerTools> {
  const { dataDir, version, logger } = parts;
  const calls = new RunnerTools(parts.id);
  const keys = toolKeys(parts.secret);
  const mcp = createMcpEndpoint({
    host: calls,
    keys,
    // The room knows which sessions may.
    admits: () => true,
    version,
    clock: systemClock,
    logger,
  });
  const endpoint: ToolEndpoint = {
    opens: mcp.opens,
    async handle(...request) {
      // Until then an agent would be told that there are none.
      await calls.known;
      await mcp.handle(...request);
    },
  };
  const server = await openToolServer(endpoint, { logger, port: await readLastPort(dataDir) });
  await writeLastPort(dataDir, server.port);
  return {
    tools: {
      calls,
      access: (sessionId) => ({
        url: `${server.url}/mcp/${encodeURIComponent(sessionId)}`,
        key: keys.of(sessionId),
        unasked: calls.tools.filter(({ askFirst }) => !askFirst).map(({ name }) => name),
      }),
    },
    async close() {
      mcp.close();
      await server.close();
    },
  };
}
