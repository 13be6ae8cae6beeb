import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { type ImportModule, type LoadedTool, loadFile, type ToolProblem } from './load-file.ts';
import { type Contents, contentOf } from './module-hooks.ts';
import { wordsOf } from './result.ts';

export interface ToolFilesOptions {
  readonly files: readonly string[];
  /** Names that files cannot take. */
  readonly reserved: ReadonlySet<string>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly importModule: ImportModule;
  readonly onChange: () => void;
}

interface Entry {
  readonly file: string;
  /** Of the last version of which anything could be used. */
  tools: readonly LoadedTool[];
  /** What is wrong with the last version. */
  problems: readonly ToolProblem[];
  /** The tools are those of an earlier version than the problems. */
  isBehind: boolean;
  /** What the last load was made from. */
  contents: Contents;
  stopLooking: () => void;
}

const LOOK_AGAIN_MS = 2000;

/** The tools of the files a person has named, kept up with as the files change. */
export class ToolFiles {
  readonly #options: ToolFilesOptions;
  readonly #entries: readonly Entry[];
  readonly #watch: FolderWatch;
  #tools: readonly LoadedTool[] = [];
  #problems: readonly ToolProblem[] = [];
  #loading: Promise<void> = Promise.resolve();
  #isCheckDue = false;
  #isClosed = false;

  /** Every file is loaded, or known to be wrong, when this settles. */
  static async open(options: ToolFilesOptions): Promise<ToolFiles> {
    const files = new ToolFiles(options);
    for (const entry of files.#entries) await files.#load(entry);
    files.#gather();
    return files;
  }

  private constructor(options: ToolFilesOptions) {
    this.#options = options;
    this.#entries = [...new Set(options.files)].map((file) => ({
      file,
      tools: [],
      problems: [],
      isBehind: false,
      contents: new Map(),
      stopLooking: () => {},
    }));
    this.#watch = new FolderWatch(
      () => this.#checkSoon(),
      (folder, reason) =>
        options.logger.warn({ folder, reason }, 'Changes of tool files in this folder are not noticed'),
    );
  }

  get tools(): readonly LoadedTool[] {
    return this.#tools;
  }

  get problems(): readonly ToolProblem[] {
    return this.#problems;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.close();
    for (const { stopLooking } of this.#entries) stopLooking();
    await this.#loading;
  }

  /** An editor causes several events per save: while one check waits for its turn, further ones add nothing. */
  #checkSoon(): void {
    if (this.#isCheckDue) return;
    this.#isCheckDue = true;
    this.#afterOthers(async () => {
      this.#isCheckDue = false;
      await this.#check();
    });
  }

  #afterOthers(work: () => Promise<void>): void {
    this.#loading = this.#loading.then(work).catch((error: unknown) => {
      // Later changes must be noticed all the same.
      this.#options.logger.error({ reason: wordsOf(error) }, 'Changed tool files were not loaded');
    });
  }

  async #check(): Promise<void> {
    const changed = this.#entries.filter(hasChanged);
    for (const entry of changed) await this.#load(entry);
    if (changed.length > 0) this.#tell();
  }

  /**
   * A file that is missing may come back at once, because its editor puts a new one in its place: its tools are offered until it has
   * stayed away. Its folder may be missing with it, and then nothing but looking tells that it is back.
   */
  #lookAgain(entry: Entry): void {
    if (this.#isClosed) return;
    entry.stopLooking = this.#options.clock.after(LOOK_AGAIN_MS, () =>
      this.#afterOthers(async () => {
        if (contentOf(entry.file) !== undefined) return this.#check();
        if (entry.isBehind) this.#forget(entry);
        this.#lookAgain(entry);
      }),
    );
  }

  #forget(entry: Entry): void {
    entry.tools = [];
    entry.isBehind = false;
    this.#options.logger.warn({ file: entry.file }, 'A file is gone: its tools are no longer offered');
    this.#tell();
  }

  #tell(): void {
    this.#gather();
    this.#options.onChange();
  }

  async #load(entry: Entry): Promise<void> {
    const { clock, logger, importModule } = this.#options;
    this.#watch.add([entry.file]);
    const loaded = await loadFile(entry.file, clock, importModule);
    // A version that broke off has not told all that it imports.
    const known = [...entry.contents.keys()].map((file) => [file, contentOf(file)] as const);
    entry.contents = loaded.ok ? loaded.contents : new Map([...known, ...loaded.contents]);
    this.#watch.add(entry.contents.keys());
    // What it imports was not watched while it was read.
    if (hasChanged(entry)) this.#checkSoon();
    entry.problems = loaded.problems;
    if (loaded.ok) entry.tools = loaded.tools;
    entry.isBehind = !loaded.ok && entry.tools.length > 0;
    entry.stopLooking();
    if (loaded.isMissing) this.#lookAgain(entry);
    for (const { message, ...place } of problemsOf(entry))
      logger.error(place, `A tool is not loaded: ${message}`);
    if (!loaded.ok) return;
    logger.info({ file: entry.file, tools: entry.tools.map(({ tool }) => tool.name) }, 'Tools loaded');
  }

  /** Of two tools with one name the first is offered; the order is that in which the files were named. */
  #gather(): void {
    const taken = new Map<string, string>([...this.#options.reserved].map((name) => [name, 'Beckon itself']));
    const tools: LoadedTool[] = [];
    const doubles: ToolProblem[] = [];
    for (const { file, tools: own } of this.#entries) {
      for (const one of own) {
        const { name } = one.tool;
        const owner = taken.get(name);
        if (owner === undefined) tools.push(one);
        else doubles.push({ file, tool: name, message: `its name is taken by a tool of ${owner}` });
        taken.set(name, owner ?? file);
      }
    }
    this.#tools = tools;
    this.#problems = [...this.#entries.flatMap(problemsOf), ...doubles];
  }
}

