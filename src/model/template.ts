const blank = /\{\{[^\S\n]*([^{}\n]{1,60}?)[^\S\n]*\}\}/g;

/** The names of a prompt's blanks, each once, in the order in which they come. */
export const blanksIn = (prompt: string): readonly string[] => [
  ...new Set(Array.from(prompt.matchAll(blank), ([, name = '']) => name)),
];

/** The prompt with its blanks filled in; what has no value stays as it is. What is filled in has no blanks of its own. */
export const withBlanks = (prompt: string, values: Readonly<Record<string, string>>): string =>
  prompt.replace(blank, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
