import { describe, expect, it } from 'vitest';
import type { Capabilities, QueuedMessage } from '../../src/protocol/session.ts';
import {
  answerOf,
  becameOf,
  blockedBy,
  lastEditable,
  offerOf,
  openQuestionOf,
  placeAfterMove,
} from '../../src/web/composer/composer.logic.ts';
import { mostBytes, refusalOf } from '../../src/web/composer/pictures.ts';
import {
  aField,
  aForm,
  anAgent,
  anInteraction,
  aSession,
  aToolAsk,
  at,
  messageId,
} from './support/samples.ts';

const able: Capabilities = anAgent().capabilities;

describe('what can be sent', () => {
  it('[UI4] says why nothing can: stopped, failed, or not connected', () => {
    expect(blockedBy(aSession({ status: 'stopped' }), 'connected')).toBe('stopped');
    expect(blockedBy(aSession({ status: 'failed' }), 'connected')).toBe('failed');
    expect(blockedBy(aSession({ status: 'failed' }), 'lost')).toBe('disconnected');
    expect(blockedBy(aSession({ status: 'asleep' }), 'connected')).toBeNull();
  });

  it('[MSG1] offers to queue, interrupt and steer while the agent works, as far as it can', () => {
    const busy = { status: 'running', capabilities: able } as const;
    const offered = (changes: Parameters<typeof aSession>[0]) => offerOf(aSession(changes), 'queue');
    expect(offered(busy)).toEqual({
      enter: 'queue',
      modEnter: 'interrupt',
      ways: ['queue', 'interrupt', 'steer'],
    });
    const queueOnly = { enter: 'queue', modEnter: null, ways: ['queue'] };
    expect(offered({ ...busy, capabilities: { ...able, steer: false, interrupt: false } })).toEqual(
      queueOnly,
    );
    expect(offered({ ...busy, interrupting: { since: at(0), overdue: false } })).toEqual(queueOnly);
    expect(offered({ status: 'idle' })).toEqual({ enter: 'send', modEnter: null, ways: [] });
    expect(offered({ status: 'asleep' }).enter).toBe('wake');
  });

  it('[MSG7] Enter interrupts where the session, or else the server, is set so, and only while it can', () => {
    const busy = { status: 'waiting', capabilities: able } as const;
    expect(offerOf(aSession(busy), 'interrupt')).toMatchObject({ enter: 'interrupt', modEnter: 'queue' });
    expect(offerOf(aSession({ ...busy, whileBusy: 'interrupt' }), 'queue').enter).toBe('interrupt');
    expect(offerOf(aSession({ ...busy, whileBusy: 'queue' }), 'interrupt').enter).toBe('queue');
    const dull = { ...able, interrupt: false };
    expect(offerOf(aSession({ ...busy, capabilities: dull }), 'interrupt').enter).toBe('queue');
    expect(offerOf(aSession({ status: 'idle' }), 'interrupt').enter).toBe('send');
    expect(becameOf('queue', 'interrupt', { applied: 'queue' })).toBeNull();
    expect(becameOf('interrupt', 'interrupt', { applied: 'interrupt' })).toBeNull();
  });

  it('[MSG1] tells what became of a message only when it became another', () => {
    expect(becameOf('auto', 'queue', { applied: 'queue', reason: 'busy' })).toBeNull();
    expect(becameOf('auto', 'wake', { applied: 'queue', reason: 'not up yet' })).toBeNull();
    expect(becameOf('auto', 'queue', { applied: 'send' })).toEqual({ applied: 'send', reason: null });
    expect(becameOf('steer', 'queue', { applied: 'queue', reason: 'No turn.' })).toEqual({
      applied: 'queue',
      reason: 'No turn.',
    });
    expect(becameOf('interrupt', 'queue', { applied: 'interrupt' })).toBeNull();
  });
});

describe('a question that a text answers', () => {
  const questions = [
    { question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }], multiSelect: false },
  ];
  const asked = anInteraction({ kind: 'question', questions });

  it('[UI4] is the only one that is open, and asks only one thing', () => {
    expect(openQuestionOf([asked, anInteraction({ id: 'i2' })], 's1')).toBe(asked);
    expect(openQuestionOf([asked], 's2')).toBeUndefined();
    expect(
      openQuestionOf([asked, anInteraction({ id: 'i3', kind: 'question', questions })], 's1'),
    ).toBeUndefined();
    const two = anInteraction({ kind: 'question', questions: [...questions, ...questions] });
    expect(openQuestionOf([two], 's1')).toBeUndefined();
  });

  it('[UI4] is offered, too, for what a tool waits for when any text will do', () => {
    const tool = aToolAsk(aForm([aField('answer')]), { id: 't' });
    expect(openQuestionOf([tool], 's1')).toBe(tool);
    expect(openQuestionOf([tool, asked], 's1')).toBeUndefined();
    const others = [
      aToolAsk(aForm([aField('day', { type: 'date' })])),
      aToolAsk(aForm([aField('a'), aField('b')])),
      aToolAsk(aForm([aField('a')]), { leftOpen: { cause: 'tool' } }),
      aToolAsk(aForm([aField('a')]), { kind: 'approval' }),
    ];
    for (const other of others) expect(openQuestionOf([other], 's1')).toBeUndefined();
  });

  it('[ASK9] is answered with an option that is called so, else with words of one’s own', () => {
    expect(answerOf(asked, 'Blue')).toEqual({ selected: ['Blue'] });
    expect(answerOf(asked, 'Neither')).toEqual({ selected: [], other: 'Neither' });
  });
});

describe('pictures', () => {
  it('[MSG6] are refused when they are none, empty, too many or too large together', () => {
    expect(refusalOf([], { type: 'image/svg+xml', size: 10 })).toBe('not-a-picture');
    expect(refusalOf([], { type: 'image/png', size: 0 })).toBe('empty');
    expect(refusalOf([], { type: 'image/png', size: 10 })).toBeNull();
    expect(refusalOf(Array(20).fill({ bytes: 1 }), { type: 'image/png', size: 1 })).toBe('too-many');
    expect(refusalOf([{ bytes: mostBytes }], { type: 'image/png', size: 1 })).toBe('too-large');
  });

  it('[MSG6] of the largest size that is taken fit into a body, with the text', () => {
    expect(Math.ceil(mostBytes / 3) * 4).toBeLessThan(32_000_000 - 1_000_000);
  });
});

describe('the queue', () => {
  const item = (id: string, position: number, sending = false): QueuedMessage => ({
    messageId: messageId(id),
    message: id,
    position,
    disposition: 'auto',
    createdAt: at(position),
    images: 0,
    sending,
  });
  const queue = [item('a', 1, true), item('b', 2), item('c', 3)];

  it('[MSG2] is reordered only among what has not been handed over', () => {
    expect(placeAfterMove(queue, 'c', -1)).toBe(2);
    expect(placeAfterMove(queue, 'b', -1)).toBeUndefined();
    expect(placeAfterMove(queue, 'b', 1)).toBe(3);
    expect(placeAfterMove(queue, 'c', 1)).toBeUndefined();
    expect(placeAfterMove(queue, 'a', 1)).toBeUndefined();
  });

  it('[UI4] gives the last that can still be changed to who wants to edit it', () => {
    expect(lastEditable(queue)?.messageId).toBe('c');
    expect(lastEditable([item('a', 1, true)])).toBeUndefined();
  });
});
