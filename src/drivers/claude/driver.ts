import type { AgentConnection, AgentDriver, AgentFact } from '../../engine/ports/agent-driver.ts';
import type { ProcessHost } from '../../engine/ports/process-host.ts';
import { agentEnvironment } from '../process/agent-environment.ts';
import { claudeArguments, claudeEnvironment } from './arguments.ts';
import { claudeCapabilities } from './capabilities.ts';
import { ClaudeConnection } from './connection.ts';
import { findProgram, type Program, VersionReader } from './find-program.ts';

export interface ClaudeDriverOptions {
  readonly processes: ProcessHost;
  /** The server's own environment; what is not the person's is taken out before an agent gets it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A path, or a name to look for on PATH. */
  readonly program?: string;
}

/** Claude Code, as installed on this machine. */
export function claudeDriver({ program = 'claude', ...options }: ClaudeDriverOptions): AgentDriver {
  return wireDriver({
    ...options,
    name: 'claude',
    label: 'Claude Code',
    locate: (env) => findProgram(program, env),
    missing: `There is no program "${program}"`,
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
}

/** A driver for any program that speaks the Claude wire. */
export function wireDriver(options: WireDriverOptions): AgentDriver {
  const { name, label, processes, environment, locate, missing, settings = {} } = options;
  const versions = new VersionReader();
  let version: string | null = null;

  return {
    name,
    label,

    async probe() {
      const env = agentEnvironment(environment);
      const capabilities = claudeCapabilities();
      const program = locate(env);
      if (!program) return { name, label, available: false, reason: missing, capabilities };
      const found = await versions.read(program, env);
      version = found ?? null;
      if (found !== undefined) return { name, label, available: true, version: found, capabilities };
      const reason = `"${program.command}" does not tell its version`;
      return { name, label, available: false, reason, capabilities };
    },

    start(start, report) {
      const env = agentEnvironment(environment, {
        sessionEnv: claudeEnvironment({ ...settings, ...start.env }),
      });
      const program = locate(env);
      if (!program) return absentAgent(missing, report);
      const { command, leadingArgs } = program;
      return new ClaudeConnection({
        start,
        version,
        report,
        launch: (resume) =>
          processes.start({
            // A second process under the same start is another incarnation.
            id: resume === start.resume ? start.processId : `${start.processId}-anew`,
            sessionId: start.sessionId,
            command,
            args: [...leadingArgs, ...claudeArguments({ ...start, resume })],
            cwd: start.cwd,
            env,
          }),
      });
    },
  };
}

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
    answer: refuse,
    interrupt: refuse,
    setPermissionMode: refuse,
    setModel: refuse,
    close: () => reported,
    pause() {},
    resume() {},
  };
}
