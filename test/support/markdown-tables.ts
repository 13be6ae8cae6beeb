import { expect } from 'vitest';

type Row = readonly string[];

export const rowsOf = (text: string, heading: string): readonly Row[] => tablesOf(text, heading).flat();

/** The tables below a heading, up to the next one of its level, each without its head. */
export function tablesOf(text: string, heading: string): Row[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  const level = lines[start]?.match(/^#+/)?.[0].length ?? 0;
  expect(level, `a heading "${heading}"`).toBeGreaterThan(0);
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  const tables: Row[][] = [];
  let table: Row[] = [];
  for (const line of [...after.slice(0, end < 0 ? after.length : end), '']) {
    if (line.startsWith('|')) table.push(cellsOf(line));
    else if (table.length > 0) {
      tables.push(table.slice(2));
      table = [];
    }
  }
  return tables;
}

const cellsOf = (line: string): Row =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
export const plain = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');
export const codeSpans = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
