import type { Delta, Event, EventOf } from '../../protocol/event.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { type AboutInteraction, Asks } from './asks.logic.ts';
import { type Item, isNotice, type MessageItem, type NoticeEvent, type Row, type ToolItem } from './row.ts';
import { type ChangedRows, RowTree } from './row-tree.logic.ts';

type AboutCall = EventOf<'tool.result' | 'task.changed'>;

/** Blocks that were stored lately: a fragment of one that is still on its way must not bring it back as unfinished. */
const rememberedBlocks = 64;

/**
 * A session's conversation, made from its events as they come: each costs the same, however long it is.
 * Older pages go in front; what refers to something on a page not yet here waits for it.
 */
export class Conversation {
  readonly #tools = new Map<string, Row>();
  readonly #asks: Asks;
  readonly #messages = new Map<string, Row>();
  readonly #droppedMessages = new Set<string>();
  /** Which ask a message is the late answer to. */
  /** Of messages that are more than their text. */
  readonly #origins = new Map<string, EventOf<'message.queued'>>();
  readonly #stored = new Set<string>();
  /** Rows for calls that lie on an older page, made because something of theirs is here already. */
  readonly #standIns = new Set<Row>();
  /** Calls that may have no end yet, with the number of the event that told of them. */
  readonly #unfinished = new Map<Row, number>();
  readonly #tree = new RowTree();
  #live = new Map<string, Row>();
  #waiting = new Map<string, (AboutInteraction | AboutCall)[]>();
  #version = 0;
  #shape = 0;
  #lastEnd: EventOf<'turn.ended'> | null = null;
  /** The turns of which it is known what they changed in the files. */
  readonly #recorded = new Set<string>();
  #lastExit: EventOf<'process.exited'> | null = null;

  constructor(owner: Pick<Session, 'id' | 'key'>) {
    this.#asks = new Asks(owner);
  }

