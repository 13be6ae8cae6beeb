import { join } from 'node:path';
import type { WorkspaceRequest } from '../../../src/engine/ports/workspace.ts';
import type { MadeWorktree, Worktree } from '../../../src/protocol/worktree.ts';
import { Worktrees } from '../../../src/runner/workspace/worktrees.ts';
import { accepted, personsGit, type WorkspaceRig, workspaceRig } from './repositories.ts';

export interface WorktreeRig extends WorkspaceRig {
  readonly worktrees: Worktrees;
  /** As the next server would. */
  again(): Worktrees;
  make(id: string, wish?: Partial<WorkspaceRequest<'makeWorktree'>>): Promise<MadeWorktree>;
  look(id: string): Promise<Worktree>;
  /** What the person or an agent does in a worktree, with git as it is. */
  gitIn(path: string, ...args: string[]): string;
}

/** A repository of somebody's with one commit, and worktrees of it. */
export function worktreeRig(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' }): WorktreeRig {
  const rig = workspaceRig();
  for (const [path, content] of Object.entries(files)) rig.write(path, content);
  rig.git('add', '-A');
  rig.git('commit', '-q', '-m', 'The first');
  const opened: Worktrees[] = [];
  const again = (): Worktrees => {
    const worktrees = new Worktrees({
      dataDir: join(rig.base, 'data'),
      home: join(rig.base, 'home'),
      path: process.env.PATH ?? '',
      workspaces: rig.workspaces,
    });
    opened.push(worktrees);
    return worktrees;
  };
  const worktrees = again();
  return {
    ...rig,
    worktrees,
    again,
    make: async (id, wish = {}) =>
      accepted(await worktrees.make({ orderId: id, place: rig.place, title: id, ...wish })),
    async look(id) {
      const found = accepted(await worktrees.list()).worktrees.find((one) => one.id === id);
      if (found === undefined) throw new Error(`There is no worktree "${id}".`);
      return found;
    },
    gitIn: (path, ...args) => personsGit(path, args),
    async [Symbol.asyncDispose]() {
      for (const one of opened) await one.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}
