import { readFileSync } from 'node:fs';
import { isObject, type JsonObject, stringAt } from '../json.ts';
import { failed, type Tool } from '../tools/tool.ts';
import { McpClient } from './mcp-client.ts';

/** The MCP servers named on the command line, and their tools. */
export interface McpServers {
  /** Settles when each of them is connected or has failed. */
  ready(): Promise<void>;
  status(): readonly { readonly name: string; readonly status: 'connected' | 'failed' }[];
  toolNames(): readonly string[];
  find(name: string): Tool | undefined;
}

interface Connected {
  readonly name: string;
  readonly client: McpClient;
  isConnected: boolean;
}

/** Begins to connect at once; `allowed` are the tools that need no asking. A string is the reason it cannot start. */
export function openServers(configFile: string, allowed: readonly string[]): McpServers | string {
  const servers = readConfig(configFile);
  if (typeof servers === 'string') return servers;
  const connecting = Promise.all(servers.map(connect));
  const tools = (): readonly Tool[] => servers.flatMap((server) => toolsOf(server, allowed));
  return {
    ready: async () => void (await connecting),
    status: () =>
      servers.map(({ name, isConnected }) => ({ name, status: isConnected ? 'connected' : 'failed' })),
    toolNames: () => tools().map((tool) => tool.name),
    find: (name) => tools().find((tool) => tool.name === name),
  };
}

async function connect(server: Connected): Promise<void> {
  try {
    await server.client.connect();
    server.isConnected = true;
  } catch (error) {
    process.stderr.write(`MCP server "${server.name}": ${reasonOf(error)}\n`);
  }
}

function toolsOf({ name: serverName, client }: Connected, allowed: readonly string[]): readonly Tool[] {
  return client.tools.map(({ name, description }): Tool => {
    const fullName = `mcp__${serverName}__${name}`;
    return {
      name: fullName,
      kind: allowed.some((pattern) => covers(pattern, fullName)) ? 'free' : 'command',
      concurrent: true,
      subject: () => '',
      describe: () => description,
      run: async (input, { toolUseId, signal }) => {
        try {
          const { content, isError } = await client.call(name, input, toolUseId, signal);
          return isError
            ? { content, isError, structured: `Error: ${textIn(content)}` }
            : { content, structured: content };
        } catch (error) {
          if (signal.aborted) throw signal.reason;
          return failed(`MCP server "${serverName}": ${reasonOf(error)}`);
        }
      },
    };
  });
}

const textIn = (content: readonly JsonObject[]): string =>
  content.map((block) => stringAt(block, 'text') ?? '').join('\n');

const covers = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

function readConfig(path: string): readonly Connected[] | string {
  try {
    const config: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const servers = isObject(config) && isObject(config.mcpServers) ? config.mcpServers : {};
    return Object.entries(servers).flatMap(([name, server]) =>
      isObject(server) && stringAt(server, 'url') !== undefined ? [serverOf(name, server)] : [],
    );
  } catch (error) {
    return `Error: Invalid MCP configuration: ${reasonOf(error)}`;
  }
}

function serverOf(name: string, server: JsonObject): Connected {
  const headers = isObject(server.headers) ? server.headers : {};
  const texts = Object.entries(headers).map(([key, value]) => [key, String(value)]);
  const client = new McpClient(stringAt(server, 'url') ?? '', Object.fromEntries(texts));
  return { name, client, isConnected: false };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
