import { isObject, type JsonObject, objectAt, textAt } from '../../fields.ts';
import { nameToAgents, toolServerName } from '../../tool-server.ts';

/**
 * What some agents say in ways of their own, put as the others say it. It goes by the name that the program gives itself: what one
 * program writes into an input, another lets its model write there.
 */
export interface Vendor {
  /** An update or a call that is asked about, as it is read from here on. */
  read(update: JsonObject): JsonObject;
  /** Fields of an input that the program adds to it, and that change nothing of what is done. */
  readonly notes: ReadonlySet<string>;
  /** Whether the cost it tells goes on counting when a conversation is taken up again. */
  readonly countsOn?: boolean;
}

export const vendorOf = (agentName: string): Vendor => vendors[agentName] ?? plain;

const plain: Vendor = { read: (update) => update, notes: new Set() };

const vendors: Readonly<Record<string, Vendor>> = {
  '@agentclientprotocol/codex-acp': { read: codexCall, notes: new Set() },
  'codex-acp': {
    read: zedCall,
    notes: new Set(
      'call_id turn_id process_id started_at_ms source reason parsed_cmd auto_approved available_decisions proposed_execpolicy_amendment'.split(
        ' ',
      ),
    ),
  },
  OpenCode: { read: opencodeCall, notes: new Set(), countsOn: true },
};

/** Codex's adapter: a tool of an MCP server is named in the input, and a sub-agent is started by a call without a name. */
function codexCall(update: JsonObject): JsonObject {
  const isOfServer = objectAt(update, '_meta')?.is_mcp_tool_call === true;
  if (isOfServer) return serverCall(update) ?? update;
  const isSpawn =
    update.title === 'spawnAgent' && textAt(objectAt(update, 'rawInput') ?? {}, 'senderThreadId');
  return isSpawn ? { ...update, name: 'Agent' } : update;
}

/** Zed's adapter to Codex: the ask for a tool of a server repeats its own words instead of the input, which is known. */
function zedCall(update: JsonObject): JsonObject {
  const input = objectAt(update, 'rawInput') ?? {};
  const approval = objectAt(objectAt(input, 'request') ?? {}, '_meta');
  if (approval?.codex_approval_kind === 'mcp_tool_call') {
    const { rawInput: _, title: __, ...rest } = update;
    return rest;
  }
  return serverCall(update) ?? update;
}

/** A call told as `{server, tool, arguments}`: its input is what the tool is given, its name says whose tool it is. */
function serverCall(update: JsonObject): JsonObject | undefined {
  const input = objectAt(update, 'rawInput') ?? {};
  const { server, tool, arguments: given, ...others } = input;
  if (typeof server !== 'string' || typeof tool !== 'string' || Object.keys(others).length > 0)
    return undefined;
  const rawInput =
    given === undefined || given === null || isObject(given) ? (given ?? {}) : { input: given };
  return { ...update, kind: 'other', name: `mcp__${server}__${tool}`, rawInput };
}

/** opencode: a call that has just begun is titled with the tool's own name, and later with words about it. */
function opencodeCall(update: JsonObject): JsonObject {
  const title =
    update.sessionUpdate === 'tool_call' && update.status === 'pending' && textAt(update, 'title');
  if (!title) return update;
  const own = `${toolServerName}_`;
  const name = title.startsWith(own)
    ? nameToAgents(title.slice(own.length))
    : (opencodeTools[title] ?? title);
  return { ...update, name };
}

const opencodeTools: Readonly<Record<string, string>> = {
  edit: 'Edit',
  glob: 'Glob',
  grep: 'Grep',
  list: 'LS',
  task: 'Task',
  todowrite: 'TodoWrite',
  webfetch: 'WebFetch',
  websearch: 'WebSearch',
  write: 'Write',
};
