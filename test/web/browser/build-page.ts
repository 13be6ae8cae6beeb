import { buildWeb } from '../../../scripts/build-web.ts';
import { browserProgram } from './browser-program.ts';

/** Before any test: the browser is unpacked once, and is shown what is in the sources now. */
export default async function setup(): Promise<void> {
  await browserProgram();
  await buildWeb();
}
