import { readStored, writeStored } from './stored.ts';

/**
 * The key that this browser's cookie works with. Browsers send a cookie to every port of a machine; what the page keeps is for its
 * own origin alone, so a program on another port that is shown in this browser can do nothing with the cookie it gets.
 */
export const pageKey = (): string | undefined => readStored('key') ?? undefined;

export const keepPageKey = (key: string): void => writeStored('key', key);

export const forgetPageKey = (): void => writeStored('key', null);

export function keyHeader(): Record<string, string> {
  const key = pageKey();
  return key === undefined ? {} : { 'x-beckon-key': key };
}
