import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../src/protocol/event.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { Conversation } from '../../src/web/conversation/conversation.logic.ts';
import { EntryReader } from '../../src/web/conversation/entries.logic.ts';
import type { InteractionItem, Row } from '../../src/web/conversation/row.ts';
import { afterTime, keptMs, latestAt, noInteractions, placeOf } from '../../src/web/data/interactions.ts';
import { docked } from '../../src/web/dock/docked.ts';
import {
  currentIn,
  idsOf,
  inboxItems,
  isBatchable,
  noFilter,
} from '../../src/web/pages/inbox/inbox.logic.ts';
import {
  aField,
  aForm,
  asked,
  askOf,
  aToolAsk,
  at,
  called,
  conversationOf,
  interactionsOf,
  logOf,
  messageId,
  queued,
  result,
  sessionId,
  taken,
  text,
  turnEnded,
} from './support/samples.ts';

const form = aForm([aField('email')]);
const first = aToolAsk(form, { id: 'i1' });
const second = aToolAsk(form, { id: 'i2', attempt: 2, replaces: 'i1', createdAt: at(9) });
const third = aToolAsk(form, { id: 'i3', attempt: 3, replaces: 'i2', createdAt: at(20) });
const alone = { ...form, presentation: 'questionnaire' } as const;

const ask = (interaction: Interaction): NewEvent => asked(interaction.interactionId, askOf(interaction));
const submitted = ({ interactionId }: Interaction): NewEvent[] => [
  {
    type: 'interaction.decided',
    interactionId,
    outcome: 'submitted',
    decision: { type: 'submit', values: { email: 'a@b.c' } },
    by: { kind: 'person' },
  },
  {
    type: 'interaction.resolved',
    interactionId,
    outcome: 'submitted',
    by: { kind: 'person' },
    delivered: true,
  },
];
const call = called('t1', {}, { name: 'mcp__beckon__notify' });

const entries = (conversation: Conversation): string[] =>
  new EntryReader()
    .read(conversation, { chosen: new Map(), areDetailsOpen: false })
    .map((entry) => (entry.kind === 'row' ? entry.row.item.kind : entry.kind));
const itemOf = (row: Row | undefined): InteractionItem => {
  if (row?.item.kind !== 'interaction') throw new Error('There is no ask in this row.');
  return row.item;
};

