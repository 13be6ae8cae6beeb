import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import type { AgentDriver } from '../../src/runner/ports/agent-driver.ts';
import type { ProcessHost } from '../../src/runner/ports/process-host.ts';
import { type DriverUnderTest, driverContract } from '../contracts/agent-driver-contract.ts';
import { gate } from './model-stand-in.ts';
import { scenario, teach } from './scenario.ts';
import { openWorkplace } from './workplace.ts';

interface Surroundings {
  readonly processes: ProcessHost;
  readonly environment: Readonly<Record<string, string>>;
}

/** The contract of all drivers, with Claude Code at the other end. */
export function claudeContract(
  name: string,
  make: (surroundings: Surroundings) => AgentDriver,
  traits: Pick<DriverUnderTest, 'otherModel' | 'refusedModes'>,
): void {
  driverContract(name, async () => {
    const { folder, cwd, env: environment, model, close } = await openWorkplace();
    const modeChanged = gate();
    teach(model, cwd, modeChanged.opened);
    const processes = new LocalProcessHost({ dataDir: folder });
    return {
      driver: onModeChange(make({ processes, environment }), 'acceptEdits', modeChanged.open),
      scenario,
      cwd,
      env: {},
      ...traits,
      async close() {
        await processes.close();
        await close();
      },
    };
  });
}

function onModeChange(driver: AgentDriver, mode: string, then: () => void): AgentDriver {
  return {
    ...driver,
    start: (settings, report) =>
      driver.start(settings, (facts, mark) => {
        report(facts, mark);
        if (facts.some((fact) => fact.type === 'mode-changed' && fact.permissionMode === mode)) then();
      }),
  };
}
