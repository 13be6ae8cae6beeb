import { messageOf } from '../protocol/errors.ts';
import { Agent, type Capabilities } from '../protocol/session.ts';
import {
  GuardedConnection,
  type GuardOptions,
  guardLimits,
  inTime,
  type WatchedCall,
} from './guarded-connection.ts';
import type { AgentConnection, AgentDriver, AgentStart, Report } from './ports/agent-driver.ts';

/**
 * A driver of somebody else's: what it throws, never settles, or tells in no shape that is known ends or concerns its own run alone.
 * The one thing that cannot be held off is code that never returns.
 */
export function guardedDriver(driver: AgentDriver, options: GuardOptions): AgentDriver {
  const { name, clock } = options;
  const label = options.label ?? labelOf(driver, name);
  const watched = watchedCalls(options);
  let probing: Promise<Agent> | undefined;

  const unavailable = (reason: string): Agent => ({
    name,
    label,
    available: false,
    reason,
    capabilities: noCapabilities,
  });

  async function probe(): Promise<Agent> {
    const told = Agent.safeParse(await watched('probe', () => driver.probe()));
    if (told.success) return { ...told.data, name, label };
    return unavailable(`Its driver does not say in a known shape whether it can be started.`);
  }

  function connect(
    start: AgentStart,
    report: Report,
    how: 'start' | 'attach',
    begin: (heard: Report) => AgentConnection | undefined,
  ): AgentConnection | undefined {
    const connection = new GuardedConnection({ ...options, runId: start.processId, report, watched });
    const inner = watched(how, () => begin(connection.heard));
    if (inner === undefined && how === 'attach') return undefined;
    connection.begin(inner, how);
    return connection;
  }

  return {
    name,
    label,
    probe() {
      // One that hangs is asked once, and every listing says so without waiting again.
      probing ??= probe()
        .catch((error: unknown) => unavailable(`Its driver failed: ${messageOf(error)}`))
        .finally(() => {
          probing = undefined;
        });
      const words = `Its driver did not say within ${guardLimits.probeMs / 1000} seconds whether it can be started.`;
      return inTime(clock, guardLimits.probeMs, probing, () => unavailable(words));
    },
    start(start, report) {
      const connection = connect(start, report, 'start', (heard) => driver.start(start, heard));
      if (connection === undefined) throw new Error('The driver gave no connection');
      return connection;
    },
    ...(typeof driver.attach === 'function' && {
      attach: (start, left, report) =>
        connect(start, report, 'attach', (heard) => driver.attach?.(start, left, heard)),
    }),
  };
}

/** Stands for a driver that could not be loaded: its agent is listed with the reason. */
export const missingDriver = (name: string, label: string, reason: string): AgentDriver => ({
  name,
  label,
  probe: async () => ({ name, label, available: false, reason, capabilities: noCapabilities }),
  start() {
    throw new Error(reason);
  },
});

const noCapabilities: Capabilities = {
  steer: false,
  interrupt: false,
  images: false,
  resume: false,
  setModel: false,
  permissionModes: [],
  editInput: false,
  denyReason: false,
};

/** One that kept the whole server waiting is told. */
function watchedCalls({ name, clock, logger, asDriver }: GuardOptions): WatchedCall {
  return (what, code) => {
    const began = clock.elapsed();
    try {
      return asDriver(code);
    } finally {
      const tookMs = Math.round(clock.elapsed() - began);
      if (tookMs > guardLimits.blockedMs)
        logger.warn({ agent: name, call: what, tookMs }, 'A driver kept everyone waiting');
    }
  };
}

const labelOf = ({ label }: AgentDriver, name: string): string =>
  typeof label === 'string' && label !== '' ? label : name;
