import { inTurns } from './turns.ts';

declare const brand: unique symbol;

/** A path within a work tree. Each character stands for one byte: names need not be text. */
export type PathBytes = string & { readonly [brand]: true };

export const pathFrom = (bytes: Buffer): PathBytes => bytes.toString('latin1') as PathBytes;
export const bytesOf = (path: PathBytes | string): Buffer => Buffer.from(path, 'latin1');

/** What git lists with `-z`. */
export async function partsIn(output: Buffer): Promise<PathBytes[]> {
  const parts: PathBytes[] = [];
  await inTurns(function* () {
    for (let at = 0; at < output.length; ) {
      const end = output.lastIndexOf(0, at + pieceBytes);
      const stop = end >= at ? end : output.indexOf(0, at);
      if (stop < 0) return;
      for (const part of output.toString('latin1', at, stop).split('\0')) parts.push(part as PathBytes);
      at = stop + 1;
      yield;
    }
  });
  return parts;
}

const pieceBytes = 64 * 1024;

/**
 * A path as it is told: text as it is; one with control characters or with bytes that are no UTF-8 in quotes and escaped, as git writes it.
 * No two paths are told alike.
 */
export function toldPath(path: PathBytes): string {
  const text = bytesOf(path).toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytesOf(path));
  if (isText && !text.startsWith('"') && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return text;
  const escaped = path.replaceAll(
    /[^ !#-[\]-~]/g,
    (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}

/** The path that was told; undefined for what no path is told as. */
export function pathTold(told: string): PathBytes | undefined {
  const path = told.startsWith('"') ? unescaped(told) : pathFrom(Buffer.from(told, 'utf8'));
  return path !== undefined && toldPath(path) === told ? path : undefined;
}

function unescaped(told: string): PathBytes | undefined {
  const inside = /^"((?:[ !#-[\]-~]|\\[0-3][0-7]{2})*)"$/.exec(told)?.[1];
  return inside?.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  ) as PathBytes | undefined;
}
