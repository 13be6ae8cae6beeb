import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitBranch } from '../../src/runner/git-branch.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'beckon-branch-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function repository(head: string): string {
  const directory = join(place, 'shop');
  mkdirSync(join(directory, '.git'), { recursive: true });
  writeFileSync(join(directory, '.git/HEAD'), head);
  return directory;
}

it('[UI1] tells the branch of a repository, also from a folder in it', async () => {
  const directory = repository('ref: refs/heads/feature/cart\n');
  mkdirSync(join(directory, 'src/deep'), { recursive: true });
  expect(await gitBranch(directory)).toBe('feature/cart');
  expect(await gitBranch(join(directory, 'src/deep'))).toBe('feature/cart');
});

it('[UI1] tells the branch of a worktree, and the commit where no branch is checked out', async () => {
  repository('0123456789abcdef0123456789abcdef01234567\n');
  const tree = join(place, 'tree');
  mkdirSync(join(place, 'shop/.git/worktrees/tree'), { recursive: true });
  writeFileSync(join(place, 'shop/.git/worktrees/tree/HEAD'), 'ref: refs/heads/fix\n');
  mkdirSync(tree);
  writeFileSync(join(tree, '.git'), 'gitdir: ../shop/.git/worktrees/tree\n');
  expect(await gitBranch(tree)).toBe('fix');
  expect(await gitBranch(join(place, 'shop'))).toBe('0123456');
});

it('[UI1] tells nothing outside of a repository, of a pipe that never gives anything, and of what is no name', async () => {
  expect(await gitBranch(place)).toBeNull();
  expect(await gitBranch(join(place, 'gone'))).toBeNull();
  expect(await gitBranch(repository('ref: refs/heads/a\u202eb\n'))).toBeNull();
  expect(await gitBranch(repository('rubbish'))).toBeNull();
  rmSync(join(place, 'shop/.git/HEAD'));
  execFileSync('mkfifo', [join(place, 'shop/.git/HEAD')]);
  expect(await gitBranch(join(place, 'shop'))).toBeNull();
});
