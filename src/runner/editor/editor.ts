import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { WorkPlace, WorkspaceRequest } from '../../engine/ports/workspace.ts';
import type { EditorCommands } from '../../protocol/editor.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { checkDirectory, isWithin } from '../directory.ts';
import type { StartProgram } from '../ports/program-start.ts';
import { isMissing } from '../text-file.ts';
import { bytesOf, pathFrom, pathTold, toldPath } from '../workspace/path-bytes.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { prepareFolder, writeSides } from './diff-files.ts';
import { findProgram } from './find-program.ts';

export interface EditorOptions {
  /** Programs with their arguments, as the configuration of this machine has them. */
  readonly command?: readonly string[] | undefined;
  readonly diff?: readonly string[] | undefined;
  readonly start: StartProgram;
  readonly env: Readonly<Record<string, string>>;
  /** How long a program is watched before it counts as opened. */
  readonly waitMs?: number;
}

type OpenRequest = WorkspaceRequest<'open'>;

/** What stands for the names in braces. */
type Values = Readonly<Record<string, string>>;

/** Where a file may lie: all paths are real. */
interface Bounds {
  readonly directory: string;
  /** The top of the work tree; undefined outside of a repository. */
  readonly root: string | undefined;
}

/** Opens files in the person's editor, on this machine. */
export class Editor {
  readonly #options: EditorOptions;
  readonly #workspaces: Workspaces;
  readonly #folder: string;
  readonly #closing = new AbortController();

  constructor(options: EditorOptions, workspaces: Workspaces, dataDir: string) {
    this.#options = options;
    this.#workspaces = workspaces;
    this.#folder = join(dataDir, 'editor');
  }

  get commands(): EditorCommands {
    const { command, diff } = this.#options;
    return { command: command ? [...command] : null, diff: diff ? [...diff] : null };
  }

