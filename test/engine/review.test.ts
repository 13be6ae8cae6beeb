import { describe, expect, it } from 'vitest';
import type { ReviewComment, SeenMark } from '../../src/protocol/review.ts';
import { longestComment } from '../../src/protocol/review-limit.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, other, person } from '../support/engine-room.ts';
import { takeOver } from '../support/take-over.ts';

endRoomsAfterEach();

const place = {
  path: 'src/app.ts',
  side: 'after',
  from: 2,
  to: 3,
  point: 'a'.repeat(40),
  quote: 'one\ntwo',
} as const;

const add = async (
  room: EngineRoom,
  session: string,
  text: string,
  more: Record<string, unknown> = {},
): Promise<ReviewComment> =>
  (await room.do('addComment', { session, ...place, text, ...more })).body.comment as ReviewComment;
const drafts = async (room: EngineRoom, session: string): Promise<ReviewComment[]> =>
  (await room.do('getReview', { session })).body.comments as ReviewComment[];
const texts = async (room: EngineRoom, session: string): Promise<string[]> =>
  (await drafts(room, session)).map(({ text }) => text);
const shown = (...comments: readonly ReviewComment[]) =>
  comments.map(({ commentId, revision }) => ({ commentId, shown: revision }));

describe('[CHG32] comments on changes are drafts of their session', () => {
  it('that are edited and removed, on whichever device, after a kill, too', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const first = await add(room, id, 'Why?');
    expect(first).toEqual({
      ...place,
      commentId: expect.any(String),
      text: 'Why?',
      revision: expect.any(Number),
      createdAt: room.clock.now(),
      by: person.actor,
    });
    const second = await add(room, id, 'Rename this.', { from: 9, to: 9, quote: 'x', isQuoteCut: true });
    await add(room, id, 'Nonsense');
    const [, , third] = await drafts(room, id);
    const edited = await room.do('editComment', {
      session: id,
      commentId: first.commentId,
      text: 'Why so?',
      shown: first.revision,
    });
    expect(edited.body.comment).toMatchObject({ ...place, text: 'Why so?' });
    await room.do('removeComment', { session: id, commentId: third?.commentId, shown: third?.revision });
    const told = room.announcements('session-updated').flatMap(({ data }) => data.review ?? []);
    expect(told.map(({ comments }) => comments)).toEqual([1, 2, 3, 3, 2]);
    expect(new Set(told.map(({ revision }) => revision)).size).toBe(5);
    const next = await takeOver(room, [id]);
    expect(await drafts(next, id)).toEqual([edited.body.comment, second]);
    expect((await next.session(id)).review).toEqual(told.at(-1));
  });

  it('an edit or a removal of what was not shown is refused, with the comment as it is', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const comment = await add(room, id, 'mine');
    const edit = { session: id, commentId: comment.commentId, shown: comment.revision };
    const { comment: now } = (await room.do('editComment', { ...edit, text: 'theirs' }, other)).body;
    expect(await room.refused('editComment', { ...edit, text: 'mine again' })).toMatchObject({
      code: 'comment_changed',
      details: { comment: now },
    });
    expect((await room.refused('removeComment', edit)).code).toBe('comment_changed');
    expect(await texts(room, id)).toEqual(['theirs']);
    const gone = { session: id, commentId: 'com_none', shown: 1 };
    expect((await room.refused('editComment', { ...gone, text: 'x' })).code).toBe('comment_not_found');
    expect((await room.refused('removeComment', gone)).code).toBe('comment_not_found');
  });

  it('the same client-made id is the same comment, and one that is gone is not made again', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const commentId = 'com_mine-1';
    const both = await Promise.all([
      add(room, id, 'once', { commentId }),
      add(room, id, 'once', { commentId }),
    ]);
    expect(both[0]).toEqual(both[1]);
    expect(await drafts(room, id)).toEqual([both[0]]);
    await room.do('sendComments', { session: id, comments: shown(both[0]) });
    const again = { session: id, ...place, text: 'once', commentId };
    expect((await room.refused('addComment', again)).code).toBe('comment_changed');
    expect(await drafts(room, id)).toEqual([]);
  });

  it('are bounded, each and all of them', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const long = 'x'.repeat(longestComment);
    const quote = 'q'.repeat(4000);
    for (const [field, value] of [
      ['text', `${long}x`],
      ['text', ' \n'],
      ['quote', `${quote}q`],
      ['from', 0],
      ['to', 1],
      ['point', 'HEAD'],
      ['path', 'a\nb'],
      ['path', 'a\u2028b'],
    ] as const) {
      const refusal = await room.refused('addComment', { session: id, ...place, text: 'x', [field]: value });
      expect(refusal, field).toMatchObject({ code: 'invalid_value', details: { field } });
    }
    for (let count = 0; count < 41; count += 1) await add(room, id, long, { quote });
    const one = { session: id, ...place, text: long, quote };
    expect((await room.refused('addComment', one)).code).toBe('too_many_comments');
    const [first] = await drafts(room, id);
    await room.do('editComment', {
      session: id,
      commentId: first?.commentId,
      shown: first?.revision,
      text: 'x',
    });
    await add(room, id, 'y'.repeat(18_000), { quote: '' });
    const [short] = await drafts(room, id);
    const longer = { session: id, commentId: short?.commentId, shown: short?.revision, text: long };
    expect((await room.refused('editComment', longer)).code).toBe('too_many_comments');

    const [many] = await room.idle();
    for (let count = 0; count < 500; count += 1) await add(room, many, 'x');
    expect((await room.refused('addComment', { session: many, ...place, text: 'x' })).code).toBe(
      'too_many_comments',
    );
  });
});

