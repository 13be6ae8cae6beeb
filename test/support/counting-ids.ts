import type { Ids } from '../../src/engine/ports/ids.ts';

/** Ids that count, so that a failing test reads well. */
export function countingIds(prefix = ''): Ids {
  const counts = new Map<string, number>();
  const next = (tag: string) => () => {
    const count = (counts.get(tag) ?? 0) + 1;
    counts.set(tag, count);
    return `${tag}_${prefix}${count}`;
  };
  return {
    session: next('ses'),
    message: next('msg'),
    interaction: next('int'),
    turn: next('turn'),
    process: next('run'),
    order: next('ord'),
    grant: next('grant'),
    rule: next('rule'),
    image: next('img'),
    comment: next('com'),
    client: next('cli'),
  };
}
