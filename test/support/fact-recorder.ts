export { FactRecorder } from '../../src/drivers/testing/fact-recorder.ts';
