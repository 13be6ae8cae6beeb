import type { AgentDriver } from '../../engine/ports/agent-driver.ts';
import type { ProcessHost } from '../../engine/ports/process-host.ts';
import type { Agent } from '../../protocol/session.ts';
import { agentEnvironment } from '../process/agent-environment.ts';
import { findProgram } from '../process/find-program.ts';
import { leastCapabilities } from './capabilities.ts';
import { AcpConnection } from './connection.ts';
import type { AcpAgent } from './known-agents.ts';

export interface AcpDriverOptions {
  readonly processes: ProcessHost;
  /** The server's own environment; what is not the person's is taken out before an agent gets it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly agent: AcpAgent;
  /** Beckon's own; agents are told who talks to them. */
  readonly version: string;
  /** How long the agent may take for each step of its start. */
  readonly startLimitMs?: number;
}

/** Any agent that speaks the Agent Client Protocol over its standard input and output. */
export function acpDriver({
  processes,
  environment,
  agent,
  version,
  startLimitMs = 60_000,
}: AcpDriverOptions): AgentDriver {
  const { name, label, command, args } = agent;
  // It says what it can do only when it runs; what it said last is told until then.
  let learnt: Pick<Agent, 'capabilities' | 'version'> = { capabilities: leastCapabilities };

  return {
    name,
    label,

    async probe() {
      const isFound = findProgram(command, agentEnvironment(environment, { sessionEnv: agent.env ?? {} }));
      return isFound
        ? { name, label, available: true, ...learnt }
        : { name, label, available: false, reason: `There is no program "${command}"`, ...learnt };
    },

    start(start, report) {
      const env = agentEnvironment(environment, { sessionEnv: { ...agent.env, ...start.env } });
      const program = findProgram(command, env)?.command ?? command;
      return new AcpConnection({
        start,
        label,
        ownVersion: version,
        env,
        processes,
        report,
        startLimitMs,
        onReady: (version, capabilities) => {
          learnt = { capabilities, ...(version !== null && { version }) };
        },
        process: processes.start({
          id: start.processId,
          sessionId: start.sessionId,
          command: program,
          args,
          cwd: start.cwd,
          env,
          // It is told over the pipe, for the protocol has no other way.
          ...(start.tools && { secrets: [start.tools.key] }),
        }),
      });
    },
  };
}
