export { eventually } from '../../src/drivers/testing/waiting.ts';
