import { type Passage, passagesOf } from '../text/plain-text.ts';
import type { Conversation } from './conversation.logic.ts';
import { isToldLater, type NoticeEvent, type Row, type ToolItem, type TurnEndItem } from './row.ts';
import { isAtWork, type NotMade, notMadeAfter, sinceAllowed } from './tool-call.logic.ts';

export type TailLine =
  | { readonly key: string; readonly kind: 'message'; readonly text: string }
  | {
      readonly key: string;
      readonly kind: 'text' | 'thinking';
      readonly passages: readonly Passage[];
      readonly isLive: boolean;
    }
  | {
      readonly key: string;
      readonly kind: 'tool';
      readonly item: ToolItem;
      readonly notMade: NotMade | null;
      readonly depth: number;
    }
  | { readonly key: string; readonly kind: 'turn-end'; readonly end: TurnEndItem['end'] }
  | { readonly key: string; readonly kind: 'notice'; readonly event: NoticeEvent };

/** A monitor shows no more of one text than this; the rest is not even looked at. */
const longestText = 900;

/** The last things that happened, oldest first: what a glance at a monitor should tell. */
export function tailOf(conversation: Conversation, most: number): TailLine[] {
  const lines: TailLine[] = [];
  collect(conversation, conversation.rows, { most, depth: 0 }, lines);
  return lines.reverse();
}

/** From the end: of a sub-agent at work its own last steps come before the call that started it. */
function collect(
  conversation: Conversation,
  rows: readonly Row[],
  { most, depth }: { readonly most: number; readonly depth: number },
  lines: TailLine[],
): void {
  for (let at = rows.length - 1; at >= 0 && lines.length < most; at -= 1) {
    const row = rows[at];
    if (row === undefined) return;
    // The card tells of it, and it has not begun.
    if (row.item.kind === 'tool' && conversation.isAsked(row.item)) continue;
    if (hasOneAtWork(row)) {
      const within = { most: Math.min(most, lines.length + 3), depth: depth + 1 };
      collect(conversation, row.children, within, lines);
    }
    const line = lineOf(conversation, row, depth);
    if (line !== undefined) lines.push(line);
  }
}

const hasOneAtWork = ({ item, children }: Row): boolean =>
  item.kind === 'tool' && children.length > 0 && isAtWork(item);

function lineOf(conversation: Conversation, { key, item }: Row, depth: number): TailLine | undefined {
  switch (item.kind) {
    case 'message':
      return { key, kind: 'message', text: item.text };
    case 'text':
    case 'thinking': {
      const passages = lastPart(item.text);
      return passages.length === 0 ? undefined : { key, kind: item.kind, passages, isLive: item.isLive };
    }
    case 'tool': {
      const asked = conversation.interaction(item.interactionId ?? '');
      return { key, kind: 'tool', item: sinceAllowed(item, asked), notMade: notMadeAfter(asked), depth };
    }
    case 'turn-end':
      return item.end.outcome === 'completed' ? undefined : { key, kind: 'turn-end', end: item.end };
    case 'notice':
      return isQuiet(item.event) ? undefined : { key, kind: 'notice', event: item.event };
    case 'interaction':
    case 'inserted-text':
      return undefined;
  }
}

/** Told in the session, but no news at a glance. */
const quiet: readonly NoticeEvent['type'][] = ['diagnostic', 'mode.changed', 'model.changed'];

const isQuiet = (event: NoticeEvent): boolean =>
  isToldLater(event) ||
  quiet.includes(event.type) ||
  (event.type === 'agent.notice' && event.level === 'info');

/** The end of a text, from the beginning of a line on; whether that line is code is told by the fences before it. */
function lastPart(text: string): readonly Passage[] {
  if (text.length <= longestText) return passagesOf(text);
  const cut = text.indexOf('\n', text.length - longestText) + 1;
  const from = cut === 0 ? text.length - longestText : cut;
  const isInCode = (text.slice(0, from).match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1;
  return passagesOf(`${isInCode ? '```\n' : ''}${text.slice(from)}`);
}
