import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { merged, type Results, readTitle, resultsIn, withResults } from './other-agents/agents-table.ts';

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'agents.md'), 'utf8');

test('the table of agents is read as it is written: the same results change nothing', () => {
  const results = resultsIn(page);
  expect([...results.values()].some((cells) => cells.size > 0)).toBe(true);
  expect(withResults(page, results)).toBe(page);
});

test('what some tests have shown is put beside what is known, and a whole run leaves nothing else', () => {
  const fresh: Results = new Map([['steer', new Map([['new', { is: 'cannot', reason: 'It is shy.' }]])]]);
  const both = resultsIn(withResults(page, merged(resultsIn(page), fresh)));
  expect(both.get('steer')?.get('new')).toEqual({ is: 'cannot', reason: 'It is shy.' });
  expect(both.get('models')).toEqual(resultsIn(page).get('models'));
  const alone = resultsIn(withResults(page, fresh));
  expect([...alone.values()].flatMap((cells) => [...cells.keys()])).toEqual(['new']);
});

test('a title says what is tried on which agent, and other titles say nothing', () => {
  expect(readTitle('[steer] codex: A message can be given.')).toEqual({ what: 'steer', agent: 'codex' });
  expect(readTitle('[MSG1] codex: A message can be given.')).toBeUndefined();
});
