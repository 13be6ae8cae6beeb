import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter, isAbsolute } from 'node:path';
import { isWithin } from '../directory.ts';

export interface GitCall {
  /** A git directory of ours; that of a repository, whose settings would hold, only for the few commands of `repository-git.ts`. */
  readonly gitDir: string;
  readonly workTree: string;
  readonly args: readonly string[];
  readonly input?: Buffer | string;
  /** Settings of this call alone, as `name=value`. */
  readonly settings?: readonly string[];
  /** Read instead of the index in the git directory. */
  readonly index?: string;
  /** Read instead of the objects in the git directory. They may be false: only for calls that write nothing. */
  readonly objects?: string;
  /** It may note in the index which files it found unchanged. */
  readonly mayRefresh?: boolean;
  /** Variables of this call alone. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * It may reach other machines: the person's own settings hold, with their ways to prove who they are. Those of a repository still
   * do not.
   */
  readonly reaches?: { readonly home: string };
  /** What it says about problems is part of the output. */
  readonly tellsErrors?: true;
  /** Git itself is not taken from here, as it is not from the work tree. */
  readonly notFrom?: string;
  readonly longestMs?: number;
  readonly mostBytes?: number;
  /** It is quick and changes a repository of somebody's: ended in the middle it would leave a lock there, so a close waits for it. */
  readonly isFinished?: boolean;
}

/** `late` and `long`: it was ended at one of its limits, and the output is what came until then. */
export interface GitOutcome {
  readonly end: 'done' | 'failed' | 'missing' | 'late' | 'long' | 'closed';
  readonly output: Buffer;
}

const longestMs = 60_000;
const mostBytes = 64 * 1024 * 1024;

/**
 * The only way in which git is run on what agents work with. Repositories are hostile: whatever they can set git to run is switched off,
 * and the environment is ours. Calls on one git directory follow each other.
 */
export class Git {
  readonly #path: string;
  readonly #lastOf = new Map<string, Promise<unknown>>();
  readonly #running = new Set<ChildProcess>();
  #isClosed = false;

  /** Takes the PATH on which git is found. */
  constructor(path: string) {
    this.#path = path;
  }

