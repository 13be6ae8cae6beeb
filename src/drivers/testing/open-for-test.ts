import type { AgentDriver } from '../../runner/ports/agent-driver.ts';
import { LocalProcessHost } from '../process/local-process-host.ts';
import type { Driver, DriverHost } from '../sdk/define-driver.ts';

export interface OpenedForTest {
  readonly driver: AgentDriver;
  /** Ends every process that it has started. */
  close(): Promise<void>;
}

/** Opens a driver as a server does, without the server. `dataDir` is an empty directory of the test's own. */
export async function openForTest(
  definition: Driver,
  {
    dataDir,
    environment,
    options = {},
  }: { readonly dataDir: string } & Pick<DriverHost, 'environment'> & Partial<Pick<DriverHost, 'options'>>,
): Promise<OpenedForTest> {
  const { name, label } = definition;
  const processes = new LocalProcessHost({ dataDir });
  const opened = await definition.open({ name, options, processes, environment, version: '0.0.0' });
  return { driver: { name, label, ...opened }, close: () => processes.close() };
}
