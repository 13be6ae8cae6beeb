import { openWorkspace } from '../../../src/runner/workspace/workspace.ts';

/** Undoes as it is told. Killed in between by its git. */
const [dataDir = '', home = '', path = '', order = ''] = process.argv.slice(2);
await openWorkspace({ dataDir, home, path }).call('undo', JSON.parse(order));
