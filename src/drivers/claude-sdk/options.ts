import type { AgentStart } from '../../runner/ports/agent-driver.ts';
import { nameToAgents } from '../tool-server.ts';
import type { SdkOptions } from './sdk-types.ts';

export interface SdkSettings {
  readonly start: Pick<AgentStart, 'cwd' | 'model' | 'permissionMode'>;
  readonly resume: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** The program to run; without one, that of the package. */
  readonly program: string | undefined;
  readonly tools: { readonly configFile: string; readonly unasked: readonly string[] } | null;
}

/** What the SDK is told for a session. The agent works with the person's own settings and instructions, as the program alone would. */
export function sdkOptions({ start, resume, env, program, tools }: SdkSettings): SdkSettingsOptions {
  const { cwd, model, permissionMode } = start;
  return {
    cwd,
    env: { ...env },
    ...(program !== undefined && { pathToClaudeCodeExecutable: program }),
    ...(model !== null && { model }),
    ...(resume !== null && { resume }),
    includePartialMessages: true,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    settingSources: ['user', 'project', 'local'],
    allowedTools: (tools?.unasked ?? []).map(nameToAgents),
    extraArgs: {
      'replay-user-messages': null,
      ...(permissionMode !== null && { 'permission-mode': permissionMode }),
      // Not as `mcpServers`: the SDK writes those into the arguments, which others can read, and there is a key in it.
      ...(tools !== null && { 'mcp-config': tools.configFile }),
    },
  };
}

export type SdkSettingsOptions = Omit<SdkOptions, 'spawnClaudeCodeProcess' | 'canUseTool' | 'onElicitation'>;
