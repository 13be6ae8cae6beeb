import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { type Cell, type Results, readTitle, withResults } from './agents-table.ts';
import type { Capability } from './capabilities.ts';

const page = join(import.meta.dirname, '..', '..', 'docs', 'agents.md');

/**
 * Sees to it that the table of docs/agents.md is what the tests on agents have just shown: of those that ran, for the others it is
 * left as it is. `BECKON_AGENTS_TABLE=write` puts the results into it instead.
 */
export default class AgentsTableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const results = resultsOf(modules.flatMap((module) => [...module.children.allTests()]));
    if (results.size === 0) return;
    const old = readFileSync(page, 'utf8');
    const fresh = withResults(old, results);
    if (fresh === old) return;
    if (process.env.BECKON_AGENTS_TABLE === 'write') {
      writeFileSync(page, fresh);
      console.log('docs/agents.md has the results of this run now.');
      return;
    }
    console.error('docs/agents.md says otherwise than this run; BECKON_AGENTS_TABLE=write writes it anew.');
    process.exitCode = 1;
  }
}

function resultsOf(tests: readonly TestCase[]): Results {
  const results = new Map<Capability, Map<string, Cell>>();
  for (const test of tests) {
    const read = readTitle(test.name);
    const cell = read && cellOf(test);
    if (!read || !cell) continue;
    const cells = results.get(read.what) ?? new Map<string, Cell>();
    const earlier = cells.get(read.agent);
    // Of several tests, one that fails speaks for all.
    cells.set(read.agent, earlier?.is === 'fails' ? earlier : cell);
    results.set(read.what, cells);
  }
  return results;
}

/** A test that was left out without a reason (one file, one title) says nothing. */
function cellOf(test: TestCase): Cell | undefined {
  const result = test.result();
  switch (result.state) {
    case 'passed':
      return { is: 'works' };
    case 'failed':
      return { is: 'fails' };
    case 'skipped':
      return result.note === undefined ? undefined : { is: 'cannot', reason: result.note };
    default:
      return undefined;
  }
}
