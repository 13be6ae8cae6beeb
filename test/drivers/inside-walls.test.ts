import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Trial, type TrialResult, trials, triedAs } from '../support/walls-trials.ts';

const document = join(resolve(import.meta.dirname, '../..'), 'docs/operating.md');
const hasWalls = spawnSync('bwrap', ['--dev-bind', '/', '/', '--unshare-pid', 'true']).status === 0;
const isRoot = process.getuid?.() === 0;

/** A machine without a tool, or in a container that forbids it, says nothing of walls. */
function expectAsKnown(results: Readonly<Record<string, TrialResult>>, who: 'user' | 'root'): void {
  const worked = trials.filter(({ name }) => results[name]?.without === true);
  expect(worked.map(({ name }) => [name, results[name]?.behind])).toEqual(
    worked.map((trial) => [trial.name, trial[who]]),
  );
  expect(worked.length).toBeGreaterThan(trials.length / 2);
}

describe('what works behind walls', () => {
  it.skipIf(!hasWalls)('[SEC13] is what is known (skipped where bubblewrap does not work)', () => {
    expectAsKnown(triedAs('self'), isRoot ? 'root' : 'user');
  });

  it.skipIf(!hasWalls || !isRoot)(
    '[SEC13] the same for one who is not root (skipped for those who cannot be another)',
    () => {
      expectAsKnown(triedAs('nobody'), 'user');
    },
  );

  it('[SEC13] docs/operating.md says what that is', () => {
    const text = readFileSync(document, 'utf8');
    const made = `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${table()}\n${text.slice(text.indexOf(end))}`;
    if (process.env.UPDATE_DOCS === '1') writeFileSync(document, made);
    expect(readFileSync(document, 'utf8')).toBe(made);
  });
});

const begin = '<!-- behind walls: made by test/drivers/inside-walls.test.ts with UPDATE_DOCS=1 -->';
const end = '<!-- end of behind walls -->';

function table(): string {
  const cell = (works: boolean | undefined): string =>
    works === undefined ? 'not without walls either' : works ? 'works' : '**does not**';
  const row = ({ name, user, root }: Trial): string => `| ${name} | ${cell(user)} | ${cell(root)} |`;
  return `${['| behind walls | as you | as root |', '|---|---|---|', ...trials.map(row)].join('\n')}\n`;
}
