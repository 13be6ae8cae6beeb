import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';

/** As many links as a system follows before it calls it a loop. */
const mostLinks = 40;

/**
 * Where an absolute path leads through links, also if it or what a link points to does not exist yet: that is where a file would be
 * made. Undefined when it cannot be told.
 */
export function realPath(path: string): string | undefined {
  const { root } = parse(path);
  let reached = root;
  let ahead = namesIn(path.slice(root.length));
  for (let links = 0; ahead.length > 0; ) {
    const [name = '', ...rest] = ahead;
    const next = name === '..' ? dirname(reached) : join(reached, name);
    const found = look(next);
    if (found.is === 'unknown' || links > mostLinks) return undefined;
    if (found.is === 'missing') return resolve(next, ...rest);
    ahead = rest;
    if (found.is === 'no-link') {
      reached = next;
      continue;
    }
    links += 1;
    const { root: away } = parse(found.target);
    if (away !== '') reached = away;
    ahead = [...namesIn(found.target.slice(away.length)), ...rest];
  }
  return reached;
}

const namesIn = (path: string): string[] => path.split(sep).filter((name) => name !== '' && name !== '.');

type Found =
  | { readonly is: 'link'; readonly target: string }
  | { readonly is: 'no-link' }
  | { readonly is: 'missing' }
  | { readonly is: 'unknown' };

function look(path: string): Found {
  try {
    return lstatSync(path).isSymbolicLink() ? { is: 'link', target: readlinkSync(path) } : { is: 'no-link' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { is: 'missing' } : { is: 'unknown' };
  }
}
