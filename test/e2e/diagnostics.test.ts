import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Event } from '../../src/protocol/event.ts';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { scriptedClaude } from '../support/scripted-claude/scripted-claude.ts';
import { wholeLog } from '../support/whole-log.ts';

afterEach(endBeckons);

/** An agent whose program prints lines that nobody can understand, and then does this. */
async function babbling(lines: number, then: string): Promise<string> {
  const path = join(await temporaryDirectory(), 'babbling-agent');
  const babble = `i=1; while [ $i -le ${lines} ]; do echo "no JSON $i"; i=$((i+1)); done`;
  const version = 'if [ "$1" = --version ]; then echo "2.1.0 (Claude Code)"; exit; fi';
  await writeFile(path, `#!/bin/sh\n${version}\n${babble}\n${then}\n`);
  await chmod(path, 0o755);
  return path;
}

const counts = (log: readonly Event[]): number[] =>
  log.flatMap((event) => (event.type === 'diagnostic' && event.code === 'not-json' ? [event.count] : []));

async function started(program: string) {
  const beckon = await startBeckon({ args: ['--claude', program] });
  const cwd = await temporaryDirectory();
  const made = await beckon.api('POST', '/api/sessions', { agent: 'claude', cwd, prompt: 'begin' });
  return { beckon, id: made.body.session.id as string };
}

test('[PEER10] 128 lines that cannot be understood are recorded as 128, in few events, when the agent ends', async () => {
  const { beckon, id } = await started(await babbling(128, 'exit 3'));
  await eventually('it has failed', async () => {
    const { body } = await beckon.api('GET', `/api/sessions/${id}`);
    return body.session.status === 'failed';
  });
  const log = await wholeLog(beckon, id);
  const [first = 0] = log.flatMap((event, index) => (event.type === 'process.exited' ? [index] : []));
  expect(counts(log.slice(0, first))).toEqual([1, 10, 100, 128]);
  // It was started again, and counted again.
  expect(counts(log.slice(first))).toEqual([1, 10, 100, 128]);
});

test('[PEER10] [SES10] the count goes on over a restart of the server, and a stop tells the last of it', async () => {
  const dataDir = await temporaryDirectory();
  const args = ['--keep-agents', '--claude', await babbling(128, `exec "${await scriptedClaude()}" "$@"`)];
  const first = await startBeckon({ dataDir, args });
  const cwd = await temporaryDirectory();
  const made = await first.api('POST', '/api/sessions', { agent: 'claude', cwd, prompt: 'begin' });
  const id: string = made.body.session.id;
  await eventually('it works', async () =>
    (await wholeLog(first, id)).some(({ type }) => type === 'turn.started'),
  );
  await first.stop();
  const second = await startBeckon({ dataDir, args });
  expect((await second.api('POST', `/api/sessions/${id}/stop`, {})).status).toBe(200);
  expect(counts(await wholeLog(second, id)).at(-1)).toBe(128);
  expect(counts(await wholeLog(second, id)).length).toBeLessThanOrEqual(5);
});
