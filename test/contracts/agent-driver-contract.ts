import * as vitest from 'vitest';
import {
  type Cannot,
  driverContract as contract,
  type DriverUnderTest,
  type Scenario as Played,
} from '../../src/drivers/testing/index.ts';

export type { Cannot, DriverUnderTest };

/** Of an agent that plays all of it. */
export type Scenario = Required<Played>;

/** The suite that is published as `beckon/driver/testing`, under the runner of these tests. */
export const driverContract = (name: string, make: () => Promise<DriverUnderTest>, cannot?: Cannot): void =>
  contract(vitest, name, make, cannot);
