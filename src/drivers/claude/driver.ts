import type {
  AgentConnection,
  AgentDriver,
  AgentFact,
  AgentStart,
  Report,
} from '../../runner/ports/agent-driver.ts';
import type { AgentProcess, ProcessHost } from '../../runner/ports/process-host.ts';
import { agentEnvironment } from '../process/agent-environment.ts';
import { findProgram, type Program, VersionReader } from '../process/find-program.ts';
import { claudeArguments, claudeEnvironment, environmentWithTools } from './arguments.ts';
import { ClaudeConnection } from './connection.ts';
import { claudeCapabilities, thinkingVariable } from './initialized.ts';
import { offeredUntilExit, offerTools } from './tool-config.ts';

export interface ClaudeDriverOptions {
  readonly processes: ProcessHost;
  /** The server's own environment; what is not the person's is taken out before an agent gets it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether questions may be left for later, to be taken up again when the agent is resumed. */
  readonly holdsQuestions?: boolean;
  /** A path, or a name to look for on PATH. */
  readonly program?: string;
  /** Where it is written down for each agent how to reach the tools; without it none are offered. */
  readonly toolConfigs?: string;
}

/** Claude Code, as installed on this machine. */
export function claudeDriver({
  program = 'claude',
  holdsQuestions = true,
  ...options
}: ClaudeDriverOptions): AgentDriver {
  return wireDriver({
    ...options,
    name: 'claude',
    label: 'Claude Code',
    locate: (env) => findProgram(program, env),
    missing: `There is no program "${program}"`,
    holdsQuestions,
    thinkingVariable,
  });
}

export interface WireDriverOptions extends Omit<ClaudeDriverOptions, 'program'> {
  readonly name: string;
  readonly label: string;
  locate(env: Readonly<Record<string, string>>): Program | undefined;
  /** Settings of the program itself; a session's own environment wins over them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Why the agent is not available when its program cannot be located. */
  readonly missing: string;
  /** What of ours the program must see. */
  readonly needs?: readonly string[];
  readonly thinkingVariable?: string;
}

/** A driver for any program that speaks the Claude wire. */
export function wireDriver(options: WireDriverOptions): AgentDriver {
  const {
    name,
    label,
    processes,
    environment,
    locate,
    missing,
    toolConfigs,
    settings = {},
    holdsQuestions = false,
    needs = [],
  } = options;
  const known = {
    name,
    label,
    ...(options.thinkingVariable && { thinkingVariable: options.thinkingVariable }),
  };
  const versions = new VersionReader();
  let version: string | null = null;

  return {
    name,
    label,

    async probe() {
      const env = agentEnvironment(environment);
      const capabilities = claudeCapabilities(processes.outlivesServer);
      const program = locate(env);
      if (!program) return { ...known, available: false, reason: missing, capabilities };
      const found = await versions.read(program, env);
      version = found ?? null;
      if (found !== undefined) return { ...known, available: true, version: found, capabilities };
      const reason = `"${program.command}" does not tell its version`;
      return { ...known, available: false, reason, capabilities };
    },

    start(start, outerReport) {
      const report = offeredUntilExit(toolConfigs, start, outerReport);
      const launch = launcher(start, report);
      return launch
        ? new ClaudeConnection({ start, version, holdsQuestions, report, launch })
        : absentAgent(missing, report);
    },

    attach(start, left, outerReport) {
      const report = offeredUntilExit(toolConfigs, start, outerReport);
      const found =
        left.kept.find(({ id }) => id === secondId(start)) ??
        left.kept.find(({ id }) => id === start.processId);
      if (!found) return undefined;
      const mark = left.mark?.processId === found.id ? left.mark : undefined;
      const process = processes.attach(found.id, mark?.offset ?? 0);
      if (!process) return undefined;
      const attached = { process, mark, outputEnd: found.outputEnd, left };
      const launch = launcher(start, report) ?? (() => process);
      return new ClaudeConnection({ start, version, holdsQuestions, report, launch, attached });
    },
  };

  /** Undefined when there is no program to start. */
  function launcher(
    start: AgentStart,
    report: Report,
  ): ((resume: string | null) => AgentProcess) | undefined {
    const env = agentEnvironment(environment, {
      sessionEnv: claudeEnvironment({ ...settings, ...start.env }),
    });
    const program = locate(env);
    if (!program) return undefined;
    const { command, leadingArgs } = program;
    return (resume) => {
      const tools = offerTools(toolConfigs, start, report);
      return processes.start({
        id: resume === start.resume ? start.processId : secondId(start),
        sessionId: start.sessionId,
        command,
        args: [...leadingArgs, ...claudeArguments({ ...start, resume, tools })],
        cwd: start.cwd,
        env: environmentWithTools(env, tools),
        needs: [...needs, ...(tools === null ? [] : [tools.configFile])],
      });
    };
  }
}

/** A second process under the same start, without the conversation that the first could not go on with. */
const secondId = ({ processId }: AgentStart): string => `${processId}-anew`;

/** A program that went away between listing and starting. */
function absentAgent(startError: string, report: (facts: readonly AgentFact[]) => void): AgentConnection {
  const reported = Promise.resolve().then(() =>
    report([{ type: 'exited', code: null, signal: null, startError, stderr: [] }]),
  );
  const refuse = async () => {
    throw new Error(startError);
  };
  return {
    send: refuse,
    answer: async () => ({ ok: false, code: 'not-started', message: startError }),
    interrupt: refuse,
    setPermissionMode: refuse,
    setModel: refuse,
    close: () => reported,
    pause() {},
    resume() {},
  };
}
