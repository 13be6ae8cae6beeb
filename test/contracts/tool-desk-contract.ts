import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AskEnd, LateAnswer, ToolAsk, ToolDesk } from '../../src/engine/ports/tool-desk.ts';
import type { ErrorCode, Result } from '../../src/protocol/errors.ts';
import type { InteractionId, SessionId } from '../../src/protocol/ids.ts';
import type { Outcome } from '../../src/protocol/interaction.ts';
import type { PersonResponse } from '../../src/tools/testing/memory-desk.ts';

/** A desk with a session that runs, and the hands of a person and of an agent. */
export interface DeskUnderTest {
  readonly desk: ToolDesk;
  readonly sessionId: SessionId;
  respond(id: InteractionId, response: PersonResponse): Promise<Result<unknown>>;
  interrupt(): Promise<void>;
  stop(): Promise<void>;
  setAvailable(available: boolean): void;
  outcome(id: InteractionId): Promise<Outcome | undefined>;
  /** What the agent is told as messages of late answers, in order. */
  lateMessages(): readonly string[];
  /** Settles when everything that was begun has been worked through. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

type Listener = (end: AskEnd) => Promise<LateAnswer | null>;

const form: ToolAsk = {
  kind: 'form',
  toolName: 'mcp__beckon__survey',
  toolCallId: 'toolu_1',
  title: 'Which colour?',
  input: { of: 'the roof' },
  form: {
    message: 'Which colour?',
    presentation: 'tool',
    fields: [
      { id: 'colour', type: 'text', label: 'Colour', required: true },
      { id: 'coats', type: 'number', label: 'Coats', required: false, minimum: 1 },
    ],
  },
  tool: { name: 'survey', callId: 'toolu_1', attempt: 1 },
};

const approval: ToolAsk = {
  kind: 'approval',
  toolName: 'mcp__beckon__deploy',
  toolCallId: 'toolu_2',
  title: 'Deploy?',
  input: {},
  approvalScopes: ['once', 'session'],
  tool: { name: 'deploy', callId: 'toolu_2', attempt: 1 },
};

const red = { action: 'submit', input: { colour: 'red' } } as const;
const toldRed = {
  kind: 'decided',
  outcome: 'submitted',
  decision: { type: 'submit', values: { colour: 'red' } },
};
const by = { kind: 'agent' } as const;

/** What every desk does for the tools' host, in memory or on the engine. */
export function describeToolDesk(name: string, open: () => Promise<DeskUnderTest>): void {
  describe(name, () => {
    let on: DeskUnderTest;
    let heard: AskEnd[];
    beforeEach(async () => {
      on = await open();
      heard = [];
    });
    afterEach(() => on.close());

    const ask = async (given: ToolAsk, listener: Listener = async () => null): Promise<InteractionId> =>
      unwrap(
        await on.desk.ask(on.sessionId, given, async (end) => {
          heard.push(end);
          return listener(end);
        }),
      );
    const end = (id: InteractionId, outcome: 'expired' | 'withdrawn' = 'expired') =>
      on.desk.end(on.sessionId, id, { outcome, reason: 'Time is up.' });
    const leave = (id: InteractionId) => on.desk.leaveOpen(on.sessionId, id, 'Later.');

    it('[TOOL4] an answer is heard once, with who gave it, and is no message', async () => {
      const id = await ask(form);
      expect((await on.respond(id, red)).ok).toBe(true);
      await on.settled();
      expect(heard).toEqual([
        expect.objectContaining({ ...toldRed, by: expect.objectContaining({ kind: 'person' }) }),
      ]);
      expect(await on.outcome(id)).toBe('submitted');
      expect(on.lateMessages()).toEqual([]);
    });

    it.each<[string, ToolAsk, PersonResponse, object]>([
      ['approve', approval, { action: 'approve' }, { type: 'allow', scope: 'once' }],
      [
        'approve for the session',
        approval,
        { action: 'approve', approvalScope: 'session' },
        { type: 'allow', scope: 'session' },
      ],
      [
        'deny',
        approval,
        { action: 'deny', reason: 'No.' },
        { type: 'deny', message: 'No.', interrupt: false },
      ],
      [
        'deny without a reason',
        approval,
        { action: 'deny' },
        { type: 'deny', message: 'This was denied without a reason.' },
      ],
      ['deny a form', form, { action: 'deny', reason: 'No.' }, { type: 'deny', message: 'No.' }],
      [
        'cancel',
        form,
        { action: 'cancel' },
        { type: 'dismiss', message: 'This was dismissed without an answer.' },
      ],
      [
        'approve and fill in',
        { ...approval, ...(form.form === undefined ? {} : { form: form.form }) },
        { action: 'approve', input: { colour: 'red', coats: 2 } },
        { type: 'allow', scope: 'once', values: { colour: 'red', coats: 2 } },
      ],
      [
        'approve, with a form that has nothing to fill in',
        { ...approval, form: { message: 'x', presentation: 'tool', fields: [] } },
        { action: 'approve' },
        { type: 'allow', scope: 'once', values: {} },
      ],
    ])('[TOOL4] %s', async (_, given, response, decision) => {
      const id = await ask(given);
      expect((await on.respond(id, response)).ok).toBe(true);
      await on.settled();
      expect(heard).toMatchObject([{ kind: 'decided', decision }]);
    });

    it.each<[string, ToolAsk, PersonResponse, ErrorCode]>([
      [
        'a value that does not fit',
        form,
        { action: 'submit', input: { colour: 'red', coats: 0 } },
        'invalid_answer',
      ],
      ['a required value missing', form, { action: 'submit', input: {} }, 'invalid_answer'],
      [
        'a field nobody asked for',
        form,
        { action: 'submit', input: { colour: 'red', size: 1 } },
        'invalid_answer',
      ],
      [
        'a scope that is not offered',
        approval,
        { action: 'approve', approvalScope: 'always' },
        'invalid_value',
      ],
      [
        'values where none are wanted',
        approval,
        { action: 'approve', input: { colour: 'red' } },
        'invalid_value',
      ],
      ['approve for a form', form, { action: 'approve' }, 'invalid_value'],
      ['submit for an approval', approval, { action: 'submit', input: {} }, 'invalid_value'],
      ['cancel for an approval', approval, { action: 'cancel' }, 'invalid_value'],
    ])('[ASK3] %s is refused, and the tool hears nothing', async (_, given, response, code) => {
      const id = await ask(given);
      expect(codeOf(await on.respond(id, response))).toBe(code);
      await on.settled();
      expect(heard).toEqual([]);
      expect(await on.outcome(id)).toBeUndefined();
    });

    it('[ASK3] the first answer wins', async () => {
      const id = await ask(form);
      const replies = await Promise.all([on.respond(id, red), on.respond(id, { action: 'cancel' })]);
      await on.settled();
      expect(replies.map(({ ok }) => ok)).toEqual([true, false]);
      expect(heard).toMatchObject([toldRed]);
    });

    it.each(['expired', 'withdrawn'] as const)(
      '[TOOL9] ended as %s, it takes no answer any more',
      async (outcome) => {
        const id = await ask(form);
        expect((await end(id, outcome)).ok).toBe(true);
        expect(await on.outcome(id)).toBe(outcome);
        expect((await on.respond(id, red)).ok).toBe(false);
        await on.settled();
        expect(heard.filter(({ kind }) => kind === 'decided')).toEqual([]);
      },
    );

    it('[TOOL9] an end after an answer is refused, and the answer is heard', async () => {
      const id = await ask(form);
      const [answered, ended] = await Promise.all([on.respond(id, red), end(id)]);
      expect([answered.ok, ended.ok]).toEqual([true, false]);
      await on.settled();
      expect(heard).toMatchObject([toldRed]);
      expect(['interaction_already_resolved', 'interaction_gone', 'interaction_not_found']).toContain(
        codeOf(await end(id)),
      );
    });

    it('[TOOL6] left open, an answer becomes one message: what the listener makes of it', async () => {
      const id = await ask(form, async () => ({ text: 'It will be red.' }));
      expect((await leave(id)).ok).toBe(true);
      expect(await on.outcome(id)).toBeUndefined();
      expect((await on.respond(id, red)).ok).toBe(true);
      await on.settled();
      expect(heard).toMatchObject([toldRed]);
      expect(on.lateMessages()).toEqual(['It will be red.']);
      expect(await on.outcome(id)).toBe('submitted');
    });

    it('[TOOL6] tells of a call whether what it left open waits, was answered, or ended otherwise', async () => {
      const call = (callId = 'toolu_1') => on.desk.leftOpen(on.sessionId, callId);
      const id = await ask(form);
      expect([call(), call('toolu_9')]).toEqual([undefined, undefined]);
      await leave(id);
      expect(call()).toBe('open');
      await on.respond(id, red);
      expect(call()).toBe('answered');
      await leave(await ask(approval));
      expect(call('toolu_2')).toBe('open');
      await on.stop();
      expect([call(), call('toolu_2')]).toEqual(['answered', undefined]);
    });

    it('[TOOL6] left open, with a listener that fails: the answer as it was given', async () => {
      const id = await ask(form, () => Promise.reject(new Error('broken by then')));
      await leave(id);
      await on.respond(id, red);
      await on.settled();
      expect(on.lateMessages()).toEqual([
        'Answer to your earlier question "Which colour?":\n- Colour (colour): red',
      ]);
    });

    it('[TOOL6] left open, with nothing to say yet: no message', async () => {
      const id = await ask(form);
      await leave(id);
      await on.respond(id, red);
      await on.settled();
      expect(on.lateMessages()).toEqual([]);
      expect(await on.outcome(id)).toBe('submitted');
    });

    it('[TOOL5] [TOOL6] the listener of what was left open may ask again and leave that open', async () => {
      const second = Promise.withResolvers<InteractionId>();
      const id = await ask(form, async () => {
        const again = { ...form, tool: { ...form.tool, attempt: 2, replaces: id } };
        const next = await ask(again, async () => ({ text: 'At last.' }));
        // It takes the place of one that was left open, and is so itself from the start.
        expect((await end(next)).ok).toBe(false);
        expect((await leave(next)).ok).toBe(true);
        second.resolve(next);
        return null;
      });
      await leave(id);
      expect((await on.respond(id, red)).ok).toBe(true);
      expect((await on.respond(await second.promise, red)).ok).toBe(true);
      await on.settled();
      expect(on.lateMessages()).toEqual(['At last.']);
    });

    it('[TOOL6] left open, it cannot be ended by the tool, and survives an interrupt', async () => {
      const id = await ask(form, async () => ({ text: 'Red, then.' }));
      await leave(id);
      expect((await end(id)).ok).toBe(false);
      await on.interrupt();
      expect(await on.outcome(id)).toBeUndefined();
      await on.respond(id, red);
      await on.settled();
      expect(on.lateMessages()).toEqual(['Red, then.']);
    });

    it('[TOOL6] what was answered first is not left open any more', async () => {
      const id = await ask(form, async () => ({ text: 'never told' }));
      const [answered, left] = await Promise.all([on.respond(id, red), leave(id)]);
      expect([answered.ok, left.ok]).toEqual([true, false]);
      await on.settled();
      expect(heard).toMatchObject([toldRed]);
      expect(on.lateMessages()).toEqual([]);
    });

    it('[TOOL9] an interrupt ends what is asked, and the runs', async () => {
      const runs: unknown[] = [];
      const unlisten = on.desk.onRunEnd((...run) => runs.push(run));
      const id = await ask(form);
      await on.interrupt();
      await on.settled();
      expect(heard).toEqual([{ kind: 'ended', outcome: 'interrupted', reason: 'The turn was interrupted.' }]);
      expect(await on.outcome(id)).toBe('interrupted');
      expect(runs).toEqual([[on.sessionId, 'The turn was interrupted.']]);
      unlisten();
    });

    it('[TOOL9] stopping the session ends everything, also what was left open', async () => {
      const [open, left] = [await ask(form), await ask(approval)];
      await leave(left);
      await on.stop();
      await on.settled();
      expect(heard).toMatchObject([
        { kind: 'ended', outcome: 'interrupted' },
        { kind: 'ended', outcome: 'interrupted' },
      ]);
      expect([await on.outcome(open), await on.outcome(left)]).toEqual(['interrupted', 'interrupted']);
      expect(on.lateMessages()).toEqual([]);
    });

    it('[TOOL10] is available as long as someone can and wants to answer', () => {
      on.setAvailable(false);
      expect(on.desk.available(on.sessionId)).toBe(false);
      on.setAvailable(true);
      expect(on.desk.available(on.sessionId)).toBe(true);
    });

    it('[TOOL7] approvals are kept under a tool’s own keys, literally, and the longest counts', async () => {
      const { desk, sessionId } = on;
      const keep = (key: string, scope: 'session' | 'always') =>
        desk.setApproval(sessionId, { toolName: 'deploy', key, scope, by });
      expect(desk.approval(sessionId, 'deploy', 'eu')).toBeUndefined();
      expect((await keep('eu', 'session')).ok).toBe(true);
      expect(desk.approval(sessionId, 'deploy', 'eu')).toBe('session');
      expect((await keep('eu', 'always')).ok).toBe(true);
      expect(desk.approval(sessionId, 'deploy', 'eu')).toBe('always');
      expect((await keep('eu', 'session')).ok).toBe(true);
      expect(desk.approval(sessionId, 'deploy', 'eu')).toBe('always');
      await keep('*', 'session');
      expect(desk.approval(sessionId, 'deploy', 'us')).toBeUndefined();
      expect(desk.approval(sessionId, 'undeploy', 'eu')).toBeUndefined();
    });

    it('[TOOL7] clearing forgets this tool’s, for this session, and what is for always stays', async () => {
      const { desk, sessionId } = on;
      for (const [toolName, key, scope] of [
        ['deploy', 'a', 'session'],
        ['deploy', 'b', 'always'],
        ['other', 'a', 'session'],
      ] as const) {
        await desk.setApproval(sessionId, { toolName, key, scope, by });
      }
      expect((await desk.clearApprovals(sessionId, 'deploy', by)).ok).toBe(true);
      expect(desk.approval(sessionId, 'deploy', 'a')).toBeUndefined();
      expect(desk.approval(sessionId, 'deploy', 'b')).toBe('always');
      expect(desk.approval(sessionId, 'other', 'a')).toBe('session');
    });
  });
}

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.message}`);
  return result.value;
}

const codeOf = (result: Result<unknown>): ErrorCode | undefined =>
  result.ok ? undefined : result.refusal.code;