/** A version that cannot be loaded changes nothing: the one before it goes on to serve. */
const problemsOf = ({ problems, isBehind }: Entry): readonly ToolProblem[] =>
  isBehind
    ? problems.map((problem) => ({
        ...problem,
        message: `${problem.message} (the version before it is still used)`,
      }))
    : problems;

const hasChanged = ({ contents }: Entry): boolean =>
  [...contents].some(([file, content]) => contentOf(file) !== content);

/**
 * Notices changes of files by way of their folders: an editor that replaces a file gives it another inode, and whoever watches the
 * file itself hears nothing of the new one.
 */
export class FolderWatch {
  readonly #onChange: () => void;
  readonly #onFailure: (folder: string, reason: string) => void;
  readonly #folders = new Map<string, { readonly names: Set<string>; readonly watcher: FSWatcher }>();
  #isClosed = false;

  constructor(onChange: () => void, onFailure: (folder: string, reason: string) => void) {
    this.#onChange = onChange;
    this.#onFailure = onFailure;
  }

  add(files: Iterable<string>): void {
    for (const file of files) this.#namesIn(dirname(file))?.add(basename(file));
  }

  close(): void {
    this.#isClosed = true;
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #namesIn(folder: string): Set<string> | undefined {
    if (this.#isClosed) return undefined;
    const known = this.#folders.get(folder);
    if (known !== undefined) return known.names;
    const names = new Set<string>();
    try {
      const forget = (): void => {
        watcher.close();
        this.#folders.delete(folder);
      };
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // A folder of the same name that comes later is another one.
        if (!existsSync(folder)) forget();
        if (name === null || names.has(name)) this.#onChange();
      });
      watcher.on('error', (error) => {
        forget();
        this.#onFailure(folder, error.message);
      });
      this.#folders.set(folder, { names, watcher });
    } catch (error) {
      this.#onFailure(folder, (error as Error).message);
      return undefined;
    }
    return names;
  }
}
