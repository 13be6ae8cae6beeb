import type { Picture } from './picture.logic.ts';

/**
 * Pictures of drafts and of what is still to be sent, by id. The browser's small storage is too small for them;
 * its database holds them across reloads, and without one they live as long as the page.
 */
const memory = new Map<string, Picture>();
const storeName = 'pictures';
let opened: Promise<IDBDatabase | null> | undefined;

export function keepPicture(picture: Picture): void {
  memory.set(picture.id, picture);
  void change((store) => store.put(picture));
}

export function dropPictures(ids: readonly string[]): void {
  for (const id of ids) memory.delete(id);
  void change((store) => {
    for (const id of ids) store.delete(id);
  });
}

/** Those that are still there, in the order asked for. */
export async function readPictures(ids: readonly string[]): Promise<Picture[]> {
  const found = await Promise.all(ids.map(async (id) => memory.get(id) ?? (await read(id))));
  return found.filter((picture) => picture !== undefined);
}

async function read(id: string): Promise<Picture | undefined> {
  const database = await open();
  if (database === null) return undefined;
  return new Promise((resolve) => {
    const request = database.transaction(storeName).objectStore(storeName).get(id);
    request.onsuccess = () => resolve(request.result as Picture | undefined);
    request.onerror = () => resolve(undefined);
  });
}

async function change(work: (store: IDBObjectStore) => void): Promise<void> {
  const database = await open();
  if (database !== null) work(database.transaction(storeName, 'readwrite').objectStore(storeName));
}

function open(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    if (globalThis.indexedDB === undefined) return resolve(null);
    try {
      const request = indexedDB.open('beckon', 1);
      request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: 'id' });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(null);
      request.onblocked = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
  return opened;
}
