import { isPermissionMode, type PermissionMode } from './permission.ts';

export interface Flags {
  readonly version: boolean;
  readonly streamJson: boolean;
  readonly asksOnStdio: boolean;
  readonly partialMessages: boolean;
  readonly replayUserMessages: boolean;
  readonly mode: PermissionMode;
  /** Whether the host may switch all asking off later on. */
  readonly mayBypass: boolean;
  readonly model: string | undefined;
  readonly resume: string | undefined;
  readonly sessionId: string | undefined;
  /** A file that names MCP servers. */
  readonly mcpConfig: string | undefined;
  /** Tools that are used without asking. */
  readonly allowedTools: readonly string[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const TAKES_VALUE = new Set([
  '--input-format',
  '--output-format',
  '--permission-prompt-tool',
  '--permission-mode',
  '--model',
  '--resume',
  '--session-id',
  '--mcp-config',
  '--allowedTools',
]);

/** Reads the command line; flags it does not know are passed over. A string is the reason it cannot start. */
export function parseFlags(args: readonly string[]): Flags | string {
  const given = collect(args);
  const unasked = given.has('--dangerously-skip-permissions') ? 'bypassPermissions' : 'default';
  const mode = given.get('--permission-mode') ?? unasked;
  if (!isPermissionMode(mode))
    return `error: option '--permission-mode <mode>' argument '${mode}' is invalid.`;
  const sessionId = given.get('--session-id');
  if (sessionId !== undefined && !UUID.test(sessionId)) {
    return 'Error: Invalid session ID. Must be a valid UUID.';
  }
  if (sessionId !== undefined && (given.has('--resume') || given.has('-r'))) {
    return 'Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.';
  }
  return {
    version: given.has('--version') || given.has('-v'),
    streamJson:
      given.get('--input-format') === 'stream-json' && given.get('--output-format') === 'stream-json',
    asksOnStdio: given.get('--permission-prompt-tool') === 'stdio',
    partialMessages: given.has('--include-partial-messages'),
    replayUserMessages: given.has('--replay-user-messages'),
    mode,
    mayBypass:
      mode === 'bypassPermissions' ||
      given.has('--dangerously-skip-permissions') ||
      given.has('--allow-dangerously-skip-permissions'),
    model: given.get('--model'),
    resume: given.get('--resume') ?? given.get('-r'),
    sessionId,
    mcpConfig: given.get('--mcp-config'),
    allowedTools: (given.get('--allowedTools') ?? '').split(/[ ,]+/).filter((name) => name !== ''),
  };
}

function collect(args: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const equals = arg.indexOf('=');
    if (arg.startsWith('--') && equals !== -1) given.set(arg.slice(0, equals), arg.slice(equals + 1));
    else if (TAKES_VALUE.has(arg) || arg === '-r') given.set(arg, args[++at] ?? '');
    else given.set(arg, '');
  }
  return given;
}
