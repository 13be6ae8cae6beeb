/** What the tests of a driver import, as `beckon/driver/testing`. */
export {
  type Cannot,
  type DriverUnderTest,
  driverContract,
  type Scenario,
  type TestRunner,
} from './driver-contract.ts';
export { type OpenedForTest, openForTest } from './open-for-test.ts';
