import { expect, test } from 'vitest';
import type { TakeReply } from '../../../src/drivers/acp/peer.ts';
import { Steering } from '../../../src/drivers/acp/steering.ts';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import { Turns } from '../../../src/drivers/acp/turns.ts';
import { MessageId } from '../../../src/protocol/ids.ts';
import type { OutgoingMessage } from '../../../src/runner/ports/agent-driver.ts';

const message = (name: string): OutgoingMessage => ({
  messageId: MessageId.parse(name),
  text: name,
  images: [],
});

function rig() {
  const around = { cwd: '/work', prefix: 'p1', permissionMode: null, model: null, outputOf: () => undefined };
  const turns = new Turns({ memory: newMemory(around), isAsking: () => false, report: () => {} });
  const running = turns.begin({ messageId: MessageId.parse('first'), requestId: 1 });
  turns.showWork();
  const replies = new Map<number, TakeReply>();
  const written: string[] = [];
  const prompted: string[] = [];
  let id = 10;
  const steering = new Steering({
    turns,
    peer: () => ({
      newId: () => ++id,
      async request(requestId, _method, _params, name, onReply) {
        replies.set(requestId, onReply);
        written.push(name);
      },
      expectReply: (requestId, onReply) => void replies.set(requestId, onReply),
    }),
    async prompt({ text }) {
      prompted.push(text);
    },
  });
  const reply = (requestId: number, outcome: string) =>
    replies.get(requestId)?.({ ok: true, result: { outcome } });
  const send = (name: string) => steering.send(message(name), 's1', []);
  return { turns, running, steering, written, prompted, reply, send };
}

test('[MSG1] a message is taken when the agent goes on after it took it in', async () => {
  const { turns, reply, send, prompted } = rig();
  await send('hurry');
  expect(turns.showWork()).toEqual([]);
  reply(11, 'injected');
  expect(turns.showWork()).toEqual([{ type: 'message-taken', messageId: 'hurry' }]);
  expect(turns.showWork()).toEqual([]);
  expect(prompted).toEqual([]);
});

test('[MSG1] [MSG3] one that came too late for the turn is sent once, when the turn is over', async () => {
  const { turns, running, steering, reply, send, prompted } = rig();
  await send('hurry');
  reply(11, 'promptRequired');
  expect(prompted).toEqual([]);
  turns.finish(running);
  steering.turnEnded();
  steering.turnEnded();
  expect(prompted).toEqual(['hurry']);
});

test('[MSG1] a refusal that comes after the end of the turn sends it at once', async () => {
  const { turns, running, steering, reply, send, prompted } = rig();
  await send('hurry');
  turns.finish(running);
  steering.turnEnded();
  reply(11, 'failed');
  expect(prompted).toEqual(['hurry']);
});

test('[MSG1] [MSG3] one that was taken in by a turn that is then interrupted is sent once, when that is over', async () => {
  const { turns, running, steering, reply, send, prompted } = rig();
  await send('hurry');
  reply(11, 'injected');
  turns.cancel();
  expect(turns.finish(running)).toEqual([]);
  steering.turnEnded(running);
  steering.turnEnded(running);
  expect(prompted).toEqual(['hurry']);
});

test('[MSG1] one of which the agent has shown something is not sent again by an interrupt', async () => {
  const { turns, running, steering, reply, send, prompted } = rig();
  await send('hurry');
  reply(11, 'injected');
  expect(turns.showWork()).toEqual([{ type: 'message-taken', messageId: 'hurry' }]);
  turns.cancel();
  turns.finish(running);
  steering.turnEnded(running);
  expect(prompted).toEqual([]);
});

test('[SES10] [MSG5] one that an earlier server sent is not written again, whatever the agent says of it', async () => {
  for (const outcome of ['injected', 'promptRequired']) {
    const { turns, running, steering, written, reply, send, prompted } = rig();
    steering.takeUp([{ kind: 'steer', id: 7, value: 'hurry' }], [MessageId.parse('hurry')]);
    reply(7, outcome);
    await send('hurry');
    expect(written).toEqual([]);
    const told = turns.finish(running);
    steering.turnEnded();
    expect([told?.length, prompted]).toEqual(outcome === 'injected' ? [1, []] : [0, ['hurry']]);
  }
});
