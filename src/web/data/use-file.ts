import { useEffect, useState } from 'react';
import { fetchFile } from './access.ts';

/** Files that are no longer on the screen and are kept for when they come back: rows come and go while one scrolls. */
const spareFiles = 24;

interface Held {
  readonly url: Promise<string>;
  holders: number;
}

/** The least recently used first. */
const files = new Map<string, Held>();

/** The address in this browser of a file of the server's, once it was fetched; undefined before, and when it cannot be had. */
export function useFile(path: string, isWanted: boolean): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!isWanted) return;
    let isCurrent = true;
    const held = hold(path);
    held.url.then(
      (made) => isCurrent && setUrl(made),
      () => {},
    );
    return () => {
      isCurrent = false;
      held.holders -= 1;
      dropSpare();
    };
  }, [path, isWanted]);
  return url;
}

/** Fetches a file and has the browser save it under this name. */
export const saveFile = async (path: string, name: string): Promise<void> =>
  saveAs(await fetchFile(path), name);

/** Has the browser save this under a name. */
export function saveAs(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function hold(path: string): Held {
  const held = files.get(path) ?? {
    url: fetchFile(path).then((file) => URL.createObjectURL(file)),
    holders: 0,
  };
  held.holders += 1;
  files.delete(path);
  files.set(path, held);
  // One that failed is fetched anew by the next who wants it.
  held.url.catch(() => files.delete(path));
  return held;
}

function dropSpare(): void {
  const spare = [...files].filter(([, { holders }]) => holders === 0);
  for (const [path, { url }] of spare.slice(0, Math.max(0, spare.length - spareFiles))) {
    files.delete(path);
    url.then(URL.revokeObjectURL, () => {});
  }
}
