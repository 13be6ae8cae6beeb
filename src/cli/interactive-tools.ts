import type { Engine } from '../engine/index.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { SharedTools, ToolCalls } from '../engine/ports/tool-calls.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { ToolCatalogue } from '../protocol/tool.ts';
import type { ToolAccess } from '../runner/ports/agent-driver.ts';
import { createToolHost, type ToolHost } from '../tools/host/tool-host.ts';
import { createMcpEndpoint, type McpEndpoint, toolKeys } from '../tools/mcp/endpoint.ts';
import type { Tool } from '../tools/sdk/define-tool.ts';
import type { Logger } from './logger.ts';

export interface InteractiveTools {
  readonly endpoint: McpEndpoint;
  readonly host: ToolHost;
  /** For agents of other machines. */
  readonly shared: SharedTools;
  /** Ends the runs of tools and tells those who called them; first of all, so that what was asked stays open. */
  end(): Promise<void>;
  /** Lets go of the connections; when the agents are gone or on their own. */
  disconnect(): void;
}

/** Loads the tools and puts them on the wire. What cannot be loaded is told, and the rest works. */
export async function openInteractiveTools(
  engine: Engine,
  parts: {
    readonly files: readonly string[];
    readonly given?: readonly Tool[];
    readonly secret: string;
    readonly version: string;
    readonly clock: Clock;
    readonly logger: Logger;
  },
): Promise<InteractiveTools> {
  const { files, given = [], clock, logger, version } = parts;
  const host = await createToolHost({ desk: engine.tools, files, given, clock, logger });
  const sessionOf = (sessionId: SessionId) => {
    const now = engine.snapshot(sessionId);
    return now.ok && now.value.session.id === sessionId ? now.value.session : undefined;
  };
  const admits = (sessionId: SessionId): boolean => {
    const status = sessionOf(sessionId)?.status;
    return status !== undefined && status !== 'stopped' && status !== 'failed';
  };
  const calls: ToolCalls = {
    get tools() {
      return host.tools;
    },
    onChange: (listener) => host.onChange(listener),
    call: (...call) => host.call(...call),
    resume: async (sessionId, callId) => ({ left: engine.tools.leftOpen(sessionId, callId) ?? null }),
  };
  const endpoint = createMcpEndpoint({
    host: calls,
    keys: toolKeys(parts.secret),
    admits,
    version,
    clock,
    logger,
  });
  const stopWatching = engine.tools.onRunEnd((sessionId) => {
    if (!admits(sessionId)) endpoint.endSession(sessionId);
  });
  return {
    endpoint,
    host,
    shared: {
      calls,
      admits: (machine, sessionId) => sessionOf(sessionId)?.machine === machine && admits(sessionId),
    },
    async end() {
      stopWatching();
      await host.close();
    },
    disconnect: () => endpoint.close(),
  };
}

/** How an agent reaches the tools; none before there is an address to give. */
export function toolAccessOf(
  secret: string,
  known: () => { readonly url: string | undefined; readonly host: ToolHost | undefined },
): (sessionId: SessionId) => ToolAccess | null {
  const keys = toolKeys(secret);
  return (sessionId) => {
    const { url, host } = known();
    if (url === undefined) return null;
    return {
      url: `${url}/mcp/${encodeURIComponent(sessionId)}`,
      key: keys.of(sessionId),
      unasked: (host?.tools ?? []).filter(({ askFirst }) => !askFirst).map(({ name }) => name),
    };
  };
}

export function catalogueOf(host: ToolHost | undefined): ToolCatalogue {
  return {
    tools: (host?.tools ?? []).map(({ name, description, askFirst, file }) => ({
      name,
      description,
      source: file ?? 'built-in',
      askFirst,
    })),
    problems: (host?.problems ?? []).map(({ file, tool, line, message }) => ({
      file,
      error: message,
      ...(tool === undefined ? {} : { tool }),
      ...(line === undefined ? {} : { line }),
    })),
  };
}
