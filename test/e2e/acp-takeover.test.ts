import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Event, EventOf } from '../../src/protocol/event.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, watchSession } from '../support/watch.ts';
import { wholeLog } from '../support/whole-log.ts';

const program = resolve(import.meta.dirname, '../support/acp-agent/main.ts');

let folder: string;
let dataDir: string;
let beckon: Beckon;

beforeEach(async () => {
  folder = await temporaryDirectory();
  dataDir = await temporaryDirectory();
  const scripted = {
    driver: 'acp',
    command: process.execPath,
    args: ['--no-warnings', program],
    env: { ACP_AGENT_HOME: join(folder, 'home') },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify({ agents: { scripted } }));
  await mkdir(join(folder, 'work'));
  await serve();
});

afterEach(async () => {
  endWatches();
  await endBeckons();
});

async function serve(): Promise<void> {
  beckon = await startBeckon({ dataDir, args: ['--config', join(folder, 'config.json')] });
}

async function start(prompt: string) {
  const cwd = join(folder, 'work');
  const { status, body } = await beckon.api('POST', '/api/sessions', { agent: 'scripted', cwd, prompt });
  expect(status, JSON.stringify(body)).toBe(201);
  const id: string = body.session.id;
  return { id, watch: await watchSession(beckon, id) };
}

async function killAndServe(id: string) {
  await beckon.kill9();
  await serve();
  return watchSession(beckon, id);
}

const approve = (id: string, requestId: string) =>
  beckon.api('POST', `/api/sessions/${id}/approve`, { requestId, decision: 'allow' });

const all = <T extends Event['type']>(log: readonly Event[], type: T): EventOf<T>[] =>
  log.filter((event): event is EventOf<T> => event.type === type);

/** One process, from the first to the last event. */
async function expectOneRun(id: string): Promise<readonly Event[]> {
  const log = await wholeLog(beckon, id);
  expect(all(log, 'process.starting')).toHaveLength(1);
  expect(all(log, 'process.exited')).toEqual([]);
  expect(all(log, 'diagnostic')).toEqual([]);
  return log;
}

it('[ASK2] [ASK5] an approval stays open over kill -9, and Allow runs the tool, once', async () => {
  const session = await start('run echo made >> made.txt');
  const { interactionId } = await session.watch.event('interaction.requested');
  const watch = await killAndServe(session.id);
  const { body } = await beckon.api('GET', '/api/pending');
  expect(body.pending).toMatchObject([{ requestId: interactionId, status: 'open' }]);
  expect(existsSync(join(folder, 'work', 'made.txt'))).toBe(false);
  expect(await approve(session.id, interactionId)).toMatchObject({ status: 200 });
  expect(await watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  expect(await watch.event('interaction.resolved')).toMatchObject({ delivered: true });
  expect(readFileSync(join(folder, 'work', 'made.txt'), 'utf8')).toBe('made\n');
  const log = await expectOneRun(session.id);
  expect(all(log, 'agent.text').map(({ text }) => text)).toEqual(['I run it.', 'Done.']);
});
