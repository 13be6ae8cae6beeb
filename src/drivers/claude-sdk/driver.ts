import type { Agent } from '../../protocol/session.ts';
import type { AgentDriver, AgentStart } from '../../runner/ports/agent-driver.ts';
import type { ProcessHost } from '../../runner/ports/process-host.ts';
import { claudeEnvironment } from '../claude/arguments.ts';
import { claudeCapabilities } from '../claude/capabilities.ts';
import { offeredUntilExit, offerTools } from '../claude/tool-config.ts';
import { agentEnvironment } from '../process/agent-environment.ts';
import { findProgram, VersionReader } from '../process/find-program.ts';
import { SdkConnection } from './connection.ts';
import { type FoundSdk, findSdk, loadSdk, type SdkPackage, sdkName } from './find-sdk.ts';
import { sdkOptions } from './options.ts';
import type { AgentSdk, SdkSpawnOptions } from './sdk-types.ts';

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
  const capabilities = claudeCapabilities(false);
  let version: string | null = null;

  const unavailable = (reason: string): Agent => ({ name, label, available: false, reason, capabilities });
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
      return { name, label, available: true, capabilities, ...(told !== undefined && { version: told }) };
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
        settings: (resume) => sdkOptions({ start, resume, env, program: own, tools }),
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
