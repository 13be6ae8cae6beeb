import { describe, expect, it } from 'vitest';
import { queueView, sessionView } from '../../src/model/views.ts';
import { MessageId } from '../../src/protocol/ids.ts';
import type { Disposition } from '../../src/protocol/session.ts';
import { allow, bashAsk, capabilities, PlayedSession, person } from '../support/session-states.ts';

const starting = () => new PlayedSession();
const idle = () => new PlayedSession().up();
const running = () => new PlayedSession().up().working();
const waiting = () => {
  const played = running();
  played.asks(bashAsk('r1', 'ls'));
  return played;
};
const asleep = () => {
  const played = idle();
  played.command({ type: 'close-process', cause: 'sleep' });
  played.fact({ type: 'exited', code: 0, signal: null, stderr: [] });
  return played;
};
const closing = () => {
  const played = idle();
  played.command({ type: 'close-process', cause: 'sleep' });
  return played;
};
const handedOver = () => {
  const played = idle();
  played.send('first');
  return played;
};
const interrupting = () => {
  const played = running();
  played.command({ type: 'interrupt', by: person });
  return played;
};
const unsteerable = () => {
  const played = new PlayedSession();
  played.command({ type: 'start-process', processId: 'run_1' });
  played.fact({
    type: 'ready',
    agentSessionId: 'a',
    version: '1',
    capabilities: { ...capabilities, steer: false, interrupt: false },
  });
  return played.working();
};
const stopped = () => {
  const played = idle();
  played.command({ type: 'stop', by: person });
  return played;
};
const failed = () => {
  const played = starting();
  played.command({ type: 'start-process', processId: 'run_1' });
  played.fact({ type: 'exited', code: null, signal: null, startError: 'no such program', stderr: [] });
  return played;
};

const end = (played: PlayedSession, outcome: 'completed' | 'failed' | 'interrupted' = 'completed') =>
  played.fact({ type: 'turn-ended', outcome });
const texts = (played: PlayedSession) => queueView(played.state).map((item) => item.message);

describe('[MSG1] what is asked and what is applied, in every status', () => {
  const dispositions = ['auto', 'queue', 'interrupt', 'steer'] as const;
  const table: [string, () => PlayedSession, readonly string[], readonly boolean[]][] = [
    ['starting', starting, ['queue', 'queue', 'queue', 'queue'], [true, true, true, true]],
    ['asleep', asleep, ['queue', 'queue', 'queue', 'queue'], [true, true, true, true]],
    ['about to sleep', closing, ['queue', 'queue', 'queue', 'queue'], [true, true, true, true]],
    ['idle', idle, ['send', 'send', 'send', 'send'], [false, false, false, false]],
    ['about to begin', handedOver, ['queue', 'queue', 'queue', 'queue'], [true, false, true, true]],
    ['running', running, ['queue', 'queue', 'interrupt', 'steer'], [true, false, false, false]],
    ['waiting', waiting, ['queue', 'queue', 'interrupt', 'steer'], [true, false, false, false]],
    ['interrupting', interrupting, ['queue', 'queue', 'interrupt', 'queue'], [true, false, false, true]],
    ['running, unable', unsteerable, ['queue', 'queue', 'queue', 'queue'], [true, false, true, true]],
  ];
  const rows = table.flatMap(([status, make, applied, reasons]) =>
    dispositions.map((disposition, at): [string, Disposition, () => PlayedSession, string, boolean] => [
      status,
      disposition,
      make,
      applied[at] ?? '',
      reasons[at] ?? false,
    ]),
  );
  it.each(rows)('%s, %s', (_, disposition, make, applied, explained) => {
    const played = make();
    const messageId = played.send('words', disposition);
    const queued = played.last('message.queued');
    expect(queued).toMatchObject({ messageId, disposition, applied, position: 1 });
    expect(queued.reason !== null).toBe(explained);
    const handed = played.all('message.sending').some((event) => event.messageId === messageId);
    expect(handed).toBe(applied === 'send' || applied === 'steer');
    expect(texts(played)).toEqual(handed ? [] : ['words']);
    expect(sessionView(played.state).queueLength).toBe(handed ? 0 : 1);
  });

  it.each([
    ['stopped', stopped, 'session_stopped'],
    ['failed', failed, 'session_failed'],
  ])('%s: refused', (_, make, code) => {
    const played = make();
    played.send('words');
    expect(played.refusals.at(-1)?.code).toBe(code);
    expect(played.state.queue).toEqual([]);
  });

  it('interrupt goes to the head, interrupts once, and is delivered after the aborted result', () => {
    const played = running();
    played.send('later');
    const urgent = played.send('now', 'interrupt');
    expect(played.all('turn.interrupting')).toHaveLength(1);
    expect(texts(played)).toEqual(['now', 'later']);
    const second = played.send('no, this', 'interrupt');
    expect(played.last('message.queued').position).toBe(1);
    expect(played.all('turn.interrupting')).toHaveLength(1);
    expect(texts(played)).toEqual(['no, this', 'now', 'later']);
    end(played, 'failed');
    expect(played.last('turn.ended').outcome).toBe('interrupted');
    expect(played.last('message.sending').messageId).toBe(second);
    expect(urgent).not.toBe(second);
  });

  it('a message that wakes a session is sent when the agent is up', () => {
    const played = asleep();
    const messageId = played.send('good morning');
    expect(played.state.status).toBe('starting');
    played.up('run_2');
    expect(played.last('message.sending')).toMatchObject({ messageId, applied: 'send' });
  });
});