  async run(call: GitCall): Promise<GitOutcome> {
    const before = this.#lastOf.get(call.gitDir) ?? Promise.resolve();
    const outcome = before.then(() => this.#start(call));
    this.#lastOf.set(call.gitDir, outcome);
    const settled = await outcome;
    if (this.#lastOf.get(call.gitDir) === outcome) this.#lastOf.delete(call.gitDir);
    return settled;
  }

  /** Ends what runs; what waits is not started. */
  close(): void {
    this.#isClosed = true;
    for (const child of this.#running) endTree(child);
  }

  #start(call: GitCall): Promise<GitOutcome> {
    const nothing = Buffer.alloc(0);
    if (this.#isClosed) return Promise.resolve({ end: 'closed', output: nothing });
    const { promise, resolve } = Promise.withResolvers<GitOutcome>();
    // Started at the top of the work tree. Elsewhere, `write-tree` and `update-index --index-info` cannot look at files whose time is
    // that of the index, and write an index in which an edit of the same second and length is not seen.
    const child = spawn('git', argumentsOf(call), {
      cwd: call.workTree,
      env: environmentOf(call, this.#path),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    if (call.isFinished !== true) this.#running.add(child);
    const chunks: Buffer[] = [];
    let size = 0;
    let limit: 'late' | 'long' | undefined;
    const endAt = (reached: 'late' | 'long'): void => {
      limit ??= reached;
      endTree(child);
    };
    const timer = setTimeout(() => endAt('late'), call.longestMs ?? longestMs);
    const most = call.mostBytes ?? mostBytes;
    const take = (chunk: Buffer): void => {
      chunks.push(chunk.subarray(0, Math.max(0, most - size)));
      size += chunk.length;
      if (size > most) endAt('long');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', call.tellsErrors ? take : () => {});
    // It may end without having read all of it.
    child.stdin.on('error', () => {});
    child.stdin.end(call.input ?? '');
    child.on('error', () => resolve({ end: 'missing', output: nothing }));
    child.on('close', (code) => {
      const end = limit ?? (this.#isClosed ? 'closed' : code === 0 ? 'done' : 'failed');
      resolve({ end, output: Buffer.concat(chunks) });
    });
    return promise.finally(() => {
      clearTimeout(timer);
      this.#running.delete(child);
    });
  }
}

/** Git starts others for its own work (packing): they are in its group. */
function endTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function argumentsOf(call: GitCall): string[] {
  const { gitDir, workTree, settings = [], reaches } = call;
  const [command = '', ...rest] = call.args;
  const always = reaches === undefined ? [...harmlessSettings, ...unreachable] : harmlessSettings;
  return [
    ...['--no-pager', '--literal-pathspecs', `--git-dir=${gitDir}`, `--work-tree=${workTree}`],
    ...[...always, ...settings].flatMap((setting) => ['-c', setting]),
    command,
    ...(diffCommands.has(command) ? ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'] : []),
    ...rest,
  ];
}

const diffCommands: ReadonlySet<string> = new Set(['diff', 'diff-files', 'diff-index', 'diff-tree']);

/** They also reach a repository below the work tree, should git look into one. */
const harmlessSettings = [
  ...[
    // Nothing, and not `false`: git before 2.36 runs what stands here as a program, whatever it is called.
    'core.fsmonitor=',
    'core.hooksPath=/dev/null',
    'core.untrackedCache=false',
    'core.splitIndex=false',
  ],
  ...[
    'core.attributesFile=/dev/null',
    'core.excludesFile=/dev/null',
    'core.autocrlf=false',
    'core.safecrlf=false',
  ],
  ...['core.pager=cat', 'core.editor=false'],
  ...[
    'diff.external=',
    'diff.autoRefreshIndex=false',
    'diff.ignoreSubmodules=all',
    'submodule.recurse=false',
  ],
  ...['safe.bareRepository=explicit', 'gpg.program=false', 'commit.gpgSign=false'],
  ...['gc.auto=0', 'maintenance.auto=false', 'core.compression=1', 'core.quotePath=false'],
  // Names that only another system cannot have are names here.
  ...(process.platform === 'win32' ? [] : ['core.protectNTFS=false']),
];

const unreachable = ['protocol.allow=never', 'core.askPass=', 'core.sshCommand=false', 'credential.helper='];

/** Nothing of the server's own environment but the way to git. */
function environmentOf(call: GitCall, path: string): Record<string, string> {
  const { gitDir, workTree, index, objects, reaches, notFrom, mayRefresh = false } = call;
  return {
    // A folder of the repository can be on the PATH, when the server was started by npm there.
    PATH: path
      .split(delimiter)
      .filter((folder) => isAbsolute(folder) && !isWithin(folder, workTree) && !isWithin(folder, notFrom))
      .join(delimiter),
    LC_ALL: 'C',
    ...(reaches === undefined ? hidden(gitDir) : { HOME: reaches.home }),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: mayRefresh ? '1' : '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    // For each file it packs, git takes and gives back a quarter of a megabyte, and most of its time went into that.
    MALLOC_TRIM_THRESHOLD_: `${256 * 1024 * 1024}`,
    MALLOC_MMAP_THRESHOLD_: `${256 * 1024 * 1024}`,
    MALLOC_TOP_PAD_: `${16 * 1024 * 1024}`,
    GIT_AUTHOR_NAME: 'Beckon',
    GIT_AUTHOR_EMAIL: 'beckon@localhost',
    GIT_COMMITTER_NAME: 'Beckon',
    GIT_COMMITTER_EMAIL: 'beckon@localhost',
    ...(index !== undefined && { GIT_INDEX_FILE: index }),
    ...(objects !== undefined && { GIT_OBJECT_DIRECTORY: objects }),
    ...call.environment,
  };
}

/** Nobody's settings, and no way to reach anything. */
const hidden = (gitDir: string): Record<string, string> => ({
  // Git before 2.32 finds the person's settings by these alone.
  HOME: gitDir,
  XDG_CONFIG_HOME: gitDir,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_SSH_COMMAND: 'false',
  GIT_ASKPASS: 'false',
});
