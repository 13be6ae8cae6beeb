import { describe, expect, it } from 'vitest';
import { endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

describe('[MSG1] the reply says what was asked, what was applied, and why they differ', () => {
  it('idle: sent, whatever the disposition', async () => {
    for (const disposition of ['auto', 'queue', 'interrupt', 'steer'] as const) {
      const room = await openRoom();
      const [id, agent] = await room.idle();
      const reply = await room.do('sendMessage', { session: id, message: 'hello', disposition });
      expect(reply).toEqual({
        status: 200,
        body: { status: 'sent', messageId: expect.any(String), requested: disposition, applied: 'send' },
      });
      expect(agent.sent()).toMatchObject([{ text: 'hello', messageId: reply.body.messageId }]);
    }
  });

  it('busy: queued, interrupting, steering', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const send = (message: string, disposition?: string) =>
      room.do('sendMessage', { session: id, message, ...(disposition === undefined ? {} : { disposition }) });
    expect(await send('a')).toMatchObject({
      status: 202,
      body: {
        status: 'queued',
        position: 1,
        requested: 'auto',
        applied: 'queue',
        reason: expect.stringContaining('busy'),
      },
    });
    const explicit = await send('b', 'queue');
    expect(explicit).toMatchObject({
      status: 202,
      body: { position: 2, requested: 'queue', applied: 'queue' },
    });
    expect(explicit.body).not.toHaveProperty('reason');
    expect(await send('c', 'steer')).toMatchObject({
      status: 200,
      body: { status: 'sent', applied: 'steer' },
    });
    expect(await send('d', 'interrupt')).toMatchObject({
      status: 202,
      body: { position: 1, applied: 'interrupt' },
    });
    expect(agent.kinds()).toEqual(['send', 'send', 'interrupt']);
    expect(agent.written[1]).toMatchObject({ how: 'steer', message: { text: 'c' } });
    expect(await room.queue(id)).toEqual(['d', 'a', 'b']);
    const steered = agent.sent()[1]?.messageId;
    if (steered === undefined) throw new Error('It was steered');
    agent.report({ type: 'message-taken', messageId: steered });
    agent.end('failed');
    await room.until('the next', () => agent.sent()[2]);
    expect(agent.sent()[2]).toMatchObject({ text: 'd' });
    expect(room.all(id, 'turn.ended')).toMatchObject([{ outcome: 'interrupted' }]);
  });

  it('starting: queued, and sent when the agent is up', async () => {
    const room = await openRoom();
    const { id } = await room.create();
    expect(await room.do('sendMessage', { session: id, message: 'hello' })).toMatchObject({
      status: 202,
      body: { applied: 'queue', reason: expect.stringContaining('not running yet') },
    });
    await room.event(id, 'process.starting');
    room.driver.agent(id).ready();
    await room.until('the message', () => room.driver.agent(id).sent()[0]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ message: ' \n' }, 'blank_message'],
    [{}, 'malformed_request'],
    [{ message: 5 }, 'malformed_request'],
    [{ message: 'x', disposition: 'now' }, 'invalid_value'],
    [{ message: 'x', images: [{ mediaType: 'image/svg+xml', data: 'AAAA' }] }, 'invalid_value'],
    [{ message: 'x', images: [{ mediaType: 'image/png', data: 'no base64!' }] }, 'invalid_value'],
  ])('%j is refused: %s', async (input, code) => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    expect((await room.refused('sendMessage', { session: id, ...input })).code).toBe(code);
    expect(agent.sent()).toEqual([]);
  });
});