  get rows(): readonly Row[] {
    return this.#tree.rows;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** Grows with every change but the growth of what is being said: what is made of the rows is made anew with it. */
  get shape(): number {
    return this.#shape;
  }

  /** How many changes of rows there were. */
  get changeCount(): number {
    return this.#tree.changeCount;
  }

  /** What changed of the rows since there were so many changes. */
  changedSince(changeCount: number): ChangedRows {
    return this.#tree.changedSince(changeCount);
  }

  /** The end of the latest turn known. */
  get lastEnd(): EventOf<'turn.ended'> | null {
    return this.#lastEnd;
  }

  tool(toolCallId: string): ToolItem | undefined {
    const item = this.#tools.get(toolCallId)?.item;
    return item?.kind === 'tool' ? item : undefined;
  }

  interaction(interactionId: string): Interaction | undefined {
    return this.#asks.view(interactionId);
  }

  /** The asks that a tool made by itself and that belong into the block of its call. */
  asksWithin(toolCallId: string): readonly Row[] {
    return this.#asks.ofCall(toolCallId).filter((row) => this.isWithinCall(row));
  }

  /** The row in which an ask is shown: its own, or that of the call whose block it is in. */
  rowOfAsk(interactionId: string): Row | undefined {
    const row = this.#asks.rowOf(interactionId);
    return row === undefined ? undefined : (this.#callAround(row) ?? row);
  }

  /** The row that shows what an event tells of, if one does. */
  rowOf(event: Event): Row | undefined {
    if ('interactionId' in event && event.interactionId !== undefined)
      return this.rowOfAsk(event.interactionId);
    if ('toolCallId' in event && event.toolCallId !== undefined) return this.#tools.get(event.toolCallId);
    if ('messageId' in event && event.messageId !== null) return this.#messages.get(event.messageId);
    const key = 'agentMessageId' in event ? placeOf(event.agentMessageId, event.block) : `event:${event.seq}`;
    return this.#tree.find(key);
  }

  /** Whether an ask is shown in the block of the call that makes it. */
  isWithinCall(row: Row): boolean {
    return this.#callAround(row) !== undefined;
  }

  /** Whether a person has yet to say if the call may be made. */
  isAsked({ interactionId }: Pick<ToolItem, 'interactionId'>): boolean {
    return interactionId !== null && this.interaction(interactionId)?.status === 'open';
  }

  /** The oldest thing here that waits for a person. */
  firstOpen(): Row | undefined {
    const row = this.#asks.oldestOpen();
    return row === undefined ? undefined : (this.#callAround(row) ?? row);
  }

  #callAround({ item }: Row): Row | undefined {
    if (item.kind !== 'interaction' || !belongsIntoCall(item.interaction)) return undefined;
    return this.#tools.get(item.interaction.toolCallId ?? '');
  }

  append(event: Event): void {
    this.#version += 1;
    this.#shape += 1;
    this.#take(event);
  }

  /** A page of events that lie directly before those known. */
  prepend(events: readonly Event[]): void {
    this.#version += 1;
    this.#shape += 1;
    const waiting = this.#waiting;
    const live = this.#live;
    this.#waiting = new Map();
    // The end of an old turn says nothing about what is being said now.
    this.#live = new Map();
    const early = events.filter(isAsk).filter(({ ask }) => isTold(this.tool(ask.toolCallId ?? '')));
    const laterChildren = [...this.#standIns].map((row) => ({ row, children: row.children.splice(0) }));
    this.#tree.prepend(() => {
      for (const event of events) this.#take(event);
      for (const { row, children } of laterChildren) {
        const here = new Set(row.children);
        row.children.push(...children.filter((child) => !here.has(child)));
      }
    });
    this.#live = live;
    for (const event of [...waiting.values()].flat()) this.#take(event);
    for (const { interactionId, ask } of early.toReversed()) {
      const row = this.#asks.rowOf(interactionId);
      const call = this.#tools.get(ask.toolCallId ?? '');
      if (row !== undefined && call !== undefined) this.#tree.moveBehind(row, call);
    }
    this.#cutShort();
  }

  addDelta(delta: Delta): void {
    const place = placeOf(delta.messageId, delta.block);
    if (this.#stored.has(place)) return;
    this.#version += 1;
    const row = this.#live.get(place);
    if (row === undefined) {
      this.#shape += 1;
      this.#live.set(place, this.#startLive(place, delta));
    } else this.#tree.change(row, grown(row.item, delta.text));
  }

  /** What is being said right now, in place of what was thought to be. */
  setPartials(blocks: readonly Delta[]): void {
    this.#endLive();
    this.#version += 1;
    this.#shape += 1;
    for (const block of blocks) this.addDelta(block);
  }

  /** Lets go of the oldest rows, for those who only look at the end. */
  trim(most: number): void {
    for (const row of this.#tree.trim(most)) this.#forget(row);
  }

  #take(event: Event): void {
    switch (event.type) {
      case 'message.queued':
        if (event.answers !== undefined || event.review !== undefined) this.#noteOrigin(event);
        if (event.applied === 'send' || event.applied === 'steer') this.#sendMessage(event);
        return;
      case 'message.taken':
        this.#takeMessage(event);
        return;
      case 'message.removed':
      case 'message.requeued':
        this.#dropMessage(event.messageId);
        return;
      case 'agent.text':
      case 'agent.thinking': {
        const kind = event.type === 'agent.text' ? 'text' : 'thinking';
        this.#settle(event, { kind, at: event.at, seq: event.seq, text: event.text, isLive: false });
        return;
      }
      case 'tool.called':
        this.#call(event);
        return;
      case 'tool.result':
      case 'task.changed':
        this.#aboutCall(event);
        return;
      case 'interaction.requested':
        this.#ask(event);
        return;
      case 'interaction.parked':
      case 'interaction.left-open':
      case 'interaction.deferred':
      case 'interaction.raised':
      case 'interaction.decided':
      case 'interaction.undelivered':
      case 'interaction.resolved':
        this.#aboutInteraction(event);
        return;
      case 'user.text':
        this.#add(`event:${event.seq}`, { kind: 'inserted-text', at: event.at, text: event.text }, event);
        return;
      case 'turn.ended':
        if (event.seq > (this.#lastEnd?.seq ?? 0)) this.#lastEnd = event;
        this.#endLive();
        this.#cutShort();
        this.#add(`event:${event.seq}`, {
          kind: 'turn-end',
          at: event.at,
          end: event,
          isRecorded: this.#recorded.has(event.turnId),
        });
        return;
      case 'files.recorded':
        if (event.when === 'end') this.#noteRecorded(event.turnId);
        return;
      default:
        if (event.type === 'process.exited') this.#exit(event);
        if (isNotice(event)) this.#tell(event);
    }
  }

  /** Its end may lie on an older page, or be here already. */
  #noteRecorded(turnId: string): void {
    this.#recorded.add(turnId);
    const row = this.rows.findLast(({ item }) => item.kind === 'turn-end' && item.end.turnId === turnId);
    if (row?.item.kind === 'turn-end') this.#tree.change(row, { ...row.item, isRecorded: true });
  }

  #exit(event: EventOf<'process.exited'>): void {
    if (event.seq > (this.#lastExit?.seq ?? 0)) this.#lastExit = event;
    this.#endLive();
    this.#cutShort();
  }

  /** Whoever waits for a call that ended with its turn or its process would wait for ever. */
  #cutShort(): void {
    for (const [row, seq] of this.#unfinished) {
      const { item } = row;
      const isExited = seq < (this.#lastExit?.seq ?? 0);
      if (item.kind !== 'tool' || (!isExited && seq > (this.#lastEnd?.seq ?? 0))) continue;
      if (item.result === null || (isExited && !isFinished(item)))
        this.#tree.change(row, { ...item, isOver: true });
      if (isExited || isFinished(item) || item.result === null) this.#unfinished.delete(row);
    }
  }

  #tell(event: NoticeEvent): void {
    const place = event.type === 'agent.notice' ? event : {};
    this.#add(`event:${event.seq}`, { kind: 'notice', at: event.at, event }, place);
  }

  #noteOrigin(event: EventOf<'message.queued'>): void {
    this.#origins.set(event.messageId, event);
    const row = this.#messages.get(event.messageId);
    if (row?.item.kind === 'message') this.#tree.change(row, { ...row.item, ...this.#originOf(row.item) });
  }

  /** One that was edited while it waited is a text like any other. */
  #originOf({
    messageId,
    text,
  }: Pick<MessageItem, 'messageId' | 'text'>): Pick<MessageItem, 'answers' | 'review'> {
    const origin = this.#origins.get(messageId);
    const review = origin?.text === text ? origin.review : undefined;
    return { answers: origin?.answers ?? null, review: review ?? null };
  }

  #messageItem(
    { messageId, text, images, at, seq }: EventOf<'message.queued' | 'message.taken'>,
    isOnItsWay: boolean,
  ): MessageItem {
    const origin = this.#originOf({ messageId, text });
    return { kind: 'message', at, seq, messageId, text, images, isOnItsWay, ...origin };
  }

