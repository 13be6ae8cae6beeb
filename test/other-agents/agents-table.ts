import { type Capability, capabilities } from './capabilities.ts';

/** What the tests on an agent have shown: it works, or it cannot, and why. */
export type Cell = { readonly is: 'works' } | { readonly is: 'cannot'; readonly reason: string };

/** By capability, then by agent. */
export type Results = ReadonlyMap<Capability, ReadonlyMap<string, Cell>>;

const marks = { begin: '<!-- table: begin -->', end: '<!-- table: end -->' };

/** What a title says that `capability` has made; undefined for other tests. */
export function readTitle(title: string): { what: Capability; agent: string } | undefined {
  const [, what = '', agent = ''] = /^\[([a-z-]+)\] (.+?): /.exec(title) ?? [];
  return what in capabilities ? { what: what as Capability, agent } : undefined;
}

/** The page with a table of these results, and of no others. */
export function withResults(page: string, results: Results): string {
  const [before = '', rest = ''] = page.split(marks.begin);
  const [, after = ''] = rest.split(marks.end);
  const table = tableOf(results);
  return `${before}${marks.begin}\n${table}\n${marks.end}${after}`;
}

/** The results that a page tells of. */
export function resultsIn(page: string): Results {
  const [, rest = ''] = page.split(marks.begin);
  const [table = ''] = rest.split(marks.end);
  const rows = table.split('\n').filter((line) => line.startsWith('|'));
  const [head = [], , ...body] = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const reasons = new Map(
    [...table.matchAll(/^(\d+)\. (.+)$/gm)].map(([, number, reason]) => [number, reason ?? '']),
  );
  return new Map(
    body.flatMap(([sentence, ...cells]) => {
      const what = keys.find((key) => capabilities[key] === sentence);
      if (what === undefined) return [];
      const told = cells.flatMap((cell, at): [string, Cell][] => {
        const agent = head[at + 1] ?? '';
        if (cell === 'yes') return [[agent, { is: 'works' }]];
        const [, number] = /^no \((\d+)\)$/.exec(cell) ?? [];
        return number === undefined ? [] : [[agent, { is: 'cannot', reason: reasons.get(number) ?? '' }]];
      });
      return [[what, new Map(told)] as const];
    }),
  );
}

const keys = Object.keys(capabilities) as Capability[];

/** What is known, with what is new put into it. */
export function merged(old: Results, fresh: Results): Results {
  return new Map(
    keys.map((what) => [what, new Map([...(old.get(what) ?? []), ...(fresh.get(what) ?? [])])] as const),
  );
}

function tableOf(results: Results): string {
  const agents = [...new Set([...results.values()].flatMap((cells) => [...cells.keys()]))].sort();
  const reasons: string[] = [];
  const noteOf = (reason: string): number => {
    if (!reasons.includes(reason)) reasons.push(reason);
    return reasons.indexOf(reason) + 1;
  };
  const textOf = (cell: Cell | undefined): string => {
    if (cell?.is === 'cannot') return `no (${noteOf(cell.reason)})`;
    return cell?.is === 'works' ? 'yes' : '';
  };
  const rows = keys.map((what) => [
    capabilities[what],
    ...agents.map((agent) => textOf(results.get(what)?.get(agent))),
  ]);
  const lines = [['', ...agents], ['---', ...agents.map(() => '---')], ...rows];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return `${table}\n\n${reasons.map((reason, at) => `${at + 1}. ${reason}`).join('\n')}`;
}