describe('[MSG2] the queue, for everyone', () => {
  it('is edited, moved, emptied; each reply is the queue, and each change is told', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const ids: unknown[] = [];
    for (const message of ['a', 'b', 'c'])
      ids.push((await room.do('sendMessage', { session: id, message })).body.messageId);
    const [a, b, c] = ids;
    const texts = (reply: { body: Record<string, unknown> }) =>
      (reply.body.queue as { message: string; position: number }[])
        .map((item) => `${item.position}${item.message}`)
        .join(' ');
    expect(texts(await room.do('patchQueued', { session: id, messageId: c, position: 1 }))).toBe('1c 2a 3b');
    expect(texts(await room.do('patchQueued', { session: id, messageId: b, message: 'B' }))).toBe('1c 2a 3B');
    expect(texts(await room.do('removeQueued', { session: id, messageId: a }))).toBe('1c 2B');
    expect(texts(await room.do('getQueue', { session: id }))).toBe('1c 2B');
    const told = room.news.flatMap((news) =>
      news.kind === 'announcement' && news.announcement.type.startsWith('message-')
        ? [news.announcement.type]
        : [],
    );
    expect(told.slice(-6)).toEqual([
      'message-queued',
      'message-queued',
      'message-queued',
      'message-updated',
      'message-updated',
      'message-removed',
    ]);
    expect(room.announcements('message-removed').at(-1)?.data).toMatchObject({
      message: 'a',
      queue: [{ message: 'c' }, { message: 'B' }],
    });
    expect((await room.refused('patchQueued', { session: id, messageId: a, message: 'x' })).code).toBe(
      'message_not_found',
    );
    expect((await room.refused('patchQueued', { session: id, messageId: b, message: ' ' })).code).toBe(
      'blank_message',
    );
    expect((await room.refused('patchQueued', { session: id, messageId: b, position: 0 })).code).toBe(
      'invalid_value',
    );
  });

  it('[MSG3] what is sent can no longer be changed, before and after the agent took it', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const { messageId } = (await room.do('sendMessage', { session: id, message: 'a' })).body;
    agent.end();
    await room.until('it is sent', () => agent.sent()[1]);
    expect(await room.queue(id)).toEqual(['a']);
    expect((await room.refused('removeQueued', { session: id, messageId })).code).toBe(
      'message_already_sent',
    );
    agent.begin();
    await room.event(id, 'message.taken', (event) => event.messageId === messageId);
    expect(await room.queue(id)).toEqual([]);
    expect(room.announcements('message-sent').at(-1)?.data).toMatchObject({
      messageId,
      message: 'a',
      queue: [],
    });
    expect((await room.refused('patchQueued', { session: id, messageId, message: 'x' })).code).toBe(
      'message_already_sent',
    );
    expect((await room.refused('removeQueued', { session: id, messageId })).code).toBe(
      'message_already_sent',
    );
  });

  it('a message that comes in the tick in which a turn ends does not pass those who wait', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    await room.do('sendMessage', { session: id, message: 'first' });
    agent.end();
    const reply = await room.do('sendMessage', { session: id, message: 'second' });
    expect(reply).toMatchObject({ status: 202, body: { applied: 'queue' } });
    expect(agent.sent().at(-1)).toMatchObject({ text: 'first' });
  });

  it('replace takes the place of what waits', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await room.do('sendMessage', { session: id, message: 'a' });
    await room.do('sendMessage', { session: id, message: 'b' });
    const reply = await room.do('sendMessage', { session: id, message: 'c', replace: true });
    expect(reply.body).toMatchObject({ position: 1 });
    expect(await room.queue(id)).toEqual(['c']);
  });

  it('[MSG3] only one is with the agent at a time, however its signs are spread', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    for (const message of ['a', 'b', 'c']) await room.do('sendMessage', { session: id, message });
    for (const expected of ['a', 'b', 'c']) {
      await room.until(`${expected} is sent`, () => agent.sent().at(-1)?.text === expected);
      const messageId = agent.sent().at(-1)?.messageId;
      if (messageId === undefined) throw new Error('It was sent');
      agent.report({ type: 'message-taken', messageId });
      await room.drained(id);
      expect(agent.sent().at(-1)?.text).toBe(expected);
      agent.report({ type: 'turn-started' });
      await room.drained(id);
      expect(agent.sent().at(-1)?.text).toBe(expected);
      agent.end();
    }
    await room.until('the last turn', () => room.all(id, 'turn.ended').length === 3);
    expect(room.all(id, 'turn.started').map((event) => event.messageId)).toEqual(
      agent.sent().map((message) => message.messageId),
    );
  });

  it('the end of a turn, the sign of a steer and its own turn in one read send nothing in between', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    await room.do('sendMessage', { session: id, message: 'left', disposition: 'steer' });
    await room.do('sendMessage', { session: id, message: 'later' });
    const messageId = agent.sent()[1]?.messageId;
    if (messageId === undefined) throw new Error('It was steered');
    agent.report(
      { type: 'turn-ended', outcome: 'completed' },
      { type: 'message-taken', messageId },
      { type: 'turn-started' },
    );
    await room.drained(id);
    expect(agent.sent().map((message) => message.text)).toEqual(['go on', 'left']);
    expect(await room.queue(id)).toEqual(['later']);
  });

  it('[ASK5] nothing is written before it is stored', async () => {
    const room = await openRoom();
    const stored: boolean[] = [];
    room.driver.onWrite = (written, agent) => {
      if (written.kind === 'send') {
        stored.push(
          room
            .all(agent.start.sessionId, 'message.sending')
            .some((event) => event.messageId === written.message.messageId),
        );
      }
      if (written.kind === 'interrupt')
        stored.push(room.all(agent.start.sessionId, 'turn.interrupting').length === 1);
      if (written.kind === 'close')
        stored.push(room.all(agent.start.sessionId, 'process.closing').length === 1);
    };
    room.driver.onStart = ({ sessionId, processId }) => {
      stored.push(room.all(sessionId, 'process.starting').some((event) => event.processId === processId));
    };
    const [id] = await room.running();
    await room.do('sendMessage', { session: id, message: 'now', disposition: 'interrupt' });
    await room.do('stop', { session: id });
    expect(stored).toEqual([true, true, true, true]);
  });
});

