import { randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claudeDriver } from '../../src/drivers/claude/driver.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { MessageId, SessionId } from '../../src/protocol/ids.ts';
import type { AgentConnection } from '../../src/runner/ports/agent-driver.ts';
import { drilledAgent } from '../support/drilled-agent.ts';
import { FactRecorder } from '../support/fact-recorder.ts';
import { isRunning } from '../support/running.ts';

let dir: string;
let processes: LocalProcessHost;
let raw: string;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-hardships-')));
  raw = '';
  processes = new LocalProcessHost({
    dataDir: dir,
    onRaw: (_, direction, chunk) => {
      if (direction === 'out') raw += chunk.toString('latin1');
    },
  });
});

afterEach(async () => {
  await processes.close();
  rmSync(dir, { recursive: true, force: true });
});

function begin(): { facts: FactRecorder; connection: AgentConnection } {
  const facts = new FactRecorder();
  const driver = claudeDriver({ processes, environment: process.env, program: drilledAgent(dir) });
  const connection = driver.start(startIn(dir), facts.report);
  return { facts, connection };
}

function startIn(cwd: string) {
  const sessionId = SessionId.parse('s1');
  return {
    processId: randomUUID(),
    sessionId,
    cwd,
    env: {},
    permissionMode: null,
    model: null,
    resume: null,
    tools: null,
  };
}

async function say(facts: FactRecorder, connection: AgentConnection, text: string): Promise<void> {
  await facts.of('ready');
  await connection.send({ messageId: MessageId.parse(randomUUID()), text, images: [] }, 'turn');
}

const words = (facts: FactRecorder) => facts.said('agent.text').map(({ text }) => text);

test('[PEER6] rubbish between the lines is kept, counted and told, and the turn goes on', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, '!garbage');
  expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
  expect(words(facts)).toEqual(['before the garbage', 'after the garbage']);
  const codes = new Set(facts.every('diagnostic').map(({ code }) => code));
  expect([...codes].sort()).toEqual(['no-type', 'not-an-object', 'not-json', 'unknown-input']);
  expect(raw.split('\n')).toContain('this is not JSON');
});

test('[PEER4] a result of 20 MB in a single line is whole', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, '!bigline 20');
  expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
  expect(facts.said('tool.result')[0]?.text.length).toBeGreaterThanOrEqual(20 * 1024 * 1024 * 0.9);
  expect(facts.every('diagnostic')).toEqual([]);
});

test('[PEER6] a request of an unknown kind is refused', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, '!unknown-control');
  await facts.of('turn-ended');
  expect(words(facts)).toEqual(['answer: error Unsupported request: from_the_future']);
});

test('[PEER7] a hook callback is answered', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, '!hook');
  await facts.of('turn-ended');
  expect(words(facts)).toEqual(['answer: success {}']);
});

test('[PEER7] a form that is open at an interrupt is withdrawn, and cannot be answered any more', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, 'form');
  const { ask } = await facts.of('asked');
  expect(ask).toMatchObject({ kind: 'form', form: { source: 'demo' } });
  await connection.interrupt();
  await facts.of('turn-ended');
  expect(facts.every('withdrawn')).toEqual([{ type: 'withdrawn', agentRequestId: ask.agentRequestId }]);
  await expect(connection.answer(ask, { type: 'submit', values: {} })).resolves.toMatchObject({ ok: false });
});

test('[TOOL11] a form that is filled in reaches the agent', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, 'form');
  const { ask } = await facts.of('asked');
  await connection.answer(ask, { type: 'submit', values: { name: 'Ada', tier: 'small' } });
  expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
  expect(words(facts).at(-1)).toContain('{"action":"accept","content":{"name":"Ada","tier":"small"}}');
  expect(facts.every('withdrawn')).toEqual([]);
});

test('[SES8] a crash is told with its exit code and last words, and nothing comes after it', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, '!crash 3');
  expect(await facts.of('exited')).toMatchObject({
    code: 3,
    stderr: ['drilled agent: crashing, as it was asked to'],
  });
  const streamed = facts.every('delta').map(({ delta }) => delta.text);
  expect(streamed.join('')).toBe('I am about to crash.');
  expect(facts.all.at(-1)?.type).toBe('exited');
  await expect(connection.setModel('x')).rejects.toThrow();
});