  #sendMessage(event: EventOf<'message.queued'>): void {
    const { messageId } = event;
    const item = this.#messageItem(event, true);
    if (this.#messages.has(messageId) || this.#droppedMessages.has(messageId)) return;
    this.#messages.set(messageId, this.#add(messageId, item));
  }

  #takeMessage(event: EventOf<'message.taken'>): void {
    const { messageId } = event;
    const item = this.#messageItem(event, false);
    const row = this.#messages.get(messageId);
    if (row === undefined) this.#messages.set(messageId, this.#add(messageId, item));
    else if (row.item.kind === 'message' && row.item.isOnItsWay) {
      this.#tree.change(row, item);
      this.#tree.moveToEnd(row, null);
    }
  }

  #dropMessage(messageId: string): void {
    const row = this.#messages.get(messageId);
    if (row === undefined) this.#droppedMessages.add(messageId);
    else {
      this.#messages.delete(messageId);
      this.#tree.remove(row);
    }
  }

  #call(event: EventOf<'tool.called'>): void {
    const known = this.#tools.get(event.toolCallId);
    const before = known?.item.kind === 'tool' ? known.item : undefined;
    const item: ToolItem = {
      ...(before ?? emptyCall(event.toolCallId, event.at)),
      at: event.at,
      name: event.name,
      input: event.input,
      call: event.call,
      startsAgent: event.startsAgent,
      liveInput: null,
      interactionId: this.#asks.aboutCall(event.toolCallId),
    };
    const row = this.#settle(event, item, known);
    this.#standIns.delete(row);
    this.#know(event.toolCallId, row);
    this.#unfinished.set(row, event.seq);
    if (isTold(before)) return;
    // An ask that was told before its call would stand before what the agent said to introduce it.
    for (const ask of this.#asks.toldBefore(event).toReversed()) this.#tree.moveBehind(ask, row);
  }

  #aboutCall(event: AboutCall): void {
    if (event.toolCallId === undefined) return;
    const row = this.#tools.get(event.toolCallId);
    if (row?.item.kind !== 'tool') {
      this.#wait(event.toolCallId, event);
      return;
    }
    // It is the last word, also when the page with the call tells of an earlier one.
    if (this.#standIns.has(row)) this.#wait(event.toolCallId, event);
    const item = { ...row.item, ...(event.type === 'tool.result' ? { result: event } : { task: event }) };
    this.#tree.change(row, { ...item, isOver: item.isOver === true && !isFinished(item) });
  }

  #ask(event: EventOf<'interaction.requested'>): void {
    const { interactionId, ask } = event;
    if (this.#asks.has(interactionId)) return;
    this.#showAsk(this.#asks.add(event, (item) => this.#add(interactionId, item, ask)));
    const call = this.#tools.get(ask.toolCallId ?? '');
    if (call?.item.kind !== 'tool') return;
    const about = this.#asks.aboutCall(call.item.toolCallId);
    if (call.item.interactionId !== about) this.#tree.change(call, { ...call.item, interactionId: about });
  }

  #aboutInteraction(event: AboutInteraction): void {
    const row = this.#asks.update(event);
    if (row === undefined) this.#wait(event.interactionId, event);
    else this.#showAsk(row);
  }

  #showAsk(row: Row): void {
    const item = this.#asks.itemIn(row);
    if (item === undefined) return;
    this.#tree.change(row, item);
    // A call that waits for a person, or that the ask is within, is shown otherwise than before.
    this.#tree.touch(this.#tools.get(item.interaction.toolCallId ?? '') ?? null);
  }

  #wait(id: string, event: AboutInteraction | AboutCall): void {
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), event]);
  }

  /** A block that is told whole: it stands where a replay would put it, at the end. */
  #settle(
    event: EventOf<'agent.text' | 'agent.thinking' | 'tool.called'>,
    item: Item,
    known: Row | undefined = undefined,
  ): Row {
    const place = placeOf(event.agentMessageId, event.block);
    this.#remember(place);
    const row = known ?? this.#live.get(place);
    this.#live.delete(place);
    if (row === undefined) return this.#add(place, item, event);
    this.#tree.change(row, item);
    this.#tree.moveToEnd(row, this.#parentOf(event.parentToolCallId));
    return row;
  }

  #startLive(place: string, delta: Delta): Row {
    const at = '';
    if (delta.kind !== 'tool-input')
      return this.#add(place, { kind: delta.kind, at, seq: null, text: delta.text, isLive: true }, delta);
    const toolCallId = delta.toolCallId ?? place;
    const { toolName = '', call, text } = delta;
    const item = { ...emptyCall(toolCallId, at), name: toolName, call, liveInput: text };
    const row = this.#add(place, item, delta);
    if (delta.toolCallId !== undefined) this.#know(delta.toolCallId, row);
    return row;
  }

  /** What was begun and never told whole was never said. */
  #endLive(): void {
    for (const row of this.#live.values()) {
      this.#forget(row);
      this.#tree.remove(row);
    }
    this.#live.clear();
  }

  #remember(place: string): void {
    this.#stored.add(place);
    if (this.#stored.size <= rememberedBlocks) return;
    const [oldest] = this.#stored;
    if (oldest !== undefined) this.#stored.delete(oldest);
  }

  #add(key: string, item: Item, place: { parentToolCallId?: string | undefined } = {}): Row {
    return this.#tree.add(key, item, this.#parentOf(place.parentToolCallId));
  }

  /** The call itself is known from now on; what was asked of it may be shown within it. */
  #know(toolCallId: string, row: Row): void {
    this.#tools.set(toolCallId, row);
    for (const ask of this.#asks.ofCall(toolCallId)) this.#tree.touch(ask);
  }

  /** The call that a sub-agent's doings belong under; a stand-in while it lies on a page not yet here. */
  #parentOf(toolCallId: string | undefined): Row | null {
    if (toolCallId === undefined) return null;
    const known = this.#tools.get(toolCallId);
    if (known !== undefined) return known;
    const standIn = this.#add(`call:${toolCallId}`, { ...emptyCall(toolCallId, ''), startsAgent: true });
    this.#know(toolCallId, standIn);
    this.#standIns.add(standIn);
    return standIn;
  }

  #forget(row: Row): void {
    switch (row.item.kind) {
      case 'tool':
        this.#tools.delete(row.item.toolCallId);
        for (const ask of this.#asks.ofCall(row.item.toolCallId)) this.#tree.touch(ask);
        this.#asks.forgetCall(row.item.toolCallId);
        this.#standIns.delete(row);
        this.#unfinished.delete(row);
        break;
      case 'interaction':
        this.#asks.forget(row);
        break;
      case 'message':
        this.#messages.delete(row.item.messageId);
    }
    for (const child of row.children) this.#forget(child);
  }
}

