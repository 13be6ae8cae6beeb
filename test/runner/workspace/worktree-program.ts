import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Workspaces } from '../../../src/runner/workspace/workspaces.ts';
import { Worktrees } from '../../../src/runner/workspace/worktrees.ts';

/** Makes a worktree, removes one or brings it back: `node worktree-program.ts BASE make|remove|restore`. */
const [base = '', what] = process.argv.slice(2);
const options = { dataDir: join(base, 'data'), home: join(base, 'home'), path: process.env.PATH ?? '' };
const workspaces = new Workspaces(options);
const worktrees = new Worktrees({ ...options, workspaces });
const place = { cwd: join(base, 'shop'), realCwd: null, roots: [] };
const done =
  what === 'restore'
    ? await worktrees.restore({ worktreeId: 'w' })
    : what === 'make'
      ? await worktrees.make({ orderId: 'w', place, title: 'killed' })
      : await worktrees.remove({
          worktreeId: 'w',
          shown: readFileSync(join(base, 'shown'), 'utf8'),
          branch: 'remove',
        });
process.stdout.write(JSON.stringify(done));
await worktrees.close();
await workspaces.close();