describe('what a tool asks, in the conversation', () => {
  it('[TOOL2] stands in the block of the call, which stays on the screen with its result below', () => {
    const conversation = conversationOf(call, ask(first));
    expect(entries(conversation)).toEqual(['tool']);
    expect(conversation.asksWithin('t1').map((row) => itemOf(row).interaction.status)).toEqual(['open']);
    expect(conversation.firstOpen()?.item.kind).toBe('tool');
    expect(conversation.rowOfAsk('i1')?.item.kind).toBe('tool');
  });

  it('[TOOL2] stands alone as a questionnaire, and where its call is not known', () => {
    expect(entries(conversationOf(call, ask(aToolAsk(alone))))).toEqual(['tool', 'interaction']);
    expect(entries(conversationOf(ask(first)))).toEqual(['interaction']);
  });

  it('is found in its block, too, when the call is told after the ask', () => {
    expect(entries(conversationOf(ask(first), call))).toEqual(['tool']);
  });

  it('[TOOL2] [UI5] stands behind its call and what the agent said before it, also when the tool was quicker', () => {
    const log = logOf(
      text('m0', 'Before.'),
      ask(aToolAsk(alone)),
      text('m1', 'I ask you something.'),
      call,
      text('m2', 'After.'),
    );
    const order = ['text', 'text', 'tool', 'interaction', 'text'];
    for (let cut = 0; cut <= log.length; cut += 1) {
      const conversation = new Conversation({ id: sessionId('s1'), key: null });
      for (const event of log.slice(cut)) conversation.append(event);
      conversation.prepend(log.slice(0, cut));
      expect(entries(conversation), `cut at ${cut}`).toEqual(order);
    }
  });

  it('[SES12] goes under the sub-agent whose call turns out to have made it', () => {
    const log = logOf(
      called('outer', {}, { startsAgent: true }),
      ask(aToolAsk(alone)),
      called('t1', {}, { name: 'mcp__beckon__notify', parentToolCallId: 'outer' }),
    );
    for (let cut = 0; cut <= log.length; cut += 1) {
      const conversation = new Conversation({ id: sessionId('s1'), key: null });
      for (const event of log.slice(cut)) conversation.append(event);
      conversation.prepend(log.slice(0, cut));
      expect(
        conversation.rows.map(({ item }) => item.kind),
        `cut at ${cut}`,
      ).toEqual(['tool']);
      expect(
        conversation.rows[0]?.children.map(({ item }) => item.kind),
        `cut at ${cut}`,
      ).toEqual(['tool', 'interaction']);
    }
  });

  it('stays where it was asked when its call lies on an older page', () => {
    const log = logOf(call, text('m1', 'Meanwhile.'), ask(aToolAsk(alone)));
    const conversation = new Conversation({ id: sessionId('s1'), key: null });
    for (const event of log.slice(2)) conversation.append(event);
    conversation.prepend(log.slice(0, 2));
    expect(entries(conversation)).toEqual(['tool', 'text', 'interaction']);
  });

  it('[UI5] the oldest one open is found, also when an older page tells of it last', () => {
    const log = logOf(asked('i1', { toolCallId: 'a' }), asked('i2', { toolCallId: 'b' }));
    const conversation = new Conversation({ id: sessionId('s1'), key: null });
    for (const event of log.slice(1)) conversation.append(event);
    conversation.prepend(log.slice(0, 1));
    expect(itemOf(conversation.firstOpen()).interaction.interactionId).toBe('i1');
  });

  it('leaves the agent’s own ask about the call what it was', () => {
    const conversation = conversationOf(call, asked('p1', { toolCallId: 't1' }), ask(first));
    expect(conversation.tool('t1')?.interactionId).toBe('p1');
  });

  it('[TOOL5] is one row however often it is asked, with the earlier ones in it', () => {
    const conversation = conversationOf(
      call,
      ask(first),
      ...submitted(first),
      ask(second),
      ...submitted(second),
      ask(third),
    );
    const [row, ...others] = conversation.asksWithin('t1');
    expect(others).toEqual([]);
    const { interaction, earlier } = itemOf(row);
    expect(interaction).toMatchObject({ interactionId: 'i3', status: 'open' });
    expect(earlier.map(({ interactionId, outcome }) => [interactionId, outcome])).toEqual([
      ['i1', 'submitted'],
      ['i2', 'submitted'],
    ]);
    expect(conversation.interaction('i1')?.outcome).toBe('submitted');
  });

  it('[TOOL5] [UI9] is one row, too, when an older page tells of the earlier attempt', () => {
    const log = logOf(call, ask(first), ...submitted(first), ask(second));
    const conversation = new Conversation({ id: sessionId('s1'), key: null });
    for (const event of log.slice(4)) conversation.append(event);
    expect(conversation.rows).toHaveLength(1);
    conversation.prepend(log.slice(0, 4));
    const [row, ...others] = conversation.asksWithin('t1');
    expect(others).toEqual([]);
    expect(itemOf(row).interaction.interactionId).toBe('i2');
    expect(itemOf(row).earlier.map(({ outcome }) => outcome)).toEqual(['submitted']);
  });

  it('draws the call anew when its ask changes', () => {
    const conversation = conversationOf(call, ask(first));
    const before = conversation.rowOfAsk('i1')?.version ?? 0;
    for (const event of logOf(...submitted(first))) conversation.append({ ...event, seq: event.seq + 10 });
    expect(conversation.rowOfAsk('i1')?.version).toBeGreaterThan(before);
  });

  it('is shown when it is open, also in a sub-agent that is put away', () => {
    const conversation = conversationOf(
      called('sub', {}, { name: 'Task', startsAgent: true }),
      result('sub', ''),
      called('t1', {}, { name: 'mcp__beckon__notify', parentToolCallId: 'sub' }),
      ask(first),
    );
    const shown = new EntryReader().read(conversation, {
      chosen: new Map([['m-sub:0', false]]),
      areDetailsOpen: false,
    });
    expect(shown.map((entry) => entry.depth)).toEqual([0, 1]);
  });

  it('[TOOL6] stays open when its call has ended, and says so', () => {
    const conversation = conversationOf(
      call,
      ask(first),
      { type: 'interaction.left-open', interactionId: first.interactionId, leftOpen: { cause: 'tool' } },
      result('t1', 'queued'),
      turnEnded(),
    );
    expect(conversation.interaction('i1')).toMatchObject({ status: 'open', leftOpen: { cause: 'tool' } });
  });

  it('[TOOL6] ties the late answer to it, whether it was sent at once or waited in the queue', () => {
    const answers = first.interactionId;
    for (const applied of ['send', 'queue'] as const) {
      const { rows } = conversationOf(
        call,
        ask(first),
        { ...queued('m9', 'It is a@b.c', applied), answers } as NewEvent,
        taken('m9', 'It is a@b.c'),
      );
      expect(rows.at(-1)?.item).toMatchObject({ kind: 'message', messageId: messageId('m9'), answers });
    }
    expect(conversationOf(taken('m1', 'Hello')).rows[0]?.item).toMatchObject({ answers: null });
  });

  it('[UI9] ties it, too, when the queue lies on an older page', () => {
    const log = logOf(
      { ...queued('m9', 'Late', 'queue'), answers: first.interactionId } as NewEvent,
      text('a', 'x'),
      taken('m9', 'Late'),
    );
    const conversation = new Conversation({ id: sessionId('s1'), key: null });
    for (const event of log.slice(2)) conversation.append(event);
    conversation.prepend(log.slice(0, 2));
    expect(conversation.rows.at(-1)?.item).toMatchObject({ kind: 'message', answers: first.interactionId });
  });
});

