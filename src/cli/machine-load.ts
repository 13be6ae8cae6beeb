import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import process from 'node:process';
import type { MachineLoad } from '../protocol/machine.ts';

/** How busy this machine is; undefined where the system does not say. */
export function machineLoad(): MachineLoad | undefined {
  if (process.platform === 'win32') return undefined;
  const [lastMinute = 0] = loadavg();
  return {
    processors: lastMinute / availableParallelism(),
    memoryFree: freemem(),
    memoryTotal: totalmem(),
  };
}
