import { buildWeb } from '../../../scripts/build-web.ts';

/** The browser is shown what is in the sources now. */
export default async function setup(): Promise<void> {
  await buildWeb();
}
