import type { PartialBlock, SessionSnapshot } from '../../protocol/announcement.ts';
import type { Delta, Event, EventOf } from '../../protocol/event.ts';
import type { Ask } from '../../protocol/interaction.ts';
import { eventLines, toolCallLine, toolResultLine } from './event-lines.ts';
import { MarkdownFlow, type Page } from './markdown.ts';
import { completedLines, outcomeLine } from './outcome-line.ts';
import { type Paint, plain } from './paint.ts';
import { createEscapeStripper, type EscapeStripper, stripEscapes } from './safe-text.ts';

export interface TranscriptOptions {
  readonly paint: Paint;
  /** The width of the terminal, in which markdown is then shown; without it, what is said flows as it comes. */
  readonly width?: (() => number) | undefined;
  /** Messages typed into this very terminal stand there already. */
  readonly isOwnMessage?: (messageId: string) => boolean;
  readonly isOwnAnswer?: (interactionId: string) => boolean;
}

/** Turns a session's news into text for a terminal. Each method returns what is to be written next. */
export interface Transcript {
  snapshot(snapshot: SessionSnapshot): string;
  event(event: Event): string;
  delta(delta: Delta): string;
  /** A line that is not of the conversation. */
  line(text: string): string;
  /** The lines of what is being said and not finished; none where it flows. */
  live(): string;
}

/** A block of the agent's words on its way. */
interface Block {
  readonly kind: 'text' | 'thinking';
  readonly depth: number;
  readonly stripper: EscapeStripper;
  heard: string;
  /** How much of `heard` is on the screen. */
  shown: number;
  readonly markdown: MarkdownFlow;
}

