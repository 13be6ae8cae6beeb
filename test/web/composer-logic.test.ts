import { describe, expect, it } from 'vitest';
import type { Capabilities, QueuedMessage } from '../../src/protocol/session.ts';
import {
  answerOf,
  becameOf,
  blockedBy,
  currentQuestion,
  lastEditable,
  offerOf,
  openQuestionsOf,
  placeAfterMove,
  type Standing,
} from '../../src/web/composer/composer.logic.ts';
import { mostBytes, refusalOf } from '../../src/web/composer/pictures.ts';
import { faceOf } from '../../src/web/interaction/answers-to.ts';
import { type CardDraft, emptyDraft } from '../../src/web/interaction/draft.logic.ts';
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

describe('questions that a text answers', () => {
  const colour = { question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }], multiSelect: false };
  const several = { ...colour, question: 'Which ones?', multiSelect: true };
  const why = { question: 'Why?', options: [], multiSelect: false };
  const asked = anInteraction({ kind: 'question', questions: [colour] });
  const all = anInteraction({ id: 'i2', kind: 'question', questions: [colour, several, why] });
  const places = (pending: Parameters<typeof openQuestionsOf>[0], session = 's1') =>
    openQuestionsOf(pending, session).map(({ interaction, at }) => [interaction.interactionId, at]);

  it('[UI4] [UI31] are all that are open in its session, in their order', () => {
    expect(places([asked, anInteraction({ id: 'i3' }), all])).toEqual([
      ['i1', 0],
      ['i2', 0],
      ['i2', 1],
      ['i2', 2],
    ]);
    expect(places([asked], 's2')).toEqual([]);
  });

  it('[UI4] are, too, what a tool waits for when any text will do', () => {
    const tool = aToolAsk(aForm([aField('answer')]), { id: 't' });
    expect(places([tool, asked])).toEqual([
      ['t', 0],
      ['i1', 0],
    ]);
    const others = [
      aToolAsk(aForm([aField('day', { type: 'date' })])),
      aToolAsk(aForm([aField('a'), aField('b')])),
      aToolAsk(aForm([aField('a')]), { leftOpen: { cause: 'tool' } }),
      aToolAsk(aForm([aField('a')]), { kind: 'approval' }),
    ];
    for (const other of others) expect(places([other])).toEqual([]);
  });

  it('[ASK9] [UI31] are answered with options that are called so or have this number, else with words of one’s own', () => {
    const own = (other: string) => ({ selected: [], isOther: true, other });
    const chosen = (...selected: string[]) => ({ selected, isOther: false, other: '' });
    expect(answerOf(colour, 'Blue', true)).toEqual(chosen('Blue'));
    expect(answerOf(colour, ' blue ', true)).toEqual(chosen('Blue'));
    expect(answerOf(colour, '2', true)).toEqual(chosen('Blue'));
    expect(answerOf(colour, '2', false)).toEqual(own('2'));
    expect(answerOf(colour, '3', true)).toEqual(own('3'));
    expect(answerOf(colour, '1, 2', true)).toEqual(own('1, 2'));
    expect(answerOf(colour, 'Neither', true)).toEqual(own('Neither'));
    expect(answerOf(several, '2, red, 1', true)).toEqual(chosen('Blue', 'Red'));
    expect(answerOf(several, 'Red, and green', true)).toEqual({
      selected: ['Red'],
      isOther: true,
      other: 'and green',
    });
    const numbers = { ...colour, options: [{ label: '2' }, { label: '1' }] };
    expect(answerOf(numbers, '2', true)).toEqual(chosen('2'));
  });

  it('[UI31] [UI17] are gone through from the first that is not answered; what is being written is moved to no other', () => {
    const questions = openQuestionsOf([all], 's1');
    const drafted = (...texts: string[]) => ({
      ...emptyDraft,
      answers: texts.map((other) => ({ selected: [], isOther: other !== '', other })),
    });
    const at = (draft: CardDraft, standing?: Omit<Standing, 'face'>, hasDraft = false) =>
      currentQuestion(questions, standing && { face: faceOf(all), ...standing }, () => draft, hasDraft)?.at;
    expect(at(emptyDraft)).toBe(0);
    expect(at(drafted('a'))).toBe(1);
    expect(at(drafted('a', '', 'c'))).toBe(1);
    expect(at(drafted('a', 'b', 'c'))).toBe(0);
    // One stands there, and has emptied the field.
    expect(at(drafted('a', 'b'), { at: 0, drafted: 'a' })).toBe(0);
    // It was answered on its card meanwhile.
    expect(at(drafted('a', 'b'), { at: 1, drafted: '' })).toBe(2);
    expect(at(drafted('a', 'b'), { at: 1, drafted: '' }, true)).toBe(1);
    expect(currentQuestion([], undefined, () => emptyDraft, true)).toBeUndefined();
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
