import type { AgentDriver } from '../../runner/ports/agent-driver.ts';
import type { AcpDriverOptions } from './driver.ts';
import { leastCapabilities, lookFor } from './installed.ts';

/** Most people have few of the known agents: the protocol is loaded when the program of one is found, also after the start. */
export async function acpAgentDriver(options: AcpDriverOptions): Promise<AgentDriver> {
  const { agent, environment, processes } = options;
  const { name, label } = agent;
  const look = () => lookFor(agent, environment);
  const load = async (): Promise<AgentDriver> => (await import('./driver.ts')).acpDriver(options);
  let loaded = look().available ? await load() : undefined;

  return {
    name,
    label,

    async probe() {
      const found = look();
      if (found.available) loaded ??= await load();
      return loaded?.probe() ?? { ...found, capabilities: leastCapabilities(processes.outlivesServer) };
    },

    start(start, report) {
      if (!loaded) throw new Error(look().reason);
      return loaded.start(start, report);
    },

    attach: (start, left, report) => loaded?.attach?.(start, left, report),
  };
}
