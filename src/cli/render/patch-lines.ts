import { showInvisible, showSuspicious } from '../../model/suspicious-text.ts';
import type { ChangedFile } from '../../protocol/changes.ts';
import { columns } from './columns.ts';
import type { Paint, Tone } from './paint.ts';

/** The part of each file of a patch as git writes it; what a file holds never begins a line as a head does. */
export function patchesIn(patch: string): readonly string[] {
  return patch.split(/^(?=diff --git )/m).filter((part) => part !== '');
}

/** Whether a part of a patch is that of the file that is told by this path; odd paths are told in quotes. */
export function isPatchOf(part: string, path: string): boolean {
  const [head = ''] = part.split('\n', 1);
  return head.endsWith(path.startsWith('"') ? ` "b/${path.slice(1)}` : ` b/${path}`);
}

/** A patch for a person: in colours, and with everything shown that a terminal would obey or hide. */
export const patchLines = (patch: string, paint: Paint): readonly string[] =>
  patch
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => paint(toneOf(line), showInvisible(line)));

function toneOf(line: string): Tone {
  if (/^(diff --git|index |--- |\+\+\+ |(new|deleted|old) (file )?mode |rename |similarity )/.test(line))
    return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : 'dim';
}

/** A line for each file: what became of it, and how many lines came and went. */
export const fileLines = (files: readonly ChangedFile[], paint: Paint): readonly string[] =>
  columns(
    files.map(({ path, movedFrom, kind, added, removed }) => [
      kind,
      movedFrom === undefined
        ? showSuspicious(path)
        : `${showSuspicious(movedFrom)} → ${showSuspicious(path)}`,
      added === null || removed === null
        ? paint('dim', 'no text')
        : `${paint('green', `+${added}`)} ${paint('red', `−${removed}`)}`,
    ]),
  );