/** A tool's ask is shown in the block of its call, unless it is to stand alone. */
const belongsIntoCall = ({ tool, form }: Interaction): boolean =>
  tool !== undefined && form?.presentation !== 'questionnaire';

const placeOf = (agentMessageId: string, block: number): string => `${agentMessageId}:${block}`;

const emptyCall = (toolCallId: string, at: string): ToolItem => ({
  kind: 'tool',
  at,
  toolCallId,
  name: '',
  input: {},
  call: undefined,
  startsAgent: false,
  liveInput: null,
  result: null,
  task: null,
  interactionId: null,
  isOver: false,
});

/** Whether the call itself is here: not only what is being written of it, or something that belongs under it. */
const isTold = (call: ToolItem | undefined): boolean =>
  call !== undefined && call.name !== '' && call.liveInput === null;

const isAsk = (event: Event): event is EventOf<'interaction.requested'> =>
  event.type === 'interaction.requested';

/** A sub-agent in the background has its result at once, and goes on. */
const isFinished = ({ result, task }: ToolItem): boolean => result !== null && task?.status !== 'running';

function grown(item: Item, text: string): Item {
  switch (item.kind) {
    case 'text':
    case 'thinking':
      return { ...item, text: item.text + text };
    case 'tool':
      return { ...item, liveInput: (item.liveInput ?? '') + text };
    default:
      return item;
  }
}