export function createTranscript(options: TranscriptOptions): Transcript {
  const { paint } = options;
  const blocks = new Map<string, Block>();
  const callNames = new Map<string, string>();
  const decisions = new Map<string, { readonly outcome: string; readonly lines: readonly string[] }>();
  /** What is asked and wants to be shown in its own way when it is over. */
  const asked = new Map<string, Ask>();
  const depths = new Map<string, number>();
  /** The one block that is being written; others wait, since two at once could not be read. */
  let current: string | undefined;
  let isAtLineStart = true;
  let lastSeq = 0;
  let partial: { upTo: number; blocks: readonly PartialBlock[] } | undefined;

  return {
    snapshot(snapshot) {
      partial = { upTo: snapshot.lastSeq, blocks: snapshot.partial };
      return lastSeq >= snapshot.lastSeq ? takePartial() : '';
    },
    event(event) {
      lastSeq = event.seq;
      const text = tell(event);
      return partial !== undefined && event.seq >= partial.upTo ? text + takePartial() : text;
    },
    delta(delta) {
      const before = takePartial();
      return before + takeDelta(delta);
    },
    line: (text) => wholeLines([text], 0),
    live() {
      const block = current === undefined ? undefined : blocks.get(current);
      if (block === undefined || options.width === undefined) return '';
      return indented(shaded(block.markdown.live(pageOf(block)), block.kind), block.depth).join('\n');
    },
  };

  function tell(event: Event): string {
    switch (event.type) {
      case 'agent.text':
      case 'agent.thinking':
        return finishBlock(event);
      case 'tool.called': {
        const depth = depthOf(event.parentToolCallId);
        callNames.set(event.toolCallId, event.name);
        if (event.startsAgent) depths.set(event.toolCallId, depth + 1);
        return wholeLines([toolCallLine(event, paint)], depth);
      }
      case 'tool.result': {
        const name = callNames.get(event.toolCallId);
        callNames.delete(event.toolCallId);
        return wholeLines([toolResultLine(event, name, paint)], depthOf(event.parentToolCallId));
      }
      case 'message.taken': {
        if (options.isOwnMessage?.(event.messageId)) return '';
        const images = event.images.length === 0 ? '' : ` (${event.images.length} image(s))`;
        const lines = stripEscapes(event.text + images).split('\n');
        return wholeLines(
          lines.map((line, index) => paint('cyan', `${index === 0 ? '› ' : '  '}${line}`)),
          0,
        );
      }
      case 'interaction.requested':
        if (event.ask.form?.completedView !== undefined) asked.set(event.interactionId, event.ask);
        return wholeLines(eventLines(event, paint), depthOf(event.ask.parentToolCallId));
      case 'interaction.decided': {
        const ask = asked.get(event.interactionId);
        const lines = ask === undefined ? [] : completedLines(ask, event.decision, paint);
        decisions.set(event.interactionId, { outcome: event.outcome, lines });
        return '';
      }
      case 'interaction.resolved': {
        const { outcome: decided, lines = [] } = decisions.get(event.interactionId) ?? {};
        decisions.delete(event.interactionId);
        asked.delete(event.interactionId);
        const isOurs = options.isOwnAnswer?.(event.interactionId) ?? false;
        return wholeLines([outcomeLine({ ...event, decided }, isOurs, paint), ...lines], 0);
      }
      default: {
        const parent = 'parentToolCallId' in event ? event.parentToolCallId : undefined;
        return wholeLines(eventLines(event, paint), depthOf(parent));
      }
    }
  }

  function takePartial(): string {
    const parts = partial?.blocks ?? [];
    partial = undefined;
    return parts.map((part) => (part.kind === 'tool-input' ? '' : catchUp(part))).join('');
  }

  /** A snapshot tells all that was said so far; what of it is on the screen already is not said again. */
  function catchUp(part: PartialBlock): string {
    const { key, block } = blockOf(part);
    if (part.text.startsWith(block.heard)) block.heard = part.text;
    return showMore(key, block);
  }

  function takeDelta(delta: Delta): string {
    if (delta.kind === 'tool-input') return '';
    const { key, block } = blockOf(delta);
    block.heard += delta.text;
    return showMore(key, block);
  }

  function showMore(key: string, block: Block): string {
    if (current !== undefined && current !== key) return '';
    const text = block.heard.slice(block.shown);
    if (text === '') return '';
    const begin = current === key ? '' : freshLine();
    current = key;
    block.shown = block.heard.length;
    return begin + told(block, block.stripper.push(text));
  }

  function told(block: Block, text: string): string {
    if (options.width === undefined) return flow(text, block.kind, block.depth);
    return wholeLines(shaded(block.markdown.push(text, pageOf(block)), block.kind), block.depth);
  }

  function pageOf({ kind, depth }: Pick<Block, 'kind' | 'depth'>): Page {
    const width = Math.max(20, (options.width?.() ?? 80) - 1 - 2 * depth);
    return { width, paint: kind === 'thinking' ? plain : paint };
  }

  /** What is thought is not said: it is pale, whatever it holds. */
  function shaded(lines: readonly string[], kind: Block['kind']): readonly string[] {
    return kind === 'thinking' ? lines.map((line) => paint('dim', line)) : lines;
  }

  /** The stored text is the truth: what is missing of it on the screen is added, and what differs is said whole. */
  function finishBlock(event: EventOf<'agent.text' | 'agent.thinking'>): string {
    const key = `${event.agentMessageId}:${event.block}`;
    const kind = event.type === 'agent.text' ? 'text' : 'thinking';
    const block = blocks.get(key);
    blocks.delete(key);
    const depth = depthOf(event.parentToolCallId);
    const isContinued =
      block !== undefined && block.shown > 0 && event.text.startsWith(block.heard.slice(0, block.shown));
    const begin = isContinued && current === key ? '' : freshLine();
    if (current === key) current = undefined;
    const rest = isContinued ? block.stripper.push(event.text.slice(block.shown)) : stripEscapes(event.text);
    if (options.width === undefined) return begin + flow(rest, kind, depth) + freshLine();
    const page = pageOf({ kind, depth });
    const markdown = isContinued ? block.markdown : new MarkdownFlow();
    return begin + wholeLines(shaded([...markdown.push(rest, page), ...markdown.end(page)], kind), depth);
  }

  function blockOf(delta: Delta): { key: string; block: Block } {
    const key = `${delta.messageId}:${delta.block}`;
    const known = blocks.get(key);
    if (known !== undefined) return { key, block: known };
    const block: Block = {
      kind: delta.kind === 'thinking' ? 'thinking' : 'text',
      depth: depthOf(delta.parentToolCallId),
      stripper: createEscapeStripper(),
      heard: '',
      shown: 0,
      markdown: new MarkdownFlow(),
    };
    blocks.set(key, block);
    return { key, block };
  }

  function depthOf(parentToolCallId: string | undefined): number {
    return parentToolCallId === undefined ? 0 : (depths.get(parentToolCallId) ?? 1);
  }

  /** Running text, each of its lines indented. */
  function flow(text: string, kind: Block['kind'], depth: number): string {
    let written = '';
    for (const piece of text.split(/(?<=\n)/)) {
      if (piece === '') continue;
      const isEnd = piece.endsWith('\n');
      const words = isEnd ? piece.slice(0, -1) : piece;
      if (isAtLineStart && words !== '') written += margin(depth);
      written += (kind === 'thinking' ? paint('dim', words) : words) + (isEnd ? '\n' : '');
      isAtLineStart = isEnd;
    }
    return written;
  }

  function wholeLines(lines: readonly string[], depth: number): string {
    if (lines.length === 0) return '';
    return (
      freshLine() +
      indented(lines, depth)
        .map((line) => `${line}\n`)
        .join('')
    );
  }

  function indented(lines: readonly string[], depth: number): string[] {
    return lines.map((line) => (line === '' ? '' : margin(depth) + line));
  }

  function freshLine(): string {
    const end = isAtLineStart ? '' : '\n';
    isAtLineStart = true;
    return end;
  }

  function margin(depth: number): string {
    return depth === 0 ? '' : paint('dim', '│ '.repeat(depth));
  }
}
