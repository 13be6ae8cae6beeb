import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConnectionState, RoomSnapshot, Transport } from '../../src/client/index.ts';
import type { Announcement } from '../../src/protocol/announcement.ts';
import type { Delta, Event } from '../../src/protocol/event.ts';
import { type EngineRoom, openRoom } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';

export interface OpenTransport {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** What every transport does, whatever lies between a program and the control room. */
export function transportContract(name: string, open: (room: EngineRoom) => Promise<OpenTransport>): void {
  describe(`[API2] ${name}`, () => {
    let room: EngineRoom;
    let opened: OpenTransport;
    let transport: Transport;
    const ends: (() => void)[] = [];

    beforeEach(async () => {
      room = await openRoom();
      opened = await open(room);
      transport = opened.transport;
    });

    afterEach(async () => {
      for (const end of ends.splice(0)) end();
      await opened.close();
      await room.end();
    });

    const refusal = (call: Promise<unknown>) =>
      call.then(
        () => expect.fail('was not refused'),
        (error: unknown) => error,
      );

    it('creates, lists, changes and finds a session by id and by key', async () => {
      const created = await transport.createSession({
        agent: 'demo',
        key: 'task-7',
        title: 'First',
        labels: ['a'],
      });
      expect(created).toMatchObject({ key: 'task-7', title: 'First', labels: ['a'], status: 'starting' });
      expect(await transport.session('task-7')).toMatchObject({ id: created.id });
      expect(await transport.patch(created.id, { title: 'Second' })).toMatchObject({ title: 'Second' });
      expect((await transport.sessions()).map((session) => session.title)).toEqual(['Second']);
      expect(await transport.agents()).toMatchObject([{ name: 'demo', available: true }]);
      expect(await transport.tools()).toEqual({ tools: [], problems: [] });
    });

    it('tells the commands of an agent, to those who ask and to those who follow', async () => {
      const [id, agent] = await room.idle();
      expect(await transport.agentCommands(id)).toEqual([]);
      const commands = [{ name: 'review', description: 'Looks at a change', hint: '<branch>' }];
      agent.report({ type: 'commands-changed', commands });
      await room.event(id, 'commands.changed');
      expect(await transport.agentCommands(id)).toEqual(commands);
      const snapshot = await new Promise((resolve) => {
        ends.push(transport.follow(id, { onSnapshot: resolve }));
      });
      expect(snapshot).toMatchObject({ session: { id }, commands });
      expect(await refusal(transport.agentCommands('nobody'))).toMatchObject({ code: 'session_not_found' });
    });

    it('sends, queues, edits and takes back messages', async () => {
      const [id] = await room.running();
      expect(await transport.sendMessage(id, { message: 'later' })).toMatchObject({
        status: 'queued',
        position: 1,
      });
      const second = await transport.sendMessage(id, { message: 'even later', disposition: 'queue' });
      const moved = await transport.patchQueued(id, second.messageId, { message: 'sooner', position: 1 });
      expect(moved.map((item) => item.message)).toEqual(['sooner', 'later']);
      expect(await transport.removeQueued(id, second.messageId)).toHaveLength(1);
      expect((await transport.queue(id)).map((item) => item.message)).toEqual(['later']);
      expect(await transport.stop(id)).toEqual(['later']);
      await transport.removeSession(id);
      expect(await refusal(transport.session(id))).toMatchObject({ code: 'session_not_found', status: 404 });
    });

    it('shows what is asked and brings the answer to the agent; who is late learns what won', async () => {
      const [id, agent] = await room.running();
      const asked = await room.asks(id, bashAsk('r1', 'ls'));
      expect(await transport.pending()).toMatchObject([
        { interactionId: asked.interactionId, input: { command: 'ls' } },
      ]);
      const allowed = await transport.approve(id, {
        requestId: asked.interactionId,
        decision: 'allow',
        scope: 'session',
      });
      expect(allowed).toMatchObject({ outcome: 'allowed', status: 'resolved' });
      await room.event(id, 'interaction.resolved');
      expect(agent.answers()).toMatchObject([{ decision: { type: 'allow' } }]);
      const late = await refusal(transport.deny(id, { requestId: asked.interactionId }));
      expect(late).toMatchObject({
        name: 'BeckonError',
        code: 'interaction_already_resolved',
        status: 409,
        details: { outcome: 'allowed' },
      });
      const [grant] = await transport.grants();
      expect(grant).toMatchObject({ toolName: 'Bash', pattern: 'ls' });
      expect(await transport.previewGrant({ toolName: 'Bash', pattern: 'l*' })).toHaveLength(1);
      await transport.revokeGrant(grant?.id ?? '');
      expect(await transport.grants()).toEqual([]);
    });

    it('[CHG32] keeps comments on changes, and sends them', async () => {
      const [id, agent] = await room.idle();
      const place = {
        path: 'a.ts',
        side: 'after',
        from: 1,
        to: 1,
        point: 'a'.repeat(40),
        quote: 'x',
      } as const;
      const [first, second] = [
        await transport.addComment(id, { ...place, text: 'one' }),
        await transport.addComment(id, { ...place, text: 'two' }),
      ];
      await transport.removeComment(id, first.commentId, { shown: first.revision });
      const { commentId, revision } = await transport.editComment(id, second.commentId, {
        text: 'three',
        shown: second.revision,
      });
      await transport.markSeen(id, { marks: [{ path: 'a.ts', content: null }], seen: true });
      expect(await transport.comments(id)).toMatchObject({
        comments: [{ commentId, text: 'three' }],
        seen: [{ path: 'a.ts', content: null }],
      });
      await transport.sendComments(id, { comments: [{ commentId, shown: revision }] });
      expect(agent.sent()[0]?.text).toContain('three');
    });

    it('refuses alike: blank, malformed, unknown', async () => {
      const [id] = await room.idle();
      expect(await refusal(transport.sendMessage(id, { message: ' ' }))).toMatchObject({
        code: 'blank_message',
        status: 400,
      });
      expect(await refusal(transport.events(id, { limit: 5000 }))).toMatchObject({
        code: 'invalid_value',
        details: { field: 'limit' },
      });
      expect(await refusal(transport.interrupt('nobody'))).toMatchObject({ code: 'session_not_found' });
    });

    it('pages through events and searches them', async () => {
      const [id, agent] = await room.running();
      agent.report({
        type: 'said',
        event: { type: 'agent.text', agentMessageId: 'a', block: 0, text: 'a rare marmoset' },
      });
      await room.event(id, 'agent.text');
      const newest = await transport.events(id, { limit: 2 });
      expect(newest.events).toHaveLength(2);
      expect(newest).toMatchObject({ hasMore: true, lastSeq: newest.logLastSeq });
      expect(await transport.events(id, { after: 0, limit: 3 })).toMatchObject({ firstSeq: 1, lastSeq: 3 });
      expect(await transport.search({ q: 'marmoset' })).toMatchObject([
        { sessionId: id, type: 'agent.text' },
      ]);
    });

    /** Everything a subscription tells, and a way to wait for it. */
    function subscribed(sessions: readonly string[] = []) {
      const heard = {
        snapshots: [] as RoomSnapshot[],
        announcements: [] as Announcement[],
        events: [] as Event[],
        deltas: [] as Delta[],
        connection: [] as ConnectionState['state'][],
      };
      const note =
        <T>(list: T[]) =>
        (item: T) => {
          list.push(item);
          room.look();
        };
      const end = transport.subscribe({
        sessions,
        onSnapshot: note(heard.snapshots),
        onAnnouncement: note(heard.announcements),
        onEvent: (_, event) => note(heard.events)(event),
        onDelta: (_, delta) => note(heard.deltas)(delta),
        onConnection: ({ state }) => note(heard.connection)(state),
      });
      ends.push(end);
      return { heard, end };
    }

    it('[MULTI3] tells a subscriber all there is, then what happens, of the sessions it follows in full', async () => {
      const [followed, agent] = await room.running();
      const [other, otherAgent] = await room.running();
      agent.report({ type: 'delta', delta: { messageId: 'm', block: 0, kind: 'text', text: 'Once ' } });
      await room.drained(followed);
      const { heard } = subscribed([followed]);
      const snapshot = await room.until('the snapshot', () => heard.snapshots[0]);
      expect(snapshot.sessions.map((session) => session.id).sort()).toEqual([followed, other].sort());
      expect(snapshot.partials[followed]).toMatchObject([{ text: 'Once ' }]);

      const { lastSeq } = room.snapshot(followed);
      agent.report({ type: 'delta', delta: { messageId: 'm', block: 0, kind: 'text', text: 'upon' } });
      agent.report({
        type: 'said',
        event: { type: 'agent.text', agentMessageId: 'm', block: 0, text: 'Once upon' },
      });
      otherAgent.report({
        type: 'said',
        event: { type: 'agent.text', agentMessageId: 'o', block: 0, text: 'unheard' },
      });
      await room.asks(other, bashAsk('r1', 'ls'));
      await room.until('the ask', () => heard.announcements.some((one) => one.type === 'approval-requested'));
      await room.until('the text', () => heard.events.some((event) => event.type === 'agent.text'));
      expect(heard.deltas.map((delta) => delta.text)).toEqual(['upon']);
      expect(heard.events.map((event) => event.seq)).toEqual([lastSeq + 1]);
      expect(heard.connection).toContain('connected');
    });

    it('[MULTI1] a subscriber can be switched, and is forgotten when it leaves', async () => {
      const [id] = await room.idle();
      const { sessionId } = { sessionId: room.snapshot(id).session.id };
      const { heard, end } = subscribed();
      const { clientId } = await room.until('the snapshot', () => heard.snapshots[0]);
      expect(room.engine.clients.count(sessionId)).toEqual({ supported: 1, enabled: 1 });
      await transport.setInteractionEnabled(clientId, { enabled: false });
      expect(room.engine.clients.count(sessionId)).toEqual({ supported: 1, enabled: 0 });
      end();
      await expect.poll(() => room.engine.clients.count(sessionId).supported).toBe(0);
      const told = heard.announcements.length;
      await transport.patch(id, { title: 'Unheard' });
      await room.drained(id);
      expect(heard.announcements).toHaveLength(told);
    });

    it('[MULTI3] follows one session from any place in its log: no event twice, none left out', async () => {
      const [id, agent] = await room.running();
      for (let n = 0; n < 1200; n += 1) {
        agent.report({
          type: 'said',
          event: { type: 'agent.text', agentMessageId: `m${n}`, block: 0, text: `${n}` },
        });
      }
      await room.drained(id);
      const events: Event[] = [];
      ends.push(
        transport.follow(id, {
          after: 3,
          onEvent: (event) => {
            events.push(event);
            room.look();
          },
        }),
      );
      await room.until('the first', () => events[0]);
      agent.report({
        type: 'said',
        event: { type: 'agent.text', agentMessageId: 'last', block: 0, text: 'the end' },
      });
      await room.until('the end', () =>
        events.some((event) => event.type === 'agent.text' && event.text === 'the end'),
      );
      expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 4));
    });

    it('[MULTI1] a subscriber that leaves while it is told the first things is forgotten, too', async () => {
      const [id] = await room.idle();
      const told: string[] = [];
      const leave = (what: string) => {
        told.push(what);
        end();
      };
      const end = transport.subscribe({
        onSnapshot: () => leave('snapshot'),
        onAnnouncement: ({ type }) => told.push(type),
      });
      ends.push(end);
      await expect.poll(() => told).toEqual(['snapshot']);
      await transport.patch(id, { title: 'Unheard' });
      await room.drained(id);
      const { id: sessionId } = room.snapshot(id).session;
      await expect.poll(() => room.engine.clients.count(sessionId).supported).toBe(0);
      expect(told).toEqual(['snapshot']);
    });

    it('[MULTI3] nothing is told after the end, also of what had happened before', async () => {
      const [id] = await room.running();
      const told: number[] = [];
      const end = transport.follow(id, {
        after: 0,
        onEvent: ({ seq }) => {
          told.push(seq);
          if (seq === 2) end();
        },
      });
      ends.push(end);
      await expect.poll(() => told.length).toBeGreaterThan(1);
      await transport.patch(id, { title: 'Unheard' });
      await room.drained(id);
      expect(told).toEqual([1, 2]);
    });

    it('[API2] an error in a listener comes to light, and the others of its calls are made', async () => {
      const [id] = await room.running();
      const errors: unknown[] = [];
      const uncaught = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.on('uncaughtException', (error) => errors.push(error));
      try {
        const told: number[] = [];
        const onEvent = ({ seq }: Event) => {
          told.push(seq);
          throw new Error(`at ${seq}`);
        };
        ends.push(transport.follow(id, { after: 0, onEvent }));
        const seqs = () => Array.from({ length: room.snapshot(id).lastSeq }, (_, index) => index + 1);
        await expect.poll(() => told).toEqual(seqs());
        await transport.patch(id, { title: 'Heard' });
        await expect.poll(() => told).toEqual(seqs());
        await expect.poll(() => errors).toEqual(told.map((seq) => new Error(`at ${seq}`)));
      } finally {
        process.removeAllListeners('uncaughtException');
        for (const listener of uncaught) process.on('uncaughtException', listener);
      }
    });

    it('says why it does not follow what is not there', async () => {
      const states: ConnectionState[] = [];
      const note = (state: ConnectionState) => {
        states.push(state);
        room.look();
      };
      ends.push(transport.follow('nobody', { onConnection: note }));
      const closed = await room.until('the refusal', () => states.find((one) => one.state === 'closed'));
      expect(closed).toMatchObject({ state: 'closed', error: { code: 'session_not_found' } });
    });
  });
}
