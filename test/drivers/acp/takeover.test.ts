import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { agentPid, findRun } from '../../../src/drivers/process/run-directory.ts';
import { MessageId } from '../../../src/protocol/ids.ts';
import type { AgentStart } from '../../../src/runner/ports/agent-driver.ts';
import { eventually } from '../../support/eventually.ts';
import { StoredRun } from './stored-run.ts';

const runs: StoredRun[] = [];

afterEach(async () => {
  await Promise.all(runs.splice(0).map((run) => run.end()));
});

function newRun(options: Partial<AgentStart> & { flags?: readonly string[] } = {}): StoredRun {
  const run = new StoredRun(options);
  runs.push(run);
  return run;
}

async function readyRun(options: Parameters<typeof newRun>[0] = {}): Promise<StoredRun> {
  const run = newRun(options);
  run.begin();
  await run.stored.of('ready');
  return run;
}

const messageId = MessageId.parse('msg_1');
const inFlight = [{ messageId, how: 'turn' as const }];
const message = (text: string, id: MessageId = messageId) => ({ messageId: id, text, images: [] });
const next = (text: string) => message(text, MessageId.parse('msg_2'));

const wordsIn = ({ stored }: StoredRun): string =>
  stored
    .said('agent.text')
    .map(({ text }) => text)
    .join('|');

/** The note that it was written is gone, with all after it: only that it was about to be is left. */
const inDoubt =
  (what: 'prompt' | 'answer') =>
  (notes: string): string =>
    notes.slice(0, notes.indexOf('== in', notes.indexOf(` ${what}%20`)));

test('[MSG3] [SES10] a message that was on record and never written is sent, once', async () => {
  const run = await readyRun();
  await run.leave();
  const connection = await run.takeUp({ inFlight });
  await run.stored.of('caught-up');
  await connection?.send(message('hello'), 'turn');
  expect(await run.stored.of('turn-ended')).toMatchObject({ outcome: 'completed' });
  await run.leave();
  await run.takeUp();
  await run.stored.of('caught-up');
  expect(run.prompts()).toEqual(['hello']);
  expect(run.stored.every('turn-started')).toHaveLength(1);
});

test('[MSG3] a message that was written, and of which nothing else is stored, is not sent again', async () => {
  const run = await readyRun();
  const { mark } = run;
  await run.connection.send(message('run touch made.txt'), 'turn');
  await run.stored.of('asked');
  run.stored.all.length = 0;
  run.mark = mark;
  await run.leave();
  const connection = await run.takeUp({ inFlight });
  await run.stored.of('caught-up');
  await connection?.send(message('run touch made.txt'), 'turn');
  expect(await run.stored.of('message-taken')).toEqual({ type: 'message-taken', messageId });
  const { ask } = await run.stored.of('asked');
  await connection?.answer(ask, { type: 'allow', scope: 'once' });
  expect(await run.stored.of('turn-ended')).toMatchObject({ outcome: 'completed' });
  expect(existsSync(join(run.cwd, 'made.txt'))).toBe(true);
  expect(run.prompts()).toEqual(['run touch made.txt']);
});

test('[MSG3] of a message in doubt the work of the agent is the proof', async () => {
  const run = await readyRun();
  const { mark } = run;
  await run.connection.send(message('tell later'), 'turn');
  await run.stored.of('delta');
  await run.leave();
  run.editNotes(inDoubt('prompt'));
  run.stored.all.length = 0;
  run.mark = mark;
  await run.takeUp({ inFlight });
  await run.stored.of('caught-up');
  expect(run.stored.every('turn-ended')).toEqual([]);
  writeFileSync(join(run.cwd, 'later'), '');
  expect(await run.stored.of('turn-ended')).toMatchObject({ outcome: 'completed' });
  expect(wordsIn(run)).toBe('I begin, later');
});

test('[MSG3] a message in doubt of which nothing shows is not sent again, and that is said', async () => {
  const run = await readyRun();
  await run.leave();
  const note = `== to 2026-01-01T00:00:00.000Z 0 0 0 ${encodeURIComponent(`prompt 9 ${messageId}`)}\n\n`;
  run.editNotes((notes) => notes + note);
  const connection = await run.takeUp({ inFlight });
  await run.stored.of('caught-up');
  const ended = await run.stored.of('turn-ended');
  expect(ended).toMatchObject({ outcome: 'failed', error: expect.stringContaining('is not known') });
  const types = run.stored.types();
  expect(types.slice(types.indexOf('message-taken'))).toEqual([
    'message-taken',
    'identified',
    'turn-started',
    'turn-ended',
    'caught-up',
  ]);
  const from = run.stored.all.length;
  await connection?.send(next('hello'), 'turn');
  expect(await run.stored.of('turn-ended', from)).toMatchObject({ outcome: 'completed' });
  expect(run.prompts()).toEqual(['hello']);
});

test('[PEER3] half a line that a dead server left does not swallow what the next one writes', async () => {
  const run = await readyRun();
  const pid = agentPid(findRun(run.dir, 'run') ?? never()) ?? 0;
  process.kill(pid, 'SIGSTOP');
  const sent = run.connection.send(message('x'.repeat(500_000)), 'turn').catch(() => undefined);
  await run.leave();
  await sent;
  process.kill(pid, 'SIGCONT');
  const connection = await run.takeUp({ inFlight });
  expect(await run.stored.of('turn-ended')).toMatchObject({ outcome: 'failed' });
  const from = run.stored.all.length;
  await connection?.send(next('hello'), 'turn');
  expect(await run.stored.of('turn-ended', from)).toMatchObject({ outcome: 'completed' });
  expect(run.prompts()).toEqual(['hello']);
});

