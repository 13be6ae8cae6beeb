import type { Token } from 'marked';
import { markdownTokens } from '../../model/markdown.ts';
import { plainText } from '../text/plain-text.ts';
import { complete } from './complete.logic.ts';

/** A paragraph, a list, a piece of code: what is drawn, and drawn anew, as one. */
export interface Block {
  readonly raw: string;
  readonly token: Token;
}

/**
 * Reads markdown that grows. Blocks that are finished stay the same objects, so that only the last one is drawn anew
 * while a text streams.
 */
export class MarkdownReader {
  #text = '';
  #blocks: readonly Block[] = [];
  /** How much of the text the finished blocks cover, and how many they are. */
  #settled = { length: 0, count: 0 };
  #isLive = false;

  read(markdown: string, isLive: boolean): readonly Block[] {
    const text = plainText(markdown);
    if (text === this.#text && isLive === this.#isLive) return this.#blocks;
    const goesOn = isLive && text.startsWith(this.#text.slice(0, this.#settled.length));
    if (!goesOn) this.#settled = { length: 0, count: 0 };
    const kept = this.#blocks.slice(0, this.#settled.count);
    const rest = text.slice(this.#settled.length);
    const fresh = blocksOf(isLive ? complete(rest) : rest);
    this.#blocks = reuse([...kept, ...fresh], this.#blocks);
    if (isLive) this.#settle(rest, fresh);
    this.#text = text;
    this.#isLive = isLive;
    return this.#blocks;
  }

  /** All but the last block are finished: what comes can only add to that one. */
  #settle(rest: string, fresh: readonly Block[]): void {
    const last = fresh.findLastIndex(({ token }) => token.type !== 'space');
    let from = 0;
    for (const { raw } of fresh.slice(0, Math.max(0, last))) {
      // Completed in the middle: it is not yet as it was written.
      if (!rest.startsWith(raw, from)) return;
      from += raw.length;
      this.#settled = { length: this.#settled.length + raw.length, count: this.#settled.count + 1 };
    }
  }
}

const remembered = new Map<string, readonly Block[]>();
const mostRemembered = 300;

/** The blocks of a text that is finished. Rows come and go while one scrolls; what was read lately is not read again. */
export function readMarkdown(markdown: string): readonly Block[] {
  const known = remembered.get(markdown);
  if (known !== undefined) return known;
  const blocks = blocksOf(plainText(markdown));
  remembered.set(markdown, blocks);
  const [oldest] = remembered.keys();
  if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
  return blocks;
}

const blocksOf = (text: string): Block[] => markdownTokens(text).map((token) => ({ raw: token.raw, token }));

const reuse = (next: readonly Block[], before: readonly Block[]): readonly Block[] =>
  next.map((block, at) => {
    const known = before[at];
    return known !== undefined && known.raw === block.raw && known.token.type === block.token.type
      ? known
      : block;
  });
