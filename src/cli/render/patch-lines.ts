import { showInvisible, showSuspicious } from '../../model/suspicious-text.ts';
import type { ChangedFile } from '../../protocol/changes.ts';
import { columns } from './columns.ts';
import type { Paint, Tone } from './paint.ts';

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
