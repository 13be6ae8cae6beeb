import { describe, expect } from 'vitest';
import { text, toolUse } from '../real-agents/model-stand-in.ts';
import { watch } from '../support/watch.ts';
import { capability } from './capabilities.ts';
import { codex } from './codex.ts';
import { commonProofs, type Tricks } from './common-proofs.ts';
import { roomWith } from './real-agent.ts';

const name = 'codex';
const settings = { permissionMode: 'read-only' };

const tricks: Tricks = {
  settings,
  run: (cmd, after) => {
    const input = { cmd, sandbox_permissions: 'require_escalated', justification: 'It must' };
    return [toolUse('exec_command', input, [text(after)])];
  },
  create: () => patch('*** Add File: new.txt\n+hello'),
  edit: () => patch('*** Update File: a.txt\n@@\n one\n-two\n+2\n three'),
  askUser: (question) => [toolUse('mcp__beckon.ask_user', { question }, [text('Thank you.')])],
};

describe('Codex', () => {
  const room = roomWith(codex);
  commonProofs(name, room, tricks);

  capability('steer', name, async () => {
    room.model.on('touch it', tricks.run('touch made.txt', 'Touched.')).on('hurry', [text('I hurry.')]);
    const session = await room.start('touch it', settings);
    const { interactionId } = await session.nextAsk();
    const steered = await session.post('message', { message: 'hurry', disposition: 'steer' });
    expect(steered).toMatchObject({ status: 200, body: { applied: 'steer' } });
    await session.post('approve', { requestId: interactionId, decision: 'allow' });
    const request = await room.model.nextRequest(({ prompt }) => prompt === 'hurry');
    expect(request.toolResults).toHaveLength(1);
    await session.watch.event('turn.ended');
    const { body } = await session.get('events?limit=500');
    const count = (type: string) =>
      body.events.filter((event: { type: string }) => event.type === type).length;
    expect([count('turn.started'), count('message.taken')]).toEqual([1, 2]);
  });

  capability('modes', name, async () => {
    const session = await room.start('hello', settings);
    await session.watch.event('turn.ended');
    const { body } = await session.get();
    expect(body.session.capabilities.permissionModes).toContain('read-only');
    expect(body.session.permissionMode).toBe('read-only');
  });

  capability('models', name, async () => {
    const session = await room.start('hello', { ...settings, model: 'gpt-6.1-sol' });
    await session.watch.event('turn.ended');
    const { body } = await session.get();
    const { models } = body.session.capabilities;
    expect(models).toContainEqual({ value: 'gpt-6.1-sol', label: '6.1 Sol' });
    expect(body.session.model).toBe('gpt-6.1-sol');
  });

  capability('options', name, async () => {
    const session = await room.start('hello', settings);
    await session.watch.event('turn.ended');
    const option = { id: 'reasoning_effort', value: 'high' };
    const { body } = await room.beckon.api('PATCH', `/api/sessions/${session.id}`, { option });
    expect(body.session.options).toContainEqual(expect.objectContaining(option));
    room.model.on('think', [text('I think.')]);
    await session.post('message', { message: 'think' });
    const request = await room.model.nextRequest(({ prompt }) => prompt === 'think');
    expect(request.body.reasoning).toMatchObject({ effort: 'high' });
  });

  capability('titles', name, async () => {
    const session = await room.start('Look at it,\nand   mend it', settings);
    const named = await session.watch.event('session.changed', ({ by }) => by.kind === 'agent');
    expect(named.title).toBe('Look at it, and mend it');
  });

  capability.cannot('todos', name, 'Its models have no tool for a to-do list.');
});

describe('Codex, as if it gave up on tools after some seconds', () => {
  const room = roomWith({ ...codex, agent: { ...codex.agent, toolLimitMs: 5_000 } });

  capability('time-limit', name, async () => {
    await watch(room.beckon);
    room.model.on('ask me', tricks.askUser('Which colour?'));
    room.model.on(({ prompt }) => prompt?.includes('Green') === true, [text('Green it is.')]);
    const session = await room.start('ask me', settings);
    const { interactionId } = await session.nextAsk();
    const { toolResults } = await room.model.nextRequest((request) => request.toolResults.length > 0);
    expect(toolResults[0]?.text).toContain('stays open');
    await session.watch.event('turn.ended');
    const answer = { interactionId, action: 'submit', input: { answer: 'Green' } };
    expect(await session.post('respond', answer)).toMatchObject({ status: 200 });
    await session.watch.event('agent.text', ({ text: words }) => words === 'Green it is.');
  });
});

function patch(lines: string) {
  const words = `*** Begin Patch\n${lines}\n*** End Patch\n`;
  return [toolUse('apply_patch', { words }, [text('Finished.')])];
}
