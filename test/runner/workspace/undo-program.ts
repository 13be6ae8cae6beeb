import { Workspaces } from '../../../src/runner/workspace/workspaces.ts';

/** Undoes what lies between two recordings, or with none given only takes up what was cut short. Killed in between by its git. */
const [dataDir = '', home = '', cwd = '', path = '', before, after] = process.argv.slice(2);
const workspaces = new Workspaces({ dataDir, home, path });
const place = { cwd, realCwd: null, roots: [] };
const done =
  before === undefined || after === undefined
    ? await workspaces.record(place)
    : await workspaces.undo(place, { before, after });
process.stdout.write(JSON.stringify(done));
