import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

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