test('[SES10] a history that is being replayed when the server ends is not told by the next', async () => {
  const first = await readyRun({ flags: ['--load'] });
  await first.connection.send(message('hello'), 'turn');
  await first.stored.of('turn-ended');
  const { agentSessionId } = await first.stored.of('identified');
  await first.connection.close();

  const run = newRun({ flags: ['--load'], resume: agentSessionId });
  const history = readFileSync(join(first.home, `${agentSessionId}.history`));
  writeFileSync(join(run.home, `${agentSessionId}.history`), history);
  const goOn = run.hold('session-load');
  run.begin();
  const out = join(run.dir, 'run', 'run', 'agent', 'out');
  await eventually('the history is told', () => readFileSync(out, 'utf8').includes('told before'));
  await run.leave();
  expect(run.mark).toBeUndefined();
  const connection = await run.takeUp({ ready: false });
  goOn();
  expect(await run.stored.of('ready')).toMatchObject({ agentSessionId });
  await connection?.send(message('echo more'), 'turn');
  await run.stored.of('turn-ended');
  expect(wordsIn(run)).toBe('You said: more');
});

test('[SES10] one of which it is not known how far its start had come is ended, to be started again', async () => {
  const run = newRun();
  run.hold('initialize');
  run.begin();
  const told = join(run.dir, 'run', 'run', 'told');
  await eventually('it is asked', () => existsSync(told) && readFileSync(told, 'utf8').includes('== in'));
  await run.leave();
  run.editNotes((notes) => notes.slice(0, notes.indexOf('== in')));
  await run.takeUp({ ready: false });
  const exited = await run.stored.of('exited');
  expect(exited.startError).toBeUndefined();
});

test('[SES10] one that was left by a version which remembered otherwise is not gone on with', async () => {
  const run = await readyRun();
  await run.leave();
  run.mark = { processId: 'run', offset: 0, memory: { something: 'else' } };
  expect(await run.takeUp()).toBeUndefined();
});

test('[SES13] a mode that was asked for by an earlier server is told when the agent confirms it', async () => {
  const run = await readyRun();
  const goOn = run.hold('set-mode');
  void run.connection.setPermissionMode('plan').catch(() => undefined);
  await run.leave();
  await run.takeUp();
  await run.stored.of('caught-up');
  goOn();
  await run.stored.next('the mode', (fact) =>
    fact.type === 'mode-changed' && fact.permissionMode === 'plan' ? fact : undefined,
  );
});

test('[ASK5] an answer that was written and not noted as delivered is not given twice, and is not called withdrawn', async () => {
  const run = await readyRun();
  await run.connection.send(message('run touch made.txt'), 'turn');
  const { ask } = await run.stored.of('asked');
  const { mark } = run;
  const openAsks = [ask.agentRequestId];
  await run.connection.answer(ask, { type: 'allow', scope: 'once' });
  await run.stored.of('turn-ended');
  run.stored.all.length = 0;
  run.mark = mark;
  await run.leave();
  const connection = await run.takeUp({ openAsks });
  await run.stored.of('caught-up');
  expect(await run.stored.of('turn-ended')).toMatchObject({ outcome: 'completed' });
  expect(run.stored.every('withdrawn')).toEqual([]);
  await connection?.answer(ask, { type: 'deny', message: 'No', interrupt: false });
  expect(run.stored.said('tool.result')).toMatchObject([{ isError: false }]);
});

test('[ASK5] an answer in doubt is given again, which the agent ignores, and is not called withdrawn', async () => {
  const run = await readyRun();
  await run.connection.send(message('run echo made >> made.txt'), 'turn');
  const { ask } = await run.stored.of('asked');
  const { mark } = run;
  await run.connection.answer(ask, { type: 'allow', scope: 'once' });
  await run.stored.of('turn-ended');
  await run.leave();
  run.editNotes(inDoubt('answer'));
  run.stored.all.length = 0;
  run.mark = mark;
  const connection = await run.takeUp({ openAsks: [ask.agentRequestId] });
  await run.stored.of('caught-up');
  expect(await run.stored.of('turn-ended')).toMatchObject({ outcome: 'completed' });
  expect(run.stored.every('withdrawn')).toEqual([]);
  await connection?.answer(ask, { type: 'allow', scope: 'once' });
  const from = run.stored.all.length;
  await connection?.send(next('hello'), 'turn');
  expect(await run.stored.of('turn-ended', from)).toMatchObject({ outcome: 'completed' });
  expect(readFileSync(join(run.cwd, 'made.txt'), 'utf8')).toBe('made\n');
});

test('[PEER7] a question that was taken back on record, and of which the agent was not told, is answered as cancelled', async () => {
  const run = await readyRun();
  await run.connection.send(message('!options all'), 'turn');
  await run.stored.of('asked');
  await run.leave();
  await run.takeUp({ openAsks: [] });
  await run.stored.of('turn-ended');
  expect(wordsIn(run)).toBe('chosen: undefined');
});

const never = (): never => {
  throw new Error('There is no such run');
};
