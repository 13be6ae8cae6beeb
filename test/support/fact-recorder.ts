export { type FactOf, FactRecorder, type SaidOf } from '../../src/drivers/testing/fact-recorder.ts';