describe('[MSG4] a message is no answer', () => {
  it('also if it says yes', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    for (const disposition of ['auto', 'queue', 'steer'])
      await room.do('sendMessage', { session: id, message: 'yes', disposition });
    expect(await room.interaction(id, interactionId)).toMatchObject({ status: 'open' });
    expect(agent.answers()).toEqual([]);
  });
});

describe('[MSG5] the same client-made id', () => {
  it('at once and later gives the same reply and one message', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    const send = () => room.do('sendMessage', { session: id, message: 'once', clientMessageId: 'mine' });
    const [first, second] = await Promise.all([send(), send()]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ status: 200 });
    expect(await send()).toEqual(first);
    agent.begin();
    agent.end();
    await room.event(id, 'turn.ended');
    expect(await send()).toEqual(first);
    expect(agent.sent()).toHaveLength(1);
    await room.do('stop', { session: id });
    expect(await send()).toEqual(first);
  });

  it('is known from the log when memory has forgotten it', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const first = await room.do('sendMessage', { session: id, message: 'x', clientMessageId: 'mine' });
    for (let n = 0; n < 60; n += 1) {
      await room.do('sendMessage', { session: id, message: 'x', clientMessageId: `n${n}`, replace: true });
    }
    expect(await room.do('sendMessage', { session: id, message: 'x', clientMessageId: 'mine' })).toEqual(
      first,
    );
    expect(room.all(id, 'message.queued').filter((event) => event.clientMessageId === 'mine')).toHaveLength(
      1,
    );
  });

  it('belongs to its session', async () => {
    const room = await openRoom();
    const [one, oneAgent] = await room.idle();
    const [two, twoAgent] = await room.idle();
    for (const session of [one, two])
      await room.do('sendMessage', { session, message: 'x', clientMessageId: 'mine' });
    expect([oneAgent.sent().length, twoAgent.sent().length]).toEqual([1, 1]);
  });
});

