import type { Agent } from '../../protocol/session.ts';
import type { AgentDriver, AgentStart, Report } from '../../runner/ports/agent-driver.ts';
import type { ProcessHost } from '../../runner/ports/process-host.ts';
import { agentEnvironment } from '../process/agent-environment.ts';
import { findProgram } from '../process/find-program.ts';
import { AcpConnection, type Attached, type ConnectionOptions } from './connection.ts';
import { leastCapabilities, lookFor } from './installed.ts';
import { readState } from './kept-state.ts';
import { type AcpAgent, unknownToolLimitMs } from './known-agents.ts';

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
  const { name, label, command, args, toolLimitMs = unknownToolLimitMs } = agent;
  // It says what it can do only when it runs; what it said last is told until then.
  let learnt: Pick<Agent, 'capabilities' | 'version'> = {
    capabilities: leastCapabilities(processes.outlivesServer),
  };

  return {
    name,
    label,

    async probe() {
      return { ...lookFor(agent, environment), ...learnt };
    },

    start(start, report) {
      const options = optionsFor(start, report);
      const process = processes.start({
        id: start.processId,
        sessionId: start.sessionId,
        command: findProgram(command, options.env)?.command ?? command,
        args,
        cwd: start.cwd,
        env: options.env,
        // It is told over the pipe, for the protocol has no other way.
        ...(start.tools && { secrets: [start.tools.key] }),
      });
      return new AcpConnection({ ...options, process });
    },

    attach(start, left, report) {
      const found = left.kept.find(({ id }) => id === start.processId);
      if (!found) return undefined;
      const mark = left.mark?.processId === found.id ? left.mark : undefined;
      const state = readState(mark?.memory);
      // Left by a version that remembered otherwise: nobody knows what it waits for.
      if (mark && !state) return undefined;
      const known: Attached['known'] = mark && state && { offset: mark.offset, state };
      const process = processes.attach(found.id, known?.offset ?? 0);
      if (!process) return undefined;
      const attached = { known, outputEnd: found.outputEnd, left };
      return new AcpConnection({ ...optionsFor(start, report), process, attached });
    },
  };

  function optionsFor(start: AgentStart, report: Report): Omit<ConnectionOptions, 'process'> {
    const env = agentEnvironment(environment, { sessionEnv: { ...agent.env, ...start.env } });
    return {
      ...{ start, label, ownVersion: version, env, processes, report, startLimitMs, toolLimitMs },
      ...(agent.signIn && { signIn: agent.signIn }),
      onReady: (told, capabilities) => {
        learnt = { ...learnt, capabilities, ...(told !== null && { version: told }) };
      },
    };
  }
}
