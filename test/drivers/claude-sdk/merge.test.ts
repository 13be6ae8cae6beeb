import { mergeSuite } from './merge-suite.ts';
import { standInSdk } from './stand-in-sdk.ts';

mergeSuite('an Agent SDK', async () => standInSdk());
mergeSuite('an Agent SDK that calls back before its messages are taken', async () =>
  standInSdk({ isHasty: true }),
);
