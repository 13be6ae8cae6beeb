import type { AgentStart } from '../../runner/ports/agent-driver.ts';
import { nameToAgents, toolPatienceMs } from '../tool-server.ts';

/** How Claude Code is started for a session; values are joined to their flags, so that none can pass for another flag. */
export function claudeArguments({ model, permissionMode, resume, fork, tools }: ClaudeSettings): string[] {
  return [
    '-p',
    '--input-format=stream-json',
    '--output-format=stream-json',
    '--permission-prompt-tool=stdio',
    '--verbose',
    '--include-partial-messages',
    '--replay-user-messages',
    ...(model === null ? [] : [`--model=${model}`]),
    ...(permissionMode === null ? [] : [`--permission-mode=${permissionMode}`]),
    ...(resume === null ? [] : [`--resume=${resume}`, ...forkArguments(fork)]),
    ...(tools === null ? [] : toolArguments(tools)),
  ];
}

export interface ClaudeSettings extends Pick<AgentStart, 'model' | 'permissionMode' | 'resume' | 'fork'> {
  readonly tools: {
    /** Where our tools are reached; it holds a key, and so is named here and not spelled out. */
    readonly configFile: string;
    readonly unasked: readonly string[];
  } | null;
}

function forkArguments(fork: AgentStart['fork']): string[] {
  if (!fork) return [];
  return ['--fork-session', ...(fork.at === null ? [] : [`--resume-session-at=${fork.at}`])];
}

function toolArguments({ configFile, unasked }: NonNullable<ClaudeSettings['tools']>): string[] {
  const allowed = unasked.map(nameToAgents).join(',');
  return [`--mcp-config=${configFile}`, ...(allowed === '' ? [] : [`--allowedTools=${allowed}`])];
}

/** What the session's environment says wins. */
export function claudeEnvironment(sessionEnv: Readonly<Record<string, string>>): Record<string, string> {
  return { MCP_TOOL_TIMEOUT: String(toolPatienceMs), ...sessionEnv };
}

/**
 * Claude Code begins its first turn without the tools of a server that is not connected yet, and then says that there is no such tool.
 * With this it waits for its servers, five seconds at most. What the person has set wins.
 */
export function environmentWithTools(
  env: Readonly<Record<string, string>>,
  tools: ClaudeSettings['tools'],
): Record<string, string> {
  return { ...(tools !== null && { MCP_CONNECTION_NONBLOCKING: '0' }), ...env };
}
