import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Result } from '../../../../src/protocol/errors.ts';
import type { CommitShown, Uncommitted } from '../../../../src/protocol/landing.ts';
import { Landings } from '../../../../src/runner/workspace/landing/landings.ts';
import { personsGit, type WorkspaceRig, workspaceRig } from '../repositories.ts';

export interface LandingRig extends WorkspaceRig {
  readonly landings: Landings;
  readonly home: string;
  /** As another server would: all that was known in memory is gone. */
  restarted(path?: string): Landings;
  /** Another work tree, made as a person makes one. */
  worktree(branch: string): Tree;
}

export interface Tree {
  readonly path: string;
  readonly place: WorkspaceRig['place'];
  git(...args: string[]): string;
  write(path: string, content: string | Buffer): void;
}

export function landingRig(): LandingRig {
  const rig = workspaceRig();
  const home = join(rig.base, 'home');
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Grace\n\temail = grace@example.org\n');
  const options = { dataDir: join(rig.base, 'data'), home, path: process.env.PATH ?? '' };
  return {
    ...rig,
    home,
    landings: new Landings(rig.workspaces, options),
    restarted: (path = options.path) => new Landings(rig.reopened({ path }), { ...options, path }),
    worktree(branch) {
      const path = join(rig.base, `tree-${branch.replaceAll('/', '-')}`);
      rig.git('worktree', 'add', '-q', '-b', branch, path);
      return treeAt(path);
    },
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}

const treeAt = (path: string): Tree => ({
  path,
  place: { cwd: path, realCwd: null, roots: [] },
  git: (...args) => personsGit(path, args),
  write(name, content) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  },
});

/** What a person saw in the dialog, to be sent with what they press. */
export function shownIn({ recording, head, branch, author }: Uncommitted): CommitShown {
  if (branch === null || author === null) expect.fail('nothing could be committed');
  return { recording, head, branch, author };
}

export function refusal(result: Result<unknown>): { readonly code: string; readonly message: string } {
  if (result.ok) expect.fail(`accepted: ${JSON.stringify(result.value)}`);
  return result.refusal;
}
