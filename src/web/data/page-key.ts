import { basePath } from './base-path.ts';
import { readStored, writeStored } from './stored.ts';

/** Another program may have a control room under each of several paths. */
const name = `key${basePath}`;

/**
 * The key that this browser's cookie works with. Browsers send a cookie to every port of a machine; what the page keeps is for its
 * own origin alone, so a program on another port that is shown in this browser can do nothing with the cookie it gets.
 */
export const pageKey = (): string | undefined => readStored(name) ?? undefined;

export const keepPageKey = (key: string): void => writeStored(name, key);

export const forgetPageKey = (): void => writeStored(name, null);

export function keyHeader(): Record<string, string> {
  const key = pageKey();
  return key === undefined ? {} : { 'x-beckon-key': key };
}
