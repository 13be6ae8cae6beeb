import type { Event, EventOf, EventType } from '../../protocol/event.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { SentReview } from '../../protocol/review.ts';
import type { CallShape } from '../../protocol/tool-call.ts';

/** One thing in a conversation. The row stays, its item is replaced: whoever shows it looks at `version`. */
export interface Row {
  readonly key: string;
  item: Item;
  /** What a sub-agent did, under the call that started it. */
  readonly children: Row[];
  parent: Row | null;
  /** Grows with every change of the row or of anything below it. */
  version: number;
}

export type Item =
  | MessageItem
  | SpokenItem
  | ToolItem
  | InteractionItem
  | TurnEndItem
  | NoticeItem
  | InsertedTextItem;

interface Timed {
  readonly at: string;
}

/** What somebody said: a link can lead to it. */
interface Said extends Timed {
  /** The number of the event that told of it; null while it is being said. */
  readonly seq: number | null;
}

export interface MessageItem extends Said {
  readonly kind: 'message';
  readonly messageId: string;
  readonly text: string;
  readonly images: EventOf<'message.taken'>['images'];
  /** Handed to the agent, which has yet to show that it took it. */
  readonly isOnItsWay: boolean;
  /** The ask that it is the late answer to. */
  readonly answers: string | null;
  /** The comments that it is made of. */
  readonly review: SentReview | null;
}

export interface SpokenItem extends Said {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
  /** It is being said right now. */
  readonly isLive: boolean;
}

export interface ToolItem extends Timed {
  readonly kind: 'tool';
  readonly toolCallId: string;
  /** Empty as long as the call itself lies on an older page. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What of the input means what. */
  readonly call: CallShape | undefined;
  readonly startsAgent: boolean;
  /** The input as far as it has been said. */
  readonly liveInput: string | null;
  readonly result: ToolResult | null;
  readonly task: EventOf<'task.changed'> | null;
  readonly interactionId: string | null;
  /** It was cut short: its turn or its process ended, and no result came. */
  readonly isOver?: boolean;
}

export type ToolResult = Pick<
  EventOf<'tool.result'>,
  'at' | 'isError' | 'text' | 'images' | 'detail' | 'output'
>;

export interface InteractionItem extends Timed {
  readonly kind: 'interaction';
  readonly interaction: Interaction;
  /** What a tool asked before in this place, oldest first: it asks again because of what was answered. */
  readonly earlier: readonly Interaction[];
}

export interface TurnEndItem extends Timed {
  readonly kind: 'turn-end';
  readonly end: EventOf<'turn.ended'>;
  /** What it changed in the files is known. */
  readonly isRecorded: boolean;
}

/** What was put into the conversation in the person's name, but not by a message: a prompt for a sub-agent. */
export interface InsertedTextItem extends Timed {
  readonly kind: 'inserted-text';
  readonly text: string;
}

const noticeTypes = [
  'agent.notice',
  'diagnostic',
  'grant.created',
  'grant.ended',
  'mode.changed',
  'model.changed',
  'process.exited',
  'session.failed',
  'session.reopened',
  'session.stopped',
  'turn.interrupting',
  'turn.overdue',
] as const satisfies readonly EventType[];

/** Told by a part that is fetched later. */
const laterTypes = [
  'branch.committed',
  'branch.landed',
  'branch.pushed',
  'files.restored',
  'session.forked',
] as const satisfies readonly EventType[];
export type LaterNotice = EventOf<(typeof laterTypes)[number] | 'session.created'>;

export type NoticeEvent = EventOf<(typeof noticeTypes)[number]> | LaterNotice;

export interface NoticeItem extends Timed {
  readonly kind: 'notice';
  readonly event: NoticeEvent;
}

/** That a session was made is told of a fork alone. */
export const isToldLater = (event: Event): event is LaterNotice =>
  event.type === 'session.created'
    ? event.forkedFrom !== undefined
    : (laterTypes as readonly string[]).includes(event.type);

/** A row for the event if it is one that is only told: of the exits of a process only crashes are news. */
export const isNotice = (event: Event): event is NoticeEvent =>
  isToldLater(event) ||
  ((noticeTypes as readonly string[]).includes(event.type) &&
    (event.type !== 'process.exited' || event.crashed));
