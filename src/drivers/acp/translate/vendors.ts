import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../fields.ts';
import { objectIn } from '../../lines.ts';
import { nameToAgents, toolServerName } from '../../tool-server.ts';
import { knownAgents } from '../known-agents.ts';
import { contentsIn, wordsOf } from './content.ts';

/**
 * What some agents say in ways of their own, put as the others say it. It goes by the name that the program gives itself: what one
 * program writes into an input, another lets its model write there.
 */
export interface Vendor {
  /** An update or a call that is asked about, as it is read from here on. */
  read(update: JsonObject): JsonObject;
  /** Fields of an input that the program adds to it, and that change nothing of what is done. */
  readonly notes: ReadonlySet<string>;
  /** An update that is about no call, as it is read from here on. */
  restate?(update: JsonObject): JsonObject;
  /** Whether the options of a plan are its modes: then the mode to go on in is chosen instead. */
  readonly modesAsOptions?: boolean;
  /** Whether the cost it tells goes on counting when a conversation is taken up again. */
  readonly countsOn?: boolean;
  /** Whether the tokens that it tells at the end of a turn are those of all turns so far. */
  readonly countsAllTurns?: boolean;
  /** Whether what it is asked leave for is told in words alone, and the input only beside them. */
  readonly asksInWords?: boolean;
  /** Whether an ask is about the tool that the call was begun with, where the name of that tool is no more than a title. */
  confirmsName?(call: JsonObject, asked: JsonObject): boolean;
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
  Copilot: {
    read: copilotCall,
    notes: new Set(),
    countsAllTurns: true,
    // The title of a call may be the model's own words; that of an ask for a tool of a server is the tool's name alone.
    confirmsName: ({ name }, { title }) =>
      !textAt({ name }, 'name')?.startsWith('mcp__') || name === nameToAgents(String(title)),
  },
  'Kimi Code CLI': { read: kimiCall, notes: new Set(), asksInWords: true },
  cline: { read: clineCall, notes: new Set() },
  'pi-acp': { read: piCall, notes: new Set() },
  OpenCode: { read: opencodeCall, notes: new Set(), countsOn: true },
  '@agentclientprotocol/claude-agent-acp': {
    read: (update) => update,
    notes: new Set(),
    modesAsOptions: true,
  },
  'gemini-cli': { read: geminiCall, restate: geminiMode, notes: new Set() },
  'qwen-code': { read: qwenCall, notes: new Set() },
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

/** Copilot: the ask for a command or a file gives its own account of it, and the output is told in an envelope. */
function copilotCall(update: JsonObject): JsonObject {
  const input = objectAt(update, 'rawInput') ?? {};
  const own = `${toolServerName}-`;
  const title = textAt(update, 'title') ?? '';
  const isOwn = update.sessionUpdate === 'tool_call' && update.kind === 'other' && title.startsWith(own);
  const { command, commands, fileName, ...others } = input;
  const isOne = Array.isArray(commands) && commands.length === 1 && commands[0] === command;
  return {
    ...update,
    ...(isOwn && { name: nameToAgents(title.slice(own.length)) }),
    ...(isOne && { rawInput: { ...others, command } }),
    ...(typeof fileName === 'string' && { rawInput: { ...others, path: fileName } }),
    ...copilotOutput(update),
  };
}

function copilotOutput({ rawOutput }: JsonObject): JsonObject {
  if (!isObject(rawOutput)) return {};
  const exit = listAt(rawOutput, 'contents').find(({ type }) => type === 'shell_exit');
  const text = textAt(rawOutput, 'content') ?? textAt(rawOutput, 'message');
  if (text === undefined) return {};
  if (!exit) return { rawOutput: text };
  const output = text.replace(/<shellId: \S+ completed with exit code \d+>$/, '');
  return { rawOutput: { output, exit_code: exit.exitCode } };
}

/** Kimi: until it runs, the input is told as the text of the call; the title is the tool's name. */
function kimiCall(update: JsonObject): JsonObject {
  const { sessionUpdate, title, kind, status } = update;
  const isOfServer = textAt(update, 'title')?.startsWith('mcp__');
  const isNamed = sessionUpdate === 'tool_call' && (!isOfServer || kind === 'other');
  const isBegun = sessionUpdate !== undefined && status === 'pending';
  const rawInput = update.rawInput ?? (isBegun ? inputText(update) : undefined);
  return {
    ...(rawInput === undefined ? update : withoutInputText({ ...update, rawInput })),
    ...(isNamed && { name: title }),
  };
}

function inputText(update: JsonObject): JsonObject | undefined {
  const [only, ...others] = contentsIn(update);
  const text = only && others.length === 0 ? textAt(only, 'text') : undefined;
  const read = text === undefined ? undefined : objectIn(text);
  return read?.kind === 'object' ? read.message : undefined;
}

function withoutInputText(update: JsonObject): JsonObject {
  if (!inputText(update)) return update;
  const content = listAt(update, 'content').filter(({ type }) => type !== 'content');
  return { ...update, content };
}

/** Cline: one command stands in a list, a denial is told as an end before the end, and output is told in envelopes. */
function clineCall(update: JsonObject): JsonObject {
  const { commands, ...others } = objectAt(update, 'rawInput') ?? {};
  const many = Array.isArray(commands) && commands.length > 1;
  const only = Array.isArray(commands) && commands.length === 1 ? commands[0] : undefined;
  const { status, rawOutput, content } = update;
  const isHalf = status === 'failed' && rawOutput === undefined && content === undefined;
  const text = clineOutput(rawOutput);
  return {
    ...update,
    // No one command says what several do.
    ...(many && { kind: 'other', name: 'run_commands' }),
    ...(typeof only === 'string' && { rawInput: { ...others, command: only } }),
    ...(isHalf && { status: 'in_progress' }),
    ...(text !== undefined && { rawOutput: text }),
  };
}

function clineOutput(rawOutput: unknown): string | undefined {
  if (typeof rawOutput === 'string') {
    const read = objectIn(rawOutput);
    return read.kind === 'object' ? textAt(read.message, 'error') : undefined;
  }
  const parts = (Array.isArray(rawOutput) ? rawOutput : [rawOutput]).filter(isObject);
  const texts = parts.flatMap((part) => textAt(part, 'result') ?? textAt(part, 'error') ?? []);
  return texts.length > 0 && texts.length === parts.length ? texts.join('') : undefined;
}

/** pi: how a command ended is told as a line of its output, and the exit beside it is another. */
function piCall(update: JsonObject): JsonObject {
  const note = objectAt(update, '_meta') ?? {};
  const printed = objectAt(note, 'terminal_output') ?? {};
  const [, code] = /^\s*Command exited with code (\d+)$/.exec(textAt(printed, 'data') ?? '') ?? [];
  if (code === undefined) return update;
  const { terminal_output: _, ...others } = note;
  return { ...update, _meta: { ...others, terminal_exit: { exit_code: Number(code) } } };
}

/** It has a tool `ask_user` of its own, and is given ours under another name. */
const ownGeminiName = (tool: string): string => {
  const renamed = knownAgents.find(({ name }) => name === 'gemini')?.renamedTools ?? {};
  return nameToAgents(Object.entries(renamed).find(([, given]) => given === tool)?.[0] ?? tool);
};

/**
 * Gemini CLI gives no input. The id of a call begins with the tool's name; the title of a command is the command itself, and its
 * content, until it has run, says where it runs.
 */
function geminiCall(update: JsonObject): JsonObject {
  const [, tool] = /^(\w+?)__/.exec(textAt(update, 'toolCallId') ?? '') ?? [];
  if (tool === undefined) return update;
  const own = `mcp_${toolServerName}_`;
  const isOwn = tool.startsWith(own);
  const name = isOwn ? ownGeminiName(tool.slice(own.length)) : (sharedTools[tool] ?? tool);
  const command = textAt(update, 'title');
  if (name === 'ExitPlanMode') return { ...update, name, kind: 'switch_mode' };
  const isOver = update.status === 'completed' || update.status === 'failed';
  if (name !== 'Bash' || isOver || command === undefined) return { ...update, name };
  const details = contentsIn(update).map(wordsOf).join('');
  return { ...update, name, rawInput: { command, ...geminiDetails(details) }, content: [] };
}

/** Where a command of Gemini CLI runs, as it is told. What can be read in two ways, or in none, is shown as it is. */
function geminiDetails(details: string): JsonObject {
  if (details === '') return {};
  const form = /^\[(?:in|current working directory) ([^\]]+)\](?: \((.*)\))?( \[background\])?$/s;
  const [, directory, description, inBackground] = form.exec(details) ?? [];
  if (directory === undefined || description?.includes('] (')) return { details };
  return {
    ...(description !== undefined && { description }),
    ...(details.startsWith('[in ') && { directory }),
    ...(inBackground !== undefined && { is_background: true }),
  };
}

