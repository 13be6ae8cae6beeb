import { Landings } from '../../../../src/runner/workspace/landing/landings.ts';
import { Workspaces } from '../../../../src/runner/workspace/workspaces.ts';

/** Does one thing that was ordered, or with none given only takes up what was cut short. Killed in between by its git. */
const [dataDir = '', home = '', cwd = '', path = '', what, order] = process.argv.slice(2);
const options = { dataDir, home, path };
const landings = new Landings(new Workspaces(options), options);
const place = { cwd, realCwd: null, roots: [] };
await landings.finished;
if (what === 'commit') await landings.commit(place, JSON.parse(order ?? ''));
if (what === 'land') await landings.land(place, JSON.parse(order ?? ''));
