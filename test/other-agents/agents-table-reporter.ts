import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { type Cell, merged, type Results, readTitle, resultsIn, withResults } from './agents-table.ts';
import type { Capability } from './capabilities.ts';

const page = join(import.meta.dirname, '..', '..', 'docs', 'agents.md');

/**
 * Sees to it that the table of docs/agents.md is what the tests on agents have just shown. A run in which some were left out, or
 * failed, is not compared. `BECKON_AGENTS_TABLE=write` puts the results into the table instead: of such a run those that it has.
 */
export default class AgentsTableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const results = resultsOf(tests);
    const isWhole = hasAllFiles(modules) && tests.every((test) => !readTitle(test.name) || cellOf(test));
    const old = readFileSync(page, 'utf8');
    const fresh = withResults(old, isWhole ? results : merged(resultsIn(old), results));
    if (fresh === old) return;
    if (process.env.BECKON_AGENTS_TABLE === 'write') {
      writeFileSync(page, fresh);
      console.log('docs/agents.md has the results of this run now.');
    } else if (isWhole) {
      console.error('docs/agents.md says otherwise than this run; BECKON_AGENTS_TABLE=write writes it anew.');
      process.exitCode = 1;
    }
  }
}

function hasAllFiles(modules: readonly TestModule[]): boolean {
  const ran = new Set(modules.map(({ moduleId }) => moduleId));
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  return files.every((name) => ran.has(join(import.meta.dirname, name)));
}

/** Where an agent is tried by several tests, one that did not pass leaves the cell open. */
function resultsOf(tests: readonly TestCase[]): Results {
  const results = new Map<Capability, Map<string, Cell>>();
  const told = tests.flatMap((test) => {
    const read = readTitle(test.name);
    return read ? [{ ...read, cell: cellOf(test) }] : [];
  });
  for (const { what, agent, cell } of told) {
    const isOpen = told.some((other) => other.what === what && other.agent === agent && !other.cell);
    if (!cell || isOpen) continue;
    results.set(what, (results.get(what) ?? new Map<string, Cell>()).set(agent, cell));
  }
  return results;
}

/** Undefined of a test that failed, or that was left out of this run. */
function cellOf(test: TestCase): Cell | undefined {
  const { cannot } = test.meta();
  if (cannot !== undefined) return { is: 'cannot', reason: cannot };
  return test.result().state === 'passed' ? { is: 'works' } : undefined;
}