test('[SES7] when a crash is told, its commands are gone already', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, "run setsid sh -c 'echo $$; exec sleep 1000' &");
  const { ask } = await facts.of('asked');
  await connection.answer(ask, { type: 'allow', scope: 'once' });
  await facts.of('turn-ended');
  const pid = Number(/^\d+$/m.exec(words(facts).at(-1) ?? '')?.[0]);
  expect(isRunning(pid)).toBe(true);
  await say(facts, connection, '!crash');
  await facts.of('exited');
  expect(isRunning(pid)).toBe(false);
});

test('[SES6] an agent that hears neither the end of its input nor SIGTERM is ended', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, '!ignore-sigterm');
  await facts.of('turn-ended');
  const pid = Number(/\d+/.exec(words(facts)[0] ?? '')?.[0]);
  await connection.close();
  expect(facts.every('exited')).toMatchObject([{ signal: 'SIGKILL' }]);
  expect(isRunning(pid)).toBe(false);
});

test('[SES12] work in the background asks after the turn, and starts a turn of its own', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, '!background');
  await facts.of('turn-ended');
  const { ask } = await facts.of('asked');
  const from = facts.all.length;
  await connection.answer(ask, { type: 'allow', scope: 'once' });
  expect(await facts.of('turn-ended', from)).toMatchObject({ outcome: 'completed' });
  expect(facts.every('message-taken')).toHaveLength(1);
  expect(facts.every('turn-started')).toHaveLength(2);
});

test('[MULTI4] nothing is reported while reading is paused, and nothing is lost', async () => {
  const { facts, connection } = begin();
  await facts.of('ready');
  connection.pause();
  await say(facts, connection, '!flood 20000');
  expect(facts.every('delta')).toEqual([]);
  connection.resume();
  await facts.of('turn-ended');
  const text = Array.from({ length: 20_000 }, (_, index) => `${index + 1} `).join('');
  expect(
    facts
      .every('delta')
      .map(({ delta }) => delta.text)
      .join(''),
  ).toBe(text);
  expect(words(facts)).toEqual([text]);
});

test('[SES15] that a paused agent is gone is told, and what it said last is read when reading goes on', async () => {
  const { facts, connection } = begin();
  await facts.of('ready');
  connection.pause();
  await say(facts, connection, '!crash 3');
  await facts.of('ending');
  expect(facts.every('delta')).toEqual([]);
  connection.resume();
  expect(await facts.of('exited')).toMatchObject({ code: 3 });
  expect(facts.every('delta').length).toBeGreaterThan(0);
});

test('[SES6] a paused agent can be closed', async () => {
  const { facts, connection } = begin();
  await say(facts, connection, '!flood 1000000');
  await facts.of('delta');
  connection.pause();
  await connection.close();
  expect(facts.all.at(-1)?.type).toBe('exited');
});

test('[PEER2] a program that is missing or says nothing sensible is not available, with a reason', async () => {
  const missing = claudeDriver({ processes, environment: process.env, program: join(dir, 'nothing') });
  expect(await missing.probe()).toMatchObject({
    available: false,
    reason: expect.stringContaining('nothing'),
  });
  const facts = new FactRecorder();
  const connection = missing.start(startIn(dir), facts.report);
  await connection.close();
  expect(facts.all).toMatchObject([{ type: 'exited', startError: expect.stringContaining('nothing') }]);
  await expect(connection.interrupt()).rejects.toThrow();

  writeFileSync(join(dir, 'mute'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const mute = claudeDriver({ processes, environment: process.env, program: join(dir, 'mute') });
  expect(await mute.probe()).toMatchObject({ available: false, reason: expect.stringContaining('version') });
});

test('[PEER2] a name is looked for on the PATH of the person', async () => {
  writeFileSync(join(dir, 'claude'), '#!/bin/sh\necho "9.8.7 (Claude Code)"\n', { mode: 0o755 });
  const driver = claudeDriver({ processes, environment: { PATH: `/nowhere:${dir}` } });
  expect(await driver.probe()).toMatchObject({ name: 'claude', available: true, version: '9.8.7' });
});