describe('[MSG2] the queue', () => {
  const three = () => {
    const played = running();
    const ids = ['a', 'b', 'c'].map((text) => played.send(text));
    return { played, ids };
  };

  it('is first in, first out, with positions from 1', () => {
    const { played } = three();
    expect(queueView(played.state).map(({ message, position }) => [message, position])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
    expect(played.all('message.queued').map((event) => event.position)).toEqual([1, 1, 2, 3]);
  });

  it.each([
    [0, 3, 'bca'],
    [0, 2, 'bac'],
    [0, 1, 'abc'],
    [2, 1, 'cab'],
    [1, 99, 'acb'],
  ])('item %i to position %i: %s', (from, position, order) => {
    const { played, ids } = three();
    const messageId = ids[from] ?? MessageId.parse('none');
    expect(played.command({ type: 'edit-queued', messageId, position, by: person })).toBeUndefined();
    expect(texts(played).join('')).toBe(order);
  });

  it('edit, move and remove', () => {
    const { played, ids } = three();
    const [a, b] = ids;
    if (a === undefined || b === undefined) throw new Error('three were queued');
    played.command({ type: 'edit-queued', messageId: b, message: 'B', position: 1, by: person });
    expect(texts(played)).toEqual(['B', 'a', 'c']);
    played.command({ type: 'remove-queued', messageId: a, by: person });
    expect(texts(played)).toEqual(['B', 'c']);
    expect(played.last('message.removed').cause).toBe('removed');
    end(played);
    expect(played.last('message.sending').messageId).toBe(b);
    played.fact({ type: 'message-taken', messageId: b });
    expect(played.last('message.taken').text).toBe('B');
  });

  it('what is in the agent’s hands can no longer be changed; what was never there is unknown', () => {
    const played = running();
    const messageId = played.send('a');
    end(played);
    expect(played.state.queue[0]?.sending).toBe('send');
    expect(texts(played)).toEqual(['a']);
    expect(played.command({ type: 'edit-queued', messageId, message: 'b', by: person })?.code).toBe(
      'message_already_sent',
    );
    expect(played.command({ type: 'remove-queued', messageId, by: person })?.code).toBe(
      'message_already_sent',
    );
    const unknown = MessageId.parse('constructor');
    expect(played.command({ type: 'edit-queued', messageId: unknown, by: person })?.code).toBe(
      'message_not_found',
    );
    expect(played.command({ type: 'remove-queued', messageId: unknown, by: person })?.code).toBe(
      'message_not_found',
    );
  });

  it('nothing is moved ahead of what is being sent', () => {
    const played = running();
    played.send('a');
    played.send('b');
    const c = played.send('c');
    end(played);
    played.command({ type: 'edit-queued', messageId: c, position: 1, by: person });
    expect(queueView(played.state).map(({ message, sending }) => [message, sending])).toEqual([
      ['a', true],
      ['c', false],
      ['b', false],
    ]);
    played.send('d', 'interrupt');
    expect(texts(played)).toEqual(['a', 'd', 'c', 'b']);
    expect(played.last('message.queued').position).toBe(2);
  });

  it('what was handed over at once takes no place in it', () => {
    const played = handedOver();
    const b = played.send('b');
    const c = played.send('c');
    expect(played.last('message.queued').position).toBe(2);
    played.command({ type: 'edit-queued', messageId: c, position: 1, by: person });
    expect(texts(played)).toEqual(['c', 'b']);
    played.send('d', 'interrupt');
    expect(played.last('message.queued').position).toBe(1);
    expect(texts(played)).toEqual(['d', 'c', 'b']);
    expect(b).not.toBe(c);
  });

  it('a steer that is on its way takes no place in it, either', () => {
    const played = running();
    played.send('a');
    const b = played.send('b');
    played.send('steered', 'steer');
    played.command({ type: 'edit-queued', messageId: b, position: 1, by: person });
    expect(texts(played)).toEqual(['b', 'a']);
    played.send('c', 'interrupt');
    expect(texts(played)).toEqual(['c', 'b', 'a']);
    expect(played.last('message.queued').position).toBe(1);
    played.command({ type: 'edit-queued', messageId: b, position: 3, by: person });
    expect(texts(played)).toEqual(['c', 'a', 'b']);
  });

  it('replace takes the place of all that wait, and of nothing that is being sent', () => {
    const played = running();
    played.send('a');
    played.send('b');
    end(played);
    played.send('c', 'auto', true);
    expect(texts(played)).toEqual(['a', 'c']);
    expect(played.last('message.queued').position).toBe(2);
    expect(played.all('message.removed')).toMatchObject([{ cause: 'replaced' }]);
  });

  it('a refused replacement leaves the queue as it was', () => {
    const { played } = three();
    played.send('   ', 'auto', true);
    expect(played.refusals.at(-1)?.code).toBe('blank_message');
    expect(texts(played)).toEqual(['a', 'b', 'c']);
  });
});

describe('[MSG3] sending', () => {
  it.each(['completed', 'failed', 'interrupted'] as const)(
    'a queued message is sent when the turn has %s',
    (outcome) => {
      const played = running();
      const messageId = played.send('next');
      expect(played.all('message.sending')).toHaveLength(1);
      end(played, outcome);
      expect(played.last('message.sending').messageId).toBe(messageId);
      expect(texts(played)).toEqual(['next']);
      played.fact({ type: 'message-taken', messageId });
      expect(texts(played)).toEqual([]);
    },
  );

  it('one after the other, each when the one before is done', () => {
    const played = running();
    const a = played.send('a');
    const b = played.send('b');
    end(played);
    expect(played.last('message.sending').messageId).toBe(a);
    played.facts({ type: 'message-taken', messageId: a }, { type: 'turn-started' });
    expect(played.last('message.sending').messageId).toBe(a);
    end(played);
    expect(played.last('message.sending').messageId).toBe(b);
  });

  it.each([
    [{ type: 'exited', code: 1, signal: null, stderr: [] }, 'a'],
    [{ type: 'exited', code: null, signal: 'SIGKILL', stderr: [] }, 'a'],
  ] as const)('it comes back to the head if the agent dies before it took it', (exit, first) => {
    const played = running();
    played.send('a');
    played.send('b');
    end(played);
    played.fact(exit);
    expect(texts(played)).toEqual(['a', 'b']);
    expect(queueView(played.state)[0]).toMatchObject({ message: first, sending: false });
    played.up('run_2');
    expect(played.state.queue[0]).toMatchObject({ text: 'a', sending: 'send' });
  });

  it('a message sent at once that comes back is shown in the queue', () => {
    const played = handedOver();
    expect(texts(played)).toEqual([]);
    played.fact({ type: 'exited', code: 1, signal: null, stderr: [] });
    expect(texts(played)).toEqual(['first']);
    played.up('run_2');
    expect(queueView(played.state)).toMatchObject([{ message: 'first', sending: true }]);
  });
});

describe('[MSG4] a message is no answer', () => {
  it.each(['auto', 'queue', 'steer', 'interrupt'] as const)(
    '%s leaves the open interaction open',
    (disposition) => {
      const played = waiting();
      const pending = played.liveIds();
      played.send('yes', disposition);
      expect(played.liveIds()).toEqual(pending);
      expect(played.state.status).toBe('waiting');
      expect(played.all('interaction.decided')).toEqual([]);
    },
  );
});

describe('[MSG5] the same client-made id', () => {
  it('is one message, also after it was sent, removed or given back', () => {
    const played = running();
    played.send('once', 'auto', false, 'client-1');
    played.send('once', 'auto', false, 'client-1');
    expect(played.all('message.queued').filter((event) => event.clientMessageId === 'client-1')).toHaveLength(
      1,
    );
    played.send('another', 'auto', true, 'client-2');
    expect(texts(played)).toEqual(['another']);
    played.send('once', 'auto', true, 'client-1');
    expect(texts(played)).toEqual(['another']);
  });

  it('messages without one are never taken for each other', () => {
    const played = running();
    played.send('same');
    played.send('same');
    expect(texts(played)).toEqual(['same', 'same']);
  });

  it('only so many are held in memory', () => {
    const played = running();
    for (let n = 0; n < 120; n += 1) played.send('x', 'auto', true, `client-${n}`);
    expect(played.state.recentSends).toHaveLength(50);
    expect(played.state.recentSends.at(-1)?.clientMessageId).toBe('client-119');
    expect(JSON.stringify(played.state.recentSends)).not.toContain('"text":"x"');
  });
});

describe('[MSG6] blank and images', () => {
  const image = { imageId: 'img_1', mediaType: 'image/png', bytes: 3 };
  const send = (played: PlayedSession, text: string, images: (typeof image)[]) =>
    played.command({
      type: 'send',
      messageId: MessageId.parse('m-image'),
      text,
      images,
      disposition: 'auto',
      replace: false,
      clientMessageId: null,
      by: person,
    });

  it.each(['', ' ', '\n\t '])('%j is refused', (text) => {
    const played = idle();
    expect(send(played, text, [])?.code).toBe('blank_message');
    expect(played.all('message.queued')).toEqual([]);
  });

  it('an image needs no words, and stays when the words are edited away', () => {
    const played = running();
    expect(send(played, '', [image])).toBeUndefined();
    expect(queueView(played.state)[0]).toMatchObject({ images: 1, message: '' });
    const messageId = MessageId.parse('m-image');
    expect(played.command({ type: 'edit-queued', messageId, message: 'look', by: person })).toBeUndefined();
    expect(played.command({ type: 'edit-queued', messageId, message: '', by: person })).toBeUndefined();
    end(played);
    played.fact({ type: 'message-taken', messageId });
    expect(played.last('message.taken').images).toEqual([image]);
  });

  it('a queued text cannot be edited to nothing', () => {
    const played = running();
    const messageId = played.send('words');
    expect(
      played.command({ type: 'edit-queued', messageId, message: ' ', position: 1, by: person })?.code,
    ).toBe('blank_message');
    expect(texts(played)).toEqual(['words']);
  });
});

describe('[SES3] an agent that ends after each turn', () => {
  it('closes when nothing waits, and wakes for the next message', () => {
    const played = new PlayedSession({ closeAfterTurn: true }).up();
    expect(played.all('process.closing')).toEqual([]);
    played.working();
    played.send('and this');
    end(played);
    expect(played.all('process.closing')).toEqual([]);
    played.fact({ type: 'turn-started' });
    end(played);
    expect(played.last('process.closing').cause).toBe('turn-ended');
    played.send('late');
    played.fact({ type: 'exited', code: 0, signal: null, stderr: [] });
    expect(played.state.wake).toBe('message');
    played.up('run_2');
    expect(played.state.queue[0]?.sending).toBe('send');
  });

  it('stays while a person is asked', () => {
    const played = new PlayedSession({ closeAfterTurn: true }).up().working();
    const id = played.asks(bashAsk('r1', 'ls'));
    end(played);
    expect(played.all('process.closing')).toEqual([]);
    played.respond(id, allow());
    played.command({ type: 'delivered', interactionId: id, ok: true });
    expect(played.last('process.closing').cause).toBe('turn-ended');
  });
});