describe('[MSG6] images', () => {
  const png = Buffer.from([137, 80, 78, 71]).toString('base64');

  it('reach the agent as they were sent, also after they waited, and can be looked at', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    await room.do('sendMessage', {
      session: id,
      message: '',
      images: [{ mediaType: 'image/png', data: png }],
    });
    agent.end();
    await room.until('it is sent', () => agent.sent()[1]);
    expect(agent.sent()[1]).toMatchObject({ text: '', images: [{ mediaType: 'image/png', data: png }] });
    const imageId = room.all(id, 'message.queued').at(-1)?.images[0]?.imageId ?? '';
    expect(room.engine.image(id, imageId)).toMatchObject({ ok: true, value: { mediaType: 'image/png' } });
    expect(room.engine.image(id, 'none')).toMatchObject({ ok: false, refusal: { code: 'image_not_found' } });
  });

  it('of a tool’s result are stored apart and referred to', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    agent.report({
      type: 'said',
      event: { type: 'tool.result', toolCallId: 't', isError: false, text: '' },
      images: [{ mediaType: 'image/png', data: png }],
    });
    const { images } = await room.event(id, 'tool.result');
    expect(images).toMatchObject([{ mediaType: 'image/png', bytes: 4 }]);
    const found = room.engine.image(id, images?.[0]?.imageId ?? '');
    expect(found.ok && Buffer.from(found.value.data).toString('base64')).toBe(png);
  });
});

describe('[SES5] interrupt', () => {
  it('is acknowledged at once, written once, and offers more after three seconds', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const [one, two] = await Promise.all([
      room.do('interrupt', { session: id }),
      room.do('interrupt', { session: id }),
    ]);
    expect([one.body, two.body]).toEqual([{ status: 'ok' }, { status: 'ok' }]);
    expect(agent.kinds().filter((kind) => kind === 'interrupt')).toHaveLength(1);
    expect((await room.session(id)).interrupting).toEqual({ since: room.clock.now(), overdue: false });
    room.clock.pass(2999);
    await room.drained(id);
    expect((await room.session(id)).interrupting?.overdue).toBe(false);
    room.clock.pass(1);
    await room.event(id, 'turn.overdue');
    expect((await room.session(id)).interrupting?.overdue).toBe(true);
    expect(room.announcements('session-updated').at(-1)).toMatchObject({
      data: { interrupting: { overdue: true } },
    });
    agent.end('failed');
    expect(await room.event(id, 'turn.ended')).toMatchObject({ outcome: 'interrupted' });
    expect(await room.session(id)).toMatchObject({ status: 'idle', interrupting: null });
  });

  it('a turn that ends in time is never overdue', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const armed = room.clock.armed;
    await room.do('interrupt', { session: id });
    expect(room.clock.armed).toBe(armed + 1);
    agent.end('interrupted');
    await room.event(id, 'turn.ended');
    expect(room.clock.armed).toBe(armed);
    room.clock.pass(5000);
    await room.drained(id);
    expect(room.all(id, 'turn.overdue')).toEqual([]);
  });

  it('deny and interrupt is bounded, too, and is not sent twice', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    await room.do('deny', { session: id, requestId: interactionId, interrupt: true });
    expect((await room.session(id)).interrupting).not.toBeNull();
    expect(agent.kinds()).not.toContain('interrupt');
    room.clock.pass(3000);
    await room.event(id, 'turn.overdue');
  });

  it('an agent that does not acknowledge is noted, and nothing breaks', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    agent.writesFail = true;
    await room.do('interrupt', { session: id });
    await room.drained(id);
    expect(room.complaints.join()).toContain('did not acknowledge');
  });

  it('without a turn: refused', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    expect((await room.refused('interrupt', { session: id })).code).toBe('no_turn_running');
    expect(await room.engine.dispatch('interrupt', { session: 'nobody' }, person)).toMatchObject({
      ok: false,
      refusal: { code: 'session_not_found' },
    });
  });
});
