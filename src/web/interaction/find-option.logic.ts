export interface Option {
  readonly value: string;
  readonly label: string;
}

/** The options that have every word sought in their label, whatever its case or accents. */
export function found(options: readonly Option[], sought: string): readonly Option[] {
  const words = folded(sought)
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.length === 0
    ? options
    : options.filter(({ label }) => {
        const text = folded(label);
        return words.every((word) => text.includes(word));
      });
}

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