/** Gemini CLI tells a change of its mode as if its model had said it. */
function geminiMode(update: JsonObject): JsonObject {
  if (update.sessionUpdate !== 'agent_message_chunk') return update;
  const [, mode] =
    /^\[MODE_UPDATE\] (\w+)$/.exec(textAt(objectAt(update, 'content') ?? {}, 'text') ?? '') ?? [];
  return mode === undefined ? update : { sessionUpdate: 'current_mode_update', currentModeId: mode };
}

/** Qwen Code names the tool beside the protocol, and whose sub-agent calls it. */
function qwenCall(update: JsonObject): JsonObject {
  const note = objectAt(update, '_meta') ?? {};
  const tool = textAt(note, 'toolName');
  if (tool === undefined) return update;
  const { is_background, ...input } = objectAt(update, 'rawInput') ?? {};
  const rawInput =
    is_background === undefined || is_background === false ? input : { is_background, ...input };
  const parent = textAt(note, 'parentToolCallId');
  return {
    ...update,
    name: sharedTools[tool] ?? tool,
    ...(update.rawInput !== undefined && { rawInput }),
    ...(parent !== undefined && { _meta: { ...note, claudeCode: { parentToolUseId: parent } } }),
  };
}

/** Qwen Code began as a copy of Gemini CLI: most of their tools have the same names. */
const sharedTools: Readonly<Record<string, string>> = {
  agent: 'Agent',
  ask_user_question: 'AskUserQuestion',
  edit: 'Edit',
  exit_plan_mode: 'ExitPlanMode',
  glob: 'Glob',
  google_web_search: 'WebSearch',
  grep_search: 'Grep',
  invoke_agent: 'Agent',
  list_directory: 'LS',
  read_file: 'Read',
  replace: 'Edit',
  run_shell_command: 'Bash',
  todo_write: 'TodoWrite',
  web_fetch: 'WebFetch',
  write_file: 'Write',
};