describe('[CHG33] comments are sent as one message, once', () => {
  it('with those that were chosen, by file and line; the others stay', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    const last = await add(room, id, 'last', { path: 'src/b.ts' });
    const later = await add(room, id, 'later', { from: 9, to: 9 });
    const kept = await add(room, id, 'not yet');
    const early = await add(room, id, 'early', { side: 'before', from: 1, to: 1 });
    const comments = shown(last, later, early).map((one) => ({
      ...one,
      isOutdated: one.commentId === later.commentId,
    }));
    const reply = await room.do('sendComments', { session: id, comments, remark: 'All in all fine.' });
    expect(reply).toMatchObject({ status: 200, body: { status: 'sent', applied: 'send' } });
    const [sent] = agent.sent();
    expect(sent?.text.split('\n').filter((line) => /^\d\. /.test(line))).toEqual([
      '1. src/app.ts:1 (before)',
      '2. src/app.ts:9 (after; these lines have changed since)',
      '3. src/b.ts:2-3 (after)',
    ]);
    expect(sent?.text).toMatch(/^All in all fine\.\n\n3 comments/);
    expect(await drafts(room, id)).toEqual([kept]);
    expect(room.all(id, 'message.queued').at(-1)).toMatchObject({
      messageId: reply.body.messageId,
      text: sent?.text,
      review: { remark: 'All in all fine.', comments: [early, later, last] },
    });
  });

  it('two at once, and the same again after a kill: one message', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    const comments = shown(await add(room, id, 'a'), await add(room, id, 'b'));
    const send = { session: id, comments, clientMessageId: 'mine' };
    const results = await Promise.all([
      room.engine.dispatch('sendComments', send, person),
      room.engine.dispatch('sendComments', send, person),
      room.engine.dispatch('sendComments', { session: id, comments }, other),
    ]);
    expect(results.map((result) => (result.ok ? result.value.body.status : result.refusal.code))).toEqual([
      'sent',
      'sent',
      'comment_changed',
    ]);
    expect(agent.sent()).toHaveLength(1);
    const next = await takeOver(room, [id]);
    const [first] = results;
    expect(await next.do('sendComments', send)).toEqual(first.ok && first.value);
    expect((await next.refused('sendComments', { session: id, comments })).code).toBe('comment_changed');
    expect(next.all(id, 'message.queued')).toHaveLength(1);
  });

  it('nothing is sent where one of them was edited or removed meanwhile, and it is said which', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    const [kept, edited, removed] = [
      await add(room, id, 'a'),
      await add(room, id, 'b'),
      await add(room, id, 'c'),
    ];
    const { commentId, revision } = edited;
    await room.do('editComment', { session: id, commentId, shown: revision, text: 'B' }, other);
    await room.do('removeComment', { session: id, commentId: removed.commentId, shown: removed.revision });
    expect(
      await room.refused('sendComments', { session: id, comments: shown(kept, edited, removed) }),
    ).toMatchObject({
      code: 'comment_changed',
      details: { comments: [edited.commentId, removed.commentId] },
    });
    expect(agent.sent()).toEqual([]);
    expect(await texts(room, id)).toEqual(['a', 'B']);
  });

  it('to an agent that is busy, as messages are: queued, steered, interrupting', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const send = async (disposition: string) =>
      room.do('sendComments', { session: id, comments: shown(await add(room, id, 'x')), disposition });
    expect(await send('auto')).toMatchObject({
      status: 202,
      body: { status: 'queued', applied: 'queue', reason: expect.stringContaining('busy') },
    });
    expect(await send('steer')).toMatchObject({ status: 200, body: { applied: 'steer' } });
    expect(await send('interrupt')).toMatchObject({ status: 202, body: { applied: 'interrupt' } });
    expect(agent.sent()).toHaveLength(2);
  });

  it('to a session that has ended: refused in plain words, and the drafts stay', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const comment = await add(room, id, 'late');
    await room.do('stop', { session: id });
    const refusal = await room.refused('sendComments', { session: id, comments: shown(comment) });
    expect(refusal).toMatchObject({ code: 'session_stopped', message: expect.stringContaining('resume') });
    await add(room, id, 'even later');
    expect(await texts(room, id)).toEqual(['late', 'even later']);
  });

  it('without a comment, or with what nobody has shown, nothing is sent', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    expect((await room.refused('sendComments', { session: id, comments: [] })).code).toBe('invalid_value');
    const comments = [{ commentId: 'com_none', shown: 1 }];
    expect((await room.refused('sendComments', { session: id, comments })).code).toBe('comment_changed');
  });
});

