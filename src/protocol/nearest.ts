/** Of the names that are known, the one that a person who wrote this most likely meant; none where nothing is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  // Two letters in five may be wrong: beyond that a proposal would be a guess.
  let least = Math.max(1, Math.floor(name.length * 0.4)) + 1;
  for (const candidate of known) {
    // Keeps a name of a million letters from costing a million steps for each that is known.
    if (Math.abs(name.length - candidate.length) >= least) continue;
    const distance = distanceBetween(name.toLowerCase(), candidate.toLowerCase());
    if (distance >= least) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

/** Refuses a name, in words. */
export const notKnown = (name: string, nearest?: string, why = 'is not known here'): string =>
  `"${name}" ${why}${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`;

/** How many letters must be put in, left out, changed, or swapped with the next to make one of the other. */
function distanceBetween(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + changed,
          swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
