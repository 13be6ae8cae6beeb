import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { WorkPlace } from '../../../src/engine/ports/workspace.ts';
import type { Result } from '../../../src/protocol/errors.ts';
import { Workspaces, type WorkspacesOptions } from '../../../src/runner/workspace/workspaces.ts';

/** A repository of somebody's, and a place where Beckon keeps its files. */
export interface WorkspaceRig extends AsyncDisposable {
  readonly base: string;
  readonly tree: string;
  readonly place: WorkPlace;
  readonly workspaces: Workspaces;
  /** As another server would: all that was known in memory is gone. */
  reopened(options?: Partial<WorkspacesOptions>): Workspaces;
  /** What the person does, with git as it is. */
  git(...args: string[]): string;
  write(path: string | Buffer, content: string | Buffer): void;
  remove(path: string | Buffer): void;
}

export function workspaceRig(options: Partial<WorkspacesOptions> = {}): WorkspaceRig {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-changes-')));
  const tree = join(base, 'shop');
  const home = join(base, 'home');
  mkdirSync(tree);
  mkdirSync(home);
  const opened: Workspaces[] = [];
  const reopened = (more: Partial<WorkspacesOptions> = {}): Workspaces => {
    const dataDir = join(base, 'data');
    const workspaces = new Workspaces({ dataDir, home, path: process.env.PATH ?? '', ...options, ...more });
    opened.push(workspaces);
    return workspaces;
  };
  const git = (...args: string[]): string => personsGit(tree, args);
  git('init', '-q', '-b', 'main');
  return {
    base,
    tree,
    place: { cwd: tree, realCwd: null, roots: [] },
    workspaces: reopened(),
    reopened,
    git,
    write(path, content) {
      mkdirSync(
        dirname(Buffer.from(path).toString('latin1')) === '.' ? tree : placeIn(tree, parentOf(path)),
        {
          recursive: true,
        },
      );
      writeFileSync(placeIn(tree, path), content);
    },
    remove(path) {
      rmSync(placeIn(tree, path), { recursive: true, force: true });
    },
    async [Symbol.asyncDispose]() {
      for (const workspaces of opened) await workspaces.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export const placeIn = (tree: string, path: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(path)]);

const parentOf = (path: string | Buffer): Buffer => {
  const text = Buffer.from(path).toString('latin1');
  return Buffer.from(text.slice(0, Math.max(0, text.lastIndexOf('/'))), 'latin1');
};

export function personsGit(cwd: string, args: readonly string[], path = process.env.PATH): string {
  return execFileSync('git', [...args], {
    cwd,
    env: {
      PATH: path,
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.org',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.org',
    },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** A program that writes down that it ran, and lets through what it is given; told `end`, it ends at once. */
export function tripwire(base: string, name: string): string {
  const path = join(base, name);
  writeFileSync(path, `#!/bin/sh\necho "$0 $*" >> '${join(base, 'ran')}'\n[ "$1" = end ] || cat\n`);
  chmodSync(path, 0o755);
  return path;
}

export function accepted<T>(result: Result<T>): T {
  if (!result.ok) expect.fail(`${result.refusal.code}: ${result.refusal.message}`);
  return result.value;
}

/** Every file below a folder by its path: kind, mode and content; with times, also when each was last changed. */
export function snapshotOf(
  folder: string,
  { times = false, without = [] as readonly string[] } = {},
): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (below: string): void => {
    const names = readdirSync(Buffer.from(`${folder}/${below}`, 'latin1'), { encoding: 'latin1' });
    for (const name of names.sort()) {
      const path = below === '' ? name : `${below}/${name}`;
      if (without.includes(path)) continue;
      const place = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
      const { mode, mtimeNs } = lstatSync(place, { bigint: true });
      const kind = Number(mode) & 0o170000;
      const isFile = kind === 0o100000;
      const content = isFile
        ? readFileSync(place).toString('latin1')
        : kind === 0o120000
          ? readlinkSync(place, { encoding: 'latin1' })
          : '';
      // Git knows no empty folders, and of a mode only whether it can be run.
      if (kind === 0o040000) visit(path);
      else found[path] = `${kind.toString(8)} ${Number(mode) & 0o100} ${times ? mtimeNs : ''} ${content}`;
    }
  };
  visit('');
  return found;
}

/** What is kept of files below a data directory, in all recordings. */
export function contentsKept(dataDir: string): string[] {
  const stores = join(dataDir, 'recordings');
  return readdirSync(stores)
    .filter((name) => name !== 'orders')
    .flatMap((store) => {
      const git = (...args: string[]): string =>
        execFileSync('git', [`--git-dir=${join(stores, store)}`, ...args], { encoding: 'latin1' });
      return blobsIn(git('cat-file', '--batch-all-objects', '--batch'));
    })
    .sort();
}

/** The contents in what `cat-file --batch` gives; each has its own length before it. */
function blobsIn(output: string): string[] {
  const bytes = Buffer.from(output, 'latin1');
  const blobs: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at);
    const [, kind, size = '0'] = bytes.toString('latin1', at, end).split(' ');
    const from = end + 1;
    if (kind === 'blob') blobs.push(bytes.toString('utf8', from, from + Number(size)));
    at = kind === 'missing' ? from : from + Number(size) + 1;
  }
  return blobs;
}