describe('[CHG35] comments of a message that the agent never got are drafts again', () => {
  it('when it is taken out of the queue, replaced, or given back by a stop', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const queued = async (text: string, remark = ''): Promise<unknown> => {
      const comments = shown(await add(room, id, text));
      return (await room.do('sendComments', { session: id, comments, remark })).body.messageId;
    };
    await room.do('removeQueued', { session: id, messageId: await queued('removed') });
    expect(await texts(room, id)).toEqual(['removed']);
    await queued('replaced');
    await room.do('sendMessage', { session: id, message: 'instead', replace: true });
    expect(await texts(room, id)).toEqual(['removed', 'replaced']);
    await queued('returned', 'on the whole');
    const edited = await queued('edited');
    await room.do('patchQueued', { session: id, messageId: edited, message: 'only a text now' });
    const { body } = await room.do('stop', { session: id });
    expect(body.returned).toEqual(['instead', 'on the whole', 'only a text now']);
    expect(await texts(room, id)).toEqual(['removed', 'replaced', 'returned']);
    const next = await takeOver(room, []);
    expect(await texts(next, id)).toEqual(['removed', 'replaced', 'returned']);
  });
});

describe('[CHG37] files that were seen', () => {
  it('are marked with what they held, by file, for every device, after a kill, too', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const mark = (marks: readonly SeenMark[], seen = true) =>
      room.do('markSeen', { session: id, marks, seen });
    const seen = async (of = room) => (await of.do('getReview', { session: id })).body.seen;
    await mark([
      { path: 'a', content: '1' },
      { path: 'b', content: null },
      { path: 'c', content: '3' },
    ]);
    await mark([{ path: 'a', content: '2' }]);
    await mark([{ path: 'c', content: null }], false);
    const count = room.events(id).length;
    await mark([{ path: 'a', content: '2' }]);
    await mark([{ path: 'c', content: '3' }], false);
    expect(room.events(id)).toHaveLength(count);
    const marks = [
      { path: 'b', content: null },
      { path: 'a', content: '2' },
    ];
    expect(await seen()).toEqual(marks);
    expect(await seen(await takeOver(room, [id]))).toEqual(marks);
  });

  it('are at most five thousand: the oldest marks go', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const marks = Array.from({ length: 5000 }, (_, at) => ({ path: `f${at}`, content: 'x' }));
    await room.do('markSeen', { session: id, marks, seen: true });
    await room.do('markSeen', { session: id, marks: [{ path: 'new', content: 'x' }], seen: true });
    const seen = (await room.do('getReview', { session: id })).body.seen as SeenMark[];
    expect([seen.length, seen[0]?.path, seen.at(-1)?.path]).toEqual([5000, 'f1', 'new']);
  });
});
