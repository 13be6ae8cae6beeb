import { toolPatienceMs } from '../tool-server.ts';

/** An agent that speaks the Agent Client Protocol: how it is started, and what it is called. */
export interface AcpAgent {
  readonly name: string;
  readonly label: string;
  /** A path, or a name to look for on PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Claude Code gives up on a tool much sooner, if it is not told. */
const patience = { MCP_TOOL_TIMEOUT: String(toolPatienceMs) };

/** Agents that are offered without being configured, where their program is on PATH. */
export const knownAgents: readonly AcpAgent[] = [
  { name: 'claude-acp', label: 'Claude Code (ACP)', command: 'claude-agent-acp', args: [], env: patience },
  { name: 'gemini', label: 'Gemini CLI', command: 'gemini', args: ['--acp'] },
  { name: 'codex', label: 'Codex', command: 'codex-acp', args: [] },
  { name: 'opencode', label: 'opencode', command: 'opencode', args: ['acp'] },
  { name: 'goose', label: 'goose', command: 'goose', args: ['acp'] },
  { name: 'copilot', label: 'GitHub Copilot', command: 'copilot', args: ['--acp', '--stdio'] },
  { name: 'cursor', label: 'Cursor', command: 'cursor-agent', args: ['acp'] },
  { name: 'qwen', label: 'Qwen Code', command: 'qwen', args: ['--acp'] },
  { name: 'kimi', label: 'Kimi CLI', command: 'kimi', args: ['acp'] },
];
