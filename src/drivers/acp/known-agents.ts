import type { Agent } from '../../protocol/session.ts';
import { toolPatienceMs } from '../tool-server.ts';

/** An agent that speaks the Agent Client Protocol: how it is started, what it is called, and what is known of it. */
export interface AcpAgent extends Pick<Agent, 'install' | 'signIn' | 'asking'> {
  readonly name: string;
  readonly label: string;
  /** A path, or a name to look for on PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The npm package that its program comes with: two agents may have programs of the same name. */
  readonly package?: string;
  /** How long it waits for a tool of an MCP server: what its environment sets, or what it was seen to wait. */
  readonly toolLimitMs?: number;
  /** Tools of ours whose names it has for itself, and what they are called for it. */
  readonly renamedTools?: Readonly<Record<string, string>>;
}

const patience = String(toolPatienceMs);

/** What clients of MCP wait where they are told nothing. */
export const unknownToolLimitMs = 60_000;

const fromNpm = (name: string) => ({ package: name, install: `npm install -g ${name}` });

/** Agents that are known by name: they are offered where their program is on PATH, and else it is said how to install them. */
export const knownAgents: readonly AcpAgent[] = [
  {
    name: 'claude-acp',
    label: 'Claude Code (ACP)',
    command: 'claude-agent-acp',
    args: [],
    // It gives up on a tool much sooner, if it is not told.
    env: { MCP_TOOL_TIMEOUT: patience },
    toolLimitMs: toolPatienceMs,
    ...fromNpm('@agentclientprotocol/claude-agent-acp'),
    signIn: { command: 'claude /login', variable: 'ANTHROPIC_API_KEY' },
    asking: { byDefault: 'always', mode: 'default' },
  },
  {
    name: 'gemini',
    label: 'Gemini CLI',
    command: 'gemini',
    args: ['--acp'],
    ...fromNpm('@google/gemini-cli'),
    signIn: { command: 'gemini', variable: 'GEMINI_API_KEY' },
    asking: { byDefault: 'always', mode: 'default' },
    toolLimitMs: 600_000,
    renamedTools: { ask_user: 'ask_person' },
  },
  {
    name: 'codex',
    label: 'Codex',
    command: 'codex-acp',
    args: [],
    ...fromNpm('@agentclientprotocol/codex-acp'),
    signIn: { command: 'codex login', variable: 'OPENAI_API_KEY' },
    // In its own mode another model looks at what it does, and a person is asked seldom.
    asking: { byDefault: 'sometimes', mode: 'read-only' },
    toolLimitMs: 300_000,
  },
  {
    name: 'codex-zed',
    label: 'Codex (Zed)',
    command: 'codex-acp',
    args: [],
    ...fromNpm('@zed-industries/codex-acp'),
    signIn: { command: 'codex login', variable: 'OPENAI_API_KEY' },
    asking: { byDefault: 'sometimes', mode: 'read-only' },
    toolLimitMs: 120_000,
  },
  {
    name: 'opencode',
    label: 'opencode',
    command: 'opencode',
    args: ['acp'],
    ...fromNpm('opencode-ai'),
    signIn: { command: 'opencode auth login' },
    asking: {
      byDefault: 'never',
      variable: { name: 'OPENCODE_PERMISSION', value: '{"bash":"ask","edit":"ask"}' },
    },
    toolLimitMs: 600_000,
  },
  {
    name: 'qwen',
    label: 'Qwen Code',
    command: 'qwen',
    args: ['--acp'],
    ...fromNpm('@qwen-code/qwen-code'),
    signIn: { command: 'qwen', variable: 'OPENAI_API_KEY' },
    asking: { byDefault: 'sometimes', mode: 'default' },
    toolLimitMs: 600_000,
  },
  {
    name: 'copilot',
    label: 'GitHub Copilot',
    command: 'copilot',
    args: ['--acp', '--stdio'],
    ...fromNpm('@github/copilot'),
    signIn: { command: 'copilot login', variable: 'COPILOT_GITHUB_TOKEN' },
    asking: { byDefault: 'always' },
    toolLimitMs: 600_000,
  },
  {
    name: 'kimi',
    label: 'Kimi Code',
    command: 'kimi',
    args: ['acp'],
    // It gives up on a tool after a minute, if it is not told.
    env: { KIMI_MCP_TOOL_TIMEOUT_MS: patience },
    toolLimitMs: toolPatienceMs,
    ...fromNpm('@moonshot-ai/kimi-code'),
    signIn: { command: 'kimi login' },
    asking: { byDefault: 'always', mode: 'default' },
  },
  {
    name: 'cline',
    label: 'Cline',
    command: 'cline',
    args: ['--acp'],
    ...fromNpm('cline'),
    signIn: { command: 'cline auth', variable: 'CLINE_API_KEY' },
    asking: { byDefault: 'always' },
  },
  {
    name: 'pi',
    label: 'pi',
    command: 'pi-acp',
    args: [],
    package: 'pi-acp',
    install: 'npm install -g @earendil-works/pi-coding-agent pi-acp',
    signIn: { command: 'pi' },
    asking: { byDefault: 'never' },
  },
  {
    name: 'goose',
    label: 'goose',
    command: 'goose',
    args: ['acp'],
    install: 'https://block.github.io/goose/docs/getting-started/installation',
    signIn: { command: 'goose configure' },
    asking: { byDefault: 'never', variable: { name: 'GOOSE_MODE', value: 'approve' } },
  },
  {
    name: 'cursor',
    label: 'Cursor',
    command: 'cursor-agent',
    args: ['acp'],
    install: 'https://cursor.com/cli',
    signIn: { command: 'cursor-agent login', variable: 'CURSOR_API_KEY' },
  },
];