  async open(request: OpenRequest): Promise<Result<null>> {
    const { place, line = 1, column = 1 } = request;
    const { command, diff, env, start, waitMs = 1_000 } = this.#options;
    const [name, ...args] = (request.diff ? diff : command) ?? [];
    if (name === undefined) return refuse('editor_not_available', request.diff ? noDiff : noCommand);
    const directory = checkDirectory(place);
    if (!directory.ok) return directory;
    const { real: cwd } = directory.value;
    await prepareFolder(this.#folder);
    const found = await this.#valuesOf(request, cwd);
    if (!found.ok) return found;
    const program = await findProgram(name, env.PATH ?? '', found.value.bounds.root ?? cwd);
    if (program === undefined)
      return refuse('editor_failed', `There is no program "${name}" that could be started there.`);
    const values = { ...found.value.values, line: String(line), column: String(column) };
    return start({
      program,
      args: args.map((arg) => filled(arg, values)),
      cwd,
      env,
      folder: this.#folder,
      waitMs,
      signal: this.#closing.signal,
    });
  }

  /** Whoever waits is told that it was started. What was started goes on. */
  close(): void {
    this.#closing.abort();
  }

  async #valuesOf(
    { place, session, file, diff, since }: OpenRequest,
    directory: string,
  ): Promise<Result<{ readonly values: Values; readonly bounds: Bounds }>> {
    const top = await this.#workspaces.root(place);
    const bounds = { directory, root: top.ok ? top.value : undefined };
    const path = await wholePath(file, bounds.root ?? directory);
    if (path === undefined)
      return refuse('file_not_allowed', 'The name of this file is no text: no program can be given it.');
    const withBounds = (values: Result<Values>) =>
      values.ok ? accept({ values: values.value, bounds }) : values;
    if (diff !== undefined)
      return withBounds(top.ok ? await this.#sidesOf(place, session, path, diff, bounds) : top);
    const real = await realFile(path);
    if (!real.ok) return real;
    const isAllowed =
      isWithin(real.value, directory) || (await this.#isChanged(place, session, real.value, since, bounds));
    return withBounds(isAllowed ? accept({ file: real.value }) : refuse('file_not_allowed'));
  }

  /** Whether a file of the work tree is among what changed since one of these. */
  async #isChanged(
    place: WorkPlace,
    session: string | undefined,
    real: string,
    since: OpenRequest['since'],
    { root }: Bounds,
  ): Promise<boolean> {
    if (root === undefined || !isWithin(real, root)) return false;
    const now = await this.#workspaces.record(place, [], session);
    if (!now.ok) return false;
    const told = toldIn(root, real);
    for (const before of since) {
      const changes = await this.#workspaces.changes(place, { before, after: now.value.id });
      if (changes.ok && changes.value.files.some(({ path }) => path === told)) return true;
    }
    return false;
  }

  async #sidesOf(
    place: WorkPlace,
    session: string | undefined,
    path: string,
    { before, after }: NonNullable<OpenRequest['diff']>,
    { root = '' }: Bounds,
  ): Promise<Result<Values>> {
    const workspaces = this.#workspaces;
    const now = after === 'now' ? await workspaces.record(place, [], session) : undefined;
    if (now?.ok === false) return now;
    const changes = await workspaces.changes(place, { before, after: now?.value.id ?? after });
    if (!changes.ok) return changes;
    const told = toldIn(root, path);
    const changed = changes.value.files.find((file) => file.path === told);
    if (changed === undefined)
      return refuse('file_not_found', 'Nothing is known to have changed in this file.');
    const held = await workspaces.content(place, changes.value.before, changed.movedFrom ?? told);
    if (!held.ok) return held;
    const holds = await workspaces.content(place, changes.value.after, told);
    if (!holds.ok) return holds;
    const [old, fresh] = [held.value ?? Buffer.alloc(0), holds.value ?? Buffer.alloc(0)];
    const current = await fileItself(path, root);
    // The file itself can be edited there; a copy stands for what it is no longer.
    const isCurrent = current !== undefined && (now !== undefined || (await holdsStill(current, fresh)));
    const sides = await writeSides(this.#folder, basename(path), {
      before: old,
      ...(!isCurrent && { after: fresh }),
    });
    const afterPath = sides.after ?? current ?? '';
    return accept({ before: sides.before, after: afterPath, file: current ?? afterPath });
  }
}

/** Once, so that a brace in a name stands for nothing. */
const filled = (arg: string, values: Values): string =>
  arg.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);

/** Undefined where it is told in quotes and is no text. Links in what leads to it are followed: by that changes know it. */
async function wholePath(file: string, top: string): Promise<string | undefined> {
  const named = file.startsWith('"') ? pathTold(file) : undefined;
  const name = named === undefined ? file : bytesOf(named).toString('utf8');
  if (named !== undefined && !Buffer.from(name, 'utf8').equals(bytesOf(named))) return undefined;
  const path = resolve(top, name);
  if (!isAbsolute(name)) return path;
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}

const toldIn = (root: string, path: string): string =>
  toldPath(pathFrom(Buffer.from(relative(root, path).replaceAll(sep, '/'), 'utf8')));

/** Where it leads: whoever starts a program with it must not start it with a link that is turned in between. */
async function realFile(path: string): Promise<Result<string>> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isFile()) return accept(real);
    return refuse('file_not_found', 'This is no file.');
  } catch (error) {
    return isMissing(error)
      ? refuse('file_not_found')
      : refuse('file_not_allowed', 'This file cannot be read.');
  }
}

/** A file of the work tree as it lies there; undefined where it is gone, is a link, or lies behind one that leads out. */
async function fileItself(path: string, root: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  const real = await realpath(path).catch(() => undefined);
  return real !== undefined && isWithin(real, root) ? real : undefined;
}

async function holdsStill(path: string, content: Buffer): Promise<boolean> {
  const { size } = await stat(path);
  return size === content.length && (await readFile(path)).equals(content);
}

const noCommand = 'No editor is set on that machine: "editor.command" in its configuration names one.';
const noDiff = 'No editor for changes is set on that machine: "editor.diff" in its configuration names one.';
