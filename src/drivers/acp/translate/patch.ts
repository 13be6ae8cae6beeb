import { type DiffLine, diffLines } from '../../../model/diff-lines.ts';
import type { Change } from './content.ts';

const context = 3;

/** A piece of a change as the page draws it. */
interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** Both texts of a file as the lines that changed, each with a few around it. */
export function hunksOf({ before, after }: Change): readonly Hunk[] {
  const lines = diffLines(before ?? '', after);
  const shown = shownLines(lines);
  const hunks: Hunk[] = [];
  let [old, fresh] = [1, 1];
  let open: { oldStart: number; newStart: number; lines: DiffLine[] } | undefined;
  lines.forEach((line, at) => {
    if (shown.has(at)) {
      open ??= { oldStart: old, newStart: fresh, lines: [] };
      open.lines.push(line);
    } else if (open) {
      hunks.push(closed(open));
      open = undefined;
    }
    if (line.sign !== '+') old += 1;
    if (line.sign !== '-') fresh += 1;
  });
  return open ? [...hunks, closed(open)] : hunks;
}

function shownLines(lines: readonly DiffLine[]): ReadonlySet<number> {
  const shown = new Set<number>();
  lines.forEach(({ sign }, at) => {
    if (sign === ' ') return;
    for (let near = Math.max(0, at - context); near <= at + context; near += 1) shown.add(near);
  });
  return shown;
}

function closed({ lines, ...start }: { oldStart: number; newStart: number; lines: DiffLine[] }): Hunk {
  return {
    ...start,
    oldLines: lines.filter(({ sign }) => sign !== '+').length,
    newLines: lines.filter(({ sign }) => sign !== '-').length,
    lines: lines.map(({ sign, text }) => `${sign}${text}`),
  };
}
