import { acpDriver } from '../../src/drivers/acp/driver.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { type Cannot, type DriverUnderTest, driverContract } from '../contracts/agent-driver-contract.ts';
import type { ModelStandIn } from '../real-agents/model-stand-in.ts';
import { openWorkplace } from '../real-agents/workplace.ts';
import type { RealAgent } from './real-agent.ts';

interface Traits
  extends Pick<DriverUnderTest, 'scenario' | 'otherModel' | 'editingMode' | 'refusedModes' | 'afterDenial'> {
  /** The mode in which it asks, where it does not begin in it. */
  readonly askingMode?: string;
  /** What its model says to each message of the scenario. */
  teach(model: ModelStandIn, cwd: string): void;
  /** What its home needs before a conversation is taken up again. */
  beforeResume?(home: string): void;
  readonly cannot: Cannot;
}

/** The contract of all drivers, with this agent at the other end. */
export function acpContract(
  real: RealAgent,
  { askingMode, teach, beforeResume, cannot, ...traits }: Traits,
): void {
  const make = async (): Promise<DriverUnderTest> => {
    const { folder, cwd, home, env, model, close } = await openWorkplace(real);
    teach(model, cwd);
    const processes = new LocalProcessHost({ dataDir: folder });
    const driver = acpDriver({ processes, environment: env, version: '0.0.0', agent: real.agent });
    return {
      driver: {
        ...driver,
        start: (start, report) => {
          if (start.resume !== null) beforeResume?.(home);
          return driver.start(
            { ...start, permissionMode: start.permissionMode ?? askingMode ?? null },
            report,
          );
        },
      },
      cwd,
      env: {},
      // Some take half a minute to start on a machine that others use, too.
      patienceMs: 100_000,
      ...traits,
      async close() {
        await processes.close();
        await close();
      },
    };
  };
  driverContract(real.agent.label, make, cannot);
}
