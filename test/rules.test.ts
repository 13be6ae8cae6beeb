import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = import.meta.dirname;
const { known, built } = readRules(readFileSync(join(folder, '../docs/rules.md'), 'utf8'));
const citations = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
  .flatMap((file) => citationsIn(readFileSync(join(folder, file), 'utf8')).map((id) => ({ file, id })));

describe('rules', () => {
  it('are read from their page', () => {
    expect(built).toContain('ASK3');
    expect([...known]).toEqual(expect.arrayContaining(['TOOL7', 'UI12', 'DOC2', 'PERF4']));
    expect(citations.length).toBeGreaterThan(100);
  });

  it('every rule that is built is cited by a test', () => {
    const cited = new Set(citations.map(({ id }) => id));
    expect(built.filter((id) => !cited.has(id))).toEqual([]);
  });

  it('every rule that a test cites is there', () => {
    expect(citations.filter(({ id }) => !known.has(id)).map(({ file, id }) => `${file}: [${id}]`)).toEqual(
      [],
    );
  });
});

/** A marked line defines the rule, or the range of rules, that it begins with; a line without a mark defines all it names. */
function readRules(text: string): { known: Set<string>; built: string[] } {
  const lines = text.split('\n').filter((line) => line.startsWith('- '));
  const rules = lines.flatMap((line) => {
    const [, mark, first] = /^- ([●○]) ([A-Z]+\d+(?: to [A-Z]+\d+)?)/.exec(line) ?? [];
    const ids = first === undefined ? (line.match(/\b[A-Z]+\d+\b/g) ?? []) : membersOf(first);
    return ids.map((id) => ({ id, isBuilt: mark === '●' }));
  });
  return {
    known: new Set(rules.map(({ id }) => id)),
    built: rules.filter(({ isBuilt }) => isBuilt).map(({ id }) => id),
  };
}

/** "UI1 to UI12" stands for UI1, UI2 and so on. */
function membersOf(range: string): string[] {
  const [, family = '', from, to] = /^([A-Z]+)(\d+)(?: to [A-Z]+(\d+))?$/.exec(range) ?? [];
  const first = Number(from);
  const last = Number(to ?? from);
  return Array.from({ length: last - first + 1 }, (_, index) => `${family}${first + index}`);
}

/** A title begins with the rules it proves: '[ASK3] [ASK4] …', also where it stands in a table of cases. */
function citationsIn(source: string): string[] {
  const titles = source.matchAll(/['"`]((?:\[[A-Z]+\d+\]\s*)+)/g);
  return [...titles].flatMap(([, cited = '']) => cited.match(/[A-Z]+\d+/g) ?? []);
}
