/** How much room a monitor gets: one alone is read like a page, fifty are watched like a wall. */
export type Density = 'single' | 'few' | 'several' | 'many';

export function densityOf(count: number): Density {
  if (count <= 1) return 'single';
  if (count <= 4) return 'few';
  return count <= 24 ? 'several' : 'many';
}

export const gridOf: Readonly<Record<Density, string>> = {
  single: 'max-w-4xl grid-cols-1 [--monitor:28rem]',
  few: 'grid-cols-[repeat(auto-fill,minmax(min(100%,28rem),1fr))] [--monitor:20rem]',
  several: 'grid-cols-[repeat(auto-fill,minmax(min(100%,22rem),1fr))] [--monitor:15rem]',
  many: 'grid-cols-[repeat(auto-fill,minmax(min(100%,17.5rem),1fr))] [--monitor:11.5rem]',
};

/** How many of the last things of a conversation can be seen at most. */
export const tailLength: Readonly<Record<Density, number>> = { single: 16, few: 10, several: 7, many: 5 };
