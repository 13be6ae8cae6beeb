import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { holds } from '../support/eventually.ts';
import { endTerminals, openTerminal } from '../support/terminal.ts';

let beckon: Beckon;

beforeAll(async () => {
  beckon = await startBeckon();
});
afterEach(async () => {
  await endTerminals();
  const { sessions } = (await beckon.api('GET', '/api/sessions')).body;
  for (const { id } of sessions) await beckon.api('POST', `/api/sessions/${id}/stop`);
});
afterAll(endBeckons);

const start = async (prompt: string, title: string): Promise<string> => {
  const cwd = await temporaryDirectory();
  const body = { agent: 'demo', prompt, title, cwd, env: { BECKON_DEMO_PACE: '0' } };
  return (await beckon.api('POST', '/api/sessions', body)).body.session.id;
};
const pending = async (): Promise<{ title: string }[]> =>
  (await beckon.api('GET', '/api/pending')).body.pending;
const lastRow = (rows: readonly string[]): string => rows.findLast((row) => row !== '') ?? '';

describe('the whole terminal', () => {
  it('[TERM7] watch without a session shows all of them live, is narrowed by typing, opens one and comes back', async () => {
    await start('hello', 'Garden');
    const terminal = openTerminal(['watch'], { dataDir: beckon.dataDir });
    await terminal.shows((rows) => rows.some((row) => /^❯ ses_\S+ +idle .* Garden$/.test(row)));
    await start('run echo hi', 'House');
    await terminal.shows((rows) => rows.some((row) => /waiting .* 1 open .*House$/.test(row)));
    terminal.type('gard');
    await terminal.shows((rows) => rows[0] === 'Sessions › gard' && rows[1]?.endsWith('Garden') === true);
    await terminal.shows((rows) => !rows.join('\n').includes('House') && lastRow(rows).startsWith('1 of '));
    terminal.type('\r');
    await terminal.shows('── done');
    terminal.type('hello again\r');
    await terminal.shows((rows) => rows.filter((row) => row.startsWith('── done')).length === 2);
    terminal.type('\u001b');
    await terminal.shows((rows) => rows[0] === 'Sessions ›' && rows.join('\n').includes('House'));
    terminal.type('\u001b');
    expect(await terminal.exited).toBe(0);
    expect(terminal.all().join('\n')).not.toContain('Sessions ›');
  });

  it('[TERM8] the inbox works through what is open with the keys of the page, and tells what comes', async () => {
    await start('run echo one', 'First');
    await holds(async () => expect(await pending()).toHaveLength(1));
    const terminal = openTerminal(['inbox'], { dataDir: beckon.dataDir });
    await terminal.shows('Inbox · 1 ask open');
    await start('run echo two', 'Second');
    await terminal.shows('Inbox · 2 asks open');
    await terminal.shows((rows) => rows.includes('  $ echo one') && lastRow(rows).startsWith('a allow'));
    terminal.type('a');
    await terminal.shows((rows) => rows.includes('  $ echo two') && rows.includes('allowed: Bash'));
    await terminal.shows((rows) => lastRow(rows).startsWith('a allow'));
    terminal.type('d');
    await terminal.shows('Why? The agent is told');
    terminal.type('not today\r');
    await terminal.shows('Nothing waits for you.');
    expect(await pending()).toEqual([]);
    await holds(async () => {
      const { hits } = (await beckon.api('GET', '/api/search?q=not+today')).body;
      expect(hits.length).toBeGreaterThan(0);
    });
    terminal.type('q');
    expect(await terminal.exited).toBe(0);
  });
});