describe('a tool that asks again, elsewhere', () => {
  const over = (interaction: Interaction): Interaction => ({
    ...interaction,
    status: 'resolved',
    outcome: 'submitted',
  });
  const other = aToolAsk(form, { id: 'o1', session: 's2', createdAt: at(5) });

  it('[TOOL5] is followed from one attempt to the next', () => {
    const room = interactionsOf(over(first), over(second), third);
    expect(latestAt(room, 'i1')?.interactionId).toBe('i3');
    expect(latestAt(interactionsOf(over(first)), 'i1')?.interactionId).toBe('i1');
    expect(latestAt(room, 'unknown')).toBeUndefined();
  });

  it('[TOOL5] has the place and the age of the first attempt, also when that is no longer known', () => {
    const room = interactionsOf(over(first), over(second), third);
    expect(placeOf(room, third)).toEqual({ id: 'i1', since: at(0) });
    const later = afterTime(room, keptMs, { isCalling: () => false, isDrawn: () => false });
    expect(Object.keys(later.known)).toEqual(['i3']);
    expect(placeOf(later, third)).toEqual({ id: 'i1', since: at(0) });
    expect(placeOf(noInteractions, first)).toEqual({ id: 'i1', since: at(0) });
    expect(placeOf(noInteractions, second).id).toBe('i1');
  });

  it('[TOOL5] keeps its place in the inbox, and is the current one there', () => {
    const items = inboxItems(interactionsOf(over(first), other, second), noFilter);
    expect(idsOf(items)).toEqual(['i2', 'o1']);
    expect(currentIn(items, 'i1', ['i1', 'o1'])).toBe('i2');
  });

  it('[TOOL5] stays in the dock', () => {
    const room = interactionsOf(over(first), other, { ...second, sessionId: sessionId('s3') });
    expect(docked(room, () => false, 'i1')?.interaction.interactionId).toBe('i2');
  });

  it('[TOOL6] is docked after what an agent waits for, once it was left open', () => {
    const left = { ...first, leftOpen: { cause: 'tool' } as const };
    expect(docked(interactionsOf(left, other), () => false, null)?.interaction.interactionId).toBe('o1');
    expect(docked(interactionsOf(left), () => false, null)?.interaction.interactionId).toBe('i1');
  });

  it('[TOOL7] is never allowed together with others: the tool keeps what was approved itself', () => {
    expect(isBatchable(aToolAsk(undefined, { kind: 'approval' }))).toBe(false);
  });
});
