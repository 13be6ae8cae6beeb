import { isUtf8 } from 'node:buffer';
import type { Patch } from '../../protocol/changes.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { type Comparison, moves } from './changes.ts';
import type { GitOutcome } from './git.ts';
import { pathTold } from './path-bytes.ts';
import type { Store } from './store.ts';

const mostPatchBytes = 2 * 1024 * 1024;
const mostWholeBytes = 16 * 1024 * 1024;

/** What changed in one file. Contents are compared by their ids: a path with any bytes in it need not be an argument. */
export async function patchOf(
  store: Store,
  { changes }: Comparison,
  path: string,
  context = 3,
): Promise<Result<Patch>> {
  const wanted = pathTold(path);
  const change = changes.find((one) => one.path === wanted);
  if (change === undefined) return refuse('invalid_value', `Nothing is known to have changed at ${path}.`);
  const [old, fresh] = [change.before?.blob ?? emptyBlob, change.after?.blob ?? emptyBlob];
  if (old === fresh) return accept({ text: '', isCut: false, isBinary: false });
  const outcome = await store.call(['diff', '--no-color', `-U${context}`, old, fresh], {
    mostBytes: mostPatchBytes,
  });
  const { end, output } = outcome;
  if (!isTold(outcome)) return refuse(end === 'closed' ? 'shutting_down' : 'git_not_available');
  const start = output.indexOf('\n@@ ');
  const last = end === 'long' ? output.lastIndexOf('\n') + 1 : output.length;
  const hunks = start < 0 ? Buffer.alloc(0) : output.subarray(start + 1, last);
  return accept({ text: hunks.toString('utf8'), isCut: end === 'long', isBinary: start < 0 });
}

const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

const isTold = ({ end }: GitOutcome): boolean => end === 'done' || end === 'long';

/**
 * What changed in all files, as `git apply` takes it. A file that is not text, or not of the text that a reply can hold, is left out and
 * named in a line that git passes over; at the bound whole files are left out.
 */
export async function wholePatch(store: Store, { trees }: Comparison, context = 3): Promise<Result<Patch>> {
  const args = ['diff-tree', '-r', '-p', '--full-index', '--no-color', `-U${context}`, ...moves, ...trees];
  const outcome = await store.call(args, { mostBytes: mostWholeBytes });
  const { end, output } = outcome;
  if (!isTold(outcome)) return refuse(end === 'closed' ? 'shutting_down' : 'git_not_available');
  const isCut = end === 'long';
  const notes: string[] = [];
  const files: string[] = [];
  for (const part of filesIn(output, isCut)) {
    const isText = isUtf8(part);
    const text = part.toString('utf8');
    if (isText && !/^Binary files .* differ$/m.test(text)) files.push(text);
    else notes.push(`# Left out, not text: ${text.slice(header.length, text.indexOf('\n'))}\n`);
  }
  return accept({ text: notes.join('') + files.join(''), isCut, isBinary: notes.length > 0 });
}

const header = 'diff --git ';

/** No line of a file begins like the line between two files: each has a sign before it. */
function filesIn(output: Buffer, isCut: boolean): Buffer[] {
  const files: Buffer[] = [];
  for (let at = 0; at < output.length; ) {
    const next = output.indexOf(`\n${header}`, at);
    if (next < 0 && isCut) break;
    const end = next < 0 ? output.length : next + 1;
    files.push(output.subarray(at, end));
    at = end;
  }
  return files;
}
