import { z } from 'zod';
import { StorageError } from '../engine/ports/event-log.ts';
import type { Templates } from '../engine/ports/templates.ts';
import { messageOf } from '../protocol/errors.ts';
import { Template } from '../protocol/template.ts';
import { readSecretFile, writeSecretFile } from './secret-files.ts';

const most = 500;

/** Keeps templates in one file. One change after the other: of two at once, the second would undo the first. */
export function templateFile(path: string): Templates {
  let last: Promise<unknown> = Promise.resolve();

  async function read(): Promise<readonly Template[]> {
    try {
      return z.array(Template).parse(JSON.parse((await readSecretFile(path)) ?? '[]'));
    } catch (cause) {
      throw new StorageError(`The templates cannot be read: ${messageOf(cause)}.`, { cause });
    }
  }

  /** False where nothing was to be changed. */
  function change(next: (all: readonly Template[]) => readonly Template[] | undefined): Promise<boolean> {
    const changing = last.then(async () => {
      const changed = next(await read());
      if (changed === undefined) return false;
      try {
        await writeSecretFile(path, JSON.stringify(changed));
      } catch (cause) {
        throw new StorageError(`The templates cannot be stored: ${messageOf(cause)}.`, { cause });
      }
      return true;
    });
    last = changing.catch(() => undefined);
    return changing;
  }

  return {
    list: read,
    save: (template) =>
      change((all) => {
        const others = all.filter(({ name }) => name !== template.name);
        if (others.length >= most) return undefined;
        return [...others, template].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
      }),
    remove: (name) =>
      change((all) => {
        const others = all.filter((template) => template.name !== name);
        return others.length === all.length ? undefined : others;
      }),
  };
}
