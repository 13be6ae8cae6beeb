import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentStatus } from '../../src/drivers/process/run-admin.ts';
import { agentProcesses, markedProcesses } from '../support/marked-processes.ts';
import { claudePrograms } from './claude-program.ts';
import { gate, text, toolUse } from './model-stand-in.ts';
import { freshRoom } from './room.ts';
import { killAndStart, makeFile, saidInOneRun, takeoverSuite } from './takeover-suite.ts';

describe.each(claudePrograms())('Claude Code $version outlives its server', (program) => {
  const room = freshRoom({ server: () => ({ args: ['--claude', program.path] }) });

  takeoverSuite(room);

  /** Of the agents alone: what they run for a moment, such as a shell, comes and goes. */
  async function agentPids(): Promise<(number | undefined)[]> {
    const agents = await agentStatus(room.beckon.dataDir);
    return agents.filter(({ running }) => running).map(({ pid }) => pid);
  }

  it('[PEER5] [ASK2] two asks at once are answered in reverse order after kill -9, each with its own answer', async () => {
    room.model.on('fetch both', [
      toolUse('WebFetch', { url: 'http://one.test/', prompt: 'read' }),
      toolUse('WebFetch', { url: 'http://two.test/', prompt: 'read' }),
    ]);
    room.model.afterTool('WebFetch', [text('Read.')]);
    const before = await room.start('fetch both');
    const first = await before.nextAsk();
    const second = await before.nextAsk();
    const session = await killAndStart(room, before);

    await session.post('deny', { requestId: second.interactionId, reason: 'not the second' });
    await session.post('deny', { requestId: first.interactionId, reason: 'not the first' });
    const { toolResults } = await room.model.nextRequest((request) => request.toolResults.length === 2);
    const resultOf = ({ ask }: typeof first) => toolResults.find((one) => one.toolUseId === ask.toolCallId);
    expect(resultOf(first)?.text).toContain('not the first');
    expect(resultOf(second)?.text).toContain('not the second');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    await saidInOneRun(room, session);
  });

  it('[STORE2] [ASK5] killed in the midst of a message that no pipe holds: the agent gets it whole, once, and goes on', async () => {
    room.model.on('hello', [text('Hello.')]);
    const before = await room.start('hello');
    await before.watch.event('turn.ended');
    const [pid] = await agentPids();
    if (pid === undefined) throw new Error('It does not run');
    const long = `read this: ${'long '.repeat(60_000)}end`;
    room.model.on(long, [text('I have read it.')]);
    process.kill(pid, 'SIGSTOP');
    expect(await before.post('message', { message: long })).toMatchObject({ status: 200 });
    const session = await killAndStart(room, before);
    process.kill(pid, 'SIGCONT');
    await session.watch.event('message.taken', (event) => event.text === long);
    await session.watch.event('agent.text', (event) => event.text === 'I have read it.');
    expect(await saidInOneRun(room, session)).toEqual(['Hello.', 'I have read it.']);
  });

  it('[SES10] an agent that ended its turn while nobody listened: the next server tells of it', async () => {
    const held = gate();
    room.model.on('tell me', [text('I begin', held.opened, ' and I end.')]);
    const before = await room.start('tell me');
    const request = await room.model.nextRequest(({ prompt }) => prompt === 'tell me');
    await room.beckon.kill9();
    held.open();
    expect(await request.ended).toBe('complete');
    await room.serveAgain();
    const session = await before.seenAnew();
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(await saidInOneRun(room, session)).toEqual(['I begin and I end.']);
  });

  it('[SES7] SIGTERM ends server and agent within 10 s, also while it asks', async () => {
    room.model.on('make a file', [makeFile]);
    const session = await room.start('make a file');
    await session.nextAsk();
    expect(agentProcesses(room.beckon.dataDir)).not.toEqual([]);
    const began = performance.now();
    expect(await room.beckon.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(agentProcesses(room.beckon.dataDir)).toEqual([]);
  });

  it('[SES7] [ASK2] with --keep-agents SIGTERM ends the server alone', async () => {
    await room.beckon.stop();
    await room.serveAgain('--keep-agents');
    room.model.on('make a file', [makeFile]);
    const before = await room.start('make a file');
    const { interactionId } = await before.nextAsk();
    const pids = await agentPids();
    expect(pids).toHaveLength(1);
    expect(await room.beckon.stop()).toEqual({ code: 0, signal: null });
    expect(await agentPids()).toEqual(pids);
    await room.serveAgain();
    const session = await before.seenAnew();
    await session.post('approve', { requestId: interactionId, decision: 'allow' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(await readFile(join(session.cwd, 'made.txt'), 'utf8')).toBe('made\n');
    await saidInOneRun(room, session);
  });

  it('[ASK5] [SES10] the shell that holds an agent is killed: the agent goes on, and is answered', async () => {
    room.model.on('make a file', [makeFile]);
    const session = await room.start('make a file');
    const { interactionId } = await session.nextAsk();
    const [agent] = await agentPids();
    const holders = markedProcesses(room.beckon.dataDir).filter(({ marker }) => marker.endsWith('/holder'));
    expect(holders).toHaveLength(2);
    for (const { pid } of holders) process.kill(pid, 'SIGKILL');
    await session.post('approve', { requestId: interactionId, decision: 'allow' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(await readFile(join(session.cwd, 'made.txt'), 'utf8')).toBe('made\n');
    expect(await agentPids()).toEqual([agent]);
    await saidInOneRun(room, session);
  });
});
