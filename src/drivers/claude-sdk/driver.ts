import type { Agent } from '../../protocol/session.ts';
import type { AgentDriver, AgentStart } from '../../runner/ports/agent-driver.ts';
import type { ProcessHost } from '../../runner/ports/process-host.ts';
import { claudeEnvironment, environmentWithTools } from '../claude/arguments.ts';
import { claudeCapabilities, thinkingVariable } from '../claude/initialized.ts';
import { offeredUntilExit, offerTools } from '../claude/tool-config.ts';
import { agentEnvironment } from '../process/agent-environment.ts';
import { findProgram, VersionReader } from '../process/find-program.ts';
import { nameToAgents } from '../tool-server.ts';
import { SdkConnection } from './connection.ts';
import { type FoundSdk, findSdk, loadSdk, type SdkPackage, sdkName } from './find-sdk.ts';
import type { AgentSdk, SdkOptions, SdkSpawnOptions } from './sdk-types.ts';

export interface ClaudeSdkDriverOptions {
  readonly processes: ProcessHost;
  /** The server's own environment; what is not the person's is taken out before an agent gets it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A path, or a name to look for on PATH. */
  readonly program?: string;
  /** Where to look for the package, beside where Beckon itself is. */
  readonly directories?: readonly string[];
  /** Where it is written down for each agent how to reach the tools; without it none are offered. */
  readonly toolConfigs?: string;
  readonly loader?: (sdk: SdkPackage) => Promise<AgentSdk>;
}

const name = 'claude-sdk';
const label = 'Claude (Agent SDK)';

/** Claude Code through its Agent SDK, which the person installs beside Beckon. The program is the person's own, where there is one. */
export function claudeSdkDriver(options: ClaudeSdkDriverOptions): AgentDriver {
  const { processes, environment, program, directories = [], toolConfigs, loader = loadSdk } = options;
  const versions = new VersionReader();
  const known = { name, label, capabilities: claudeCapabilities(false), thinkingVariable };
  let version: string | null = null;

  const unavailable = (reason: string): Agent => ({ ...known, available: false, reason });
  const find = (): FoundSdk => findSdk([import.meta.dirname, ...directories]);
  const ownProgram = (env: Readonly<Record<string, string>>) => findProgram(program ?? 'claude', env);

  return {
    name,
    label,

    async probe() {
      const found = find();
      if (!found.ok) return unavailable(found.reason);
      const env = agentEnvironment(environment);
      const own = ownProgram(env);
      if (!own && !mayUseBundled(found.sdk)) return unavailable(noProgram());
      const told = own ? await versions.read(own, env) : found.sdk.programVersion;
      version = told ?? null;
      if (told === undefined && own) return unavailable(`"${own.command}" does not tell its version`);
      return { ...known, available: true, ...(told !== undefined && { version: told }) };
    },

    start(start, outerReport) {
      const report = offeredUntilExit(toolConfigs, start, outerReport);
      const env = agentEnvironment(environment, { sessionEnv: claudeEnvironment(start.env) });
      const own = ownProgram(env)?.command;
      const tools = offerTools(toolConfigs, start, report);
      return new SdkConnection({
        start,
        version,
        report,
        load: async () => {
          const found = find();
          if (!found.ok) throw new Error(found.reason);
          if (own === undefined && !mayUseBundled(found.sdk)) throw new Error(noProgram());
          return loader(found.sdk);
        },
        settings: (resume) =>
          sdkOptions({ start, resume, env: environmentWithTools(env, tools), program: own, tools }),
        launch: (resume, wanted) => processes.start(processSpec(start, resume, wanted)),
      });
    },
  };

  /** A program that was named is meant: another in its place would surprise. */
  function mayUseBundled({ bringsProgram }: SdkPackage): boolean {
    return program === undefined && bringsProgram;
  }

  function noProgram(): string {
    const missing = `There is no program "${program ?? 'claude'}"`;
    return program === undefined ? `${missing}, and ${sdkName} was installed without its own` : missing;
  }
}

/** The SDK says what to run and with what environment; where and for whom is ours. */
function processSpec(
  { processId, sessionId, resume: firstResume, cwd }: AgentStart,
  resume: string | null,
  { command, args, env }: SdkSpawnOptions,
) {
  const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    id: resume === firstResume ? processId : `${processId}-anew`,
    sessionId,
    command,
    args,
    cwd,
    env: Object.fromEntries(defined),
  };
}

interface SdkSettings {
  readonly start: Pick<AgentStart, 'cwd' | 'model' | 'permissionMode' | 'fork'>;
  readonly resume: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** The program to run; without one, that of the package. */
  readonly program: string | undefined;
  readonly tools: { readonly configFile: string; readonly unasked: readonly string[] } | null;
}

/** What the SDK is told for a session. The agent works with the person's own settings and instructions, as the program alone would. */
export function sdkOptions({ start, resume, env, program, tools }: SdkSettings): SdkSettingsOptions {
  const { cwd, model, permissionMode, fork } = start;
  return {
    cwd,
    env: { ...env },
    ...(program !== undefined && { pathToClaudeCodeExecutable: program }),
    ...(model !== null && { model }),
    ...(resume !== null && { resume }),
    ...(resume !== null && fork && { forkSession: true }),
    ...(resume !== null && fork && fork.at !== null && { resumeSessionAt: fork.at }),
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
