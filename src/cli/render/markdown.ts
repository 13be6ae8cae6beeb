import type { MarkedToken, Token, Tokens } from 'marked';
import { markdownTokens } from '../../model/markdown.ts';
import { visibleLine } from '../../model/suspicious-text.ts';
import { type Paint, paintsNothing, type Tone } from './paint.ts';
import { stripEscapes } from './safe-text.ts';
import { textWidth, wrapped } from './text-width.ts';

export interface Page {
  readonly paint: Paint;
  /** In columns. */
  readonly width: number;
}

/** Deeper than this, quotes in quotes and lists in lists are shown as they were written. */
const deepest = 10;

/** Markdown as lines of a terminal. What could control one must have been taken out of it before. */
export const markdownLines = (text: string, page: Page): string[] =>
  blockLines(markdownTokens(text), page, 0);

/** Markdown that grows: blocks come out once, when they are finished, and the last one can be looked at on its way. */
export class MarkdownFlow {
  #rest = '';
  #hasBegun = false;

  /** The lines of what is finished with this. */
  push(more: string, page: Page): string[] {
    this.#rest += more;
    // A line that is not whole may still become part of the block before it.
    const whole = this.#rest.slice(0, this.#rest.lastIndexOf('\n') + 1);
    const tokens = markdownTokens(whole);
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    const finished = tokens.slice(0, Math.max(0, last));
    const length = finished.reduce((sum, { raw }) => sum + raw.length, 0);
    // Were a token not the text it was made of, something could be said twice: then all waits for the end.
    if (tokens.map(({ raw }) => raw).join('') !== whole) return [];
    this.#rest = this.#rest.slice(length);
    return this.#told(finished, page);
  }

  end(page: Page): string[] {
    const rest = this.#rest;
    this.#rest = '';
    return this.#told(markdownTokens(rest), page);
  }

  live(page: Page): string[] {
    const lines = markdownLines(this.#rest, page);
    return this.#hasBegun && lines.length > 0 ? ['', ...lines] : lines;
  }

  #told(tokens: readonly Token[], page: Page): string[] {
    const lines = blockLines(tokens, page, 0);
    if (lines.length === 0) return [];
    const all = this.#hasBegun ? ['', ...lines] : lines;
    this.#hasBegun = true;
    return all;
  }
}

/** One block after the other, with an empty line between them. */
function blockLines(tokens: readonly Token[], page: Page, depth: number, isTight = false): string[] {
  const blocks = tokens.map((token) => linesOf(token, page, depth)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, at) => (at === 0 || isTight ? lines : ['', ...lines]));
}

function linesOf(given: Token, page: Page, depth: number): string[] {
  const { paint, width } = page;
  if (depth > deepest) return paragraph(given.raw.trimEnd(), width);
  const token = given as MarkedToken;
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'heading': {
      const mark = paintsNothing(paint) ? `${'#'.repeat(token.depth)} ` : '';
      return paragraph(
        mark + inline(token.tokens, paint, token.depth === 1 ? ['bold', 'underline'] : ['bold']),
        width,
      );
    }
    case 'paragraph':
      return paragraph(inline(token.tokens, paint, []), width);
    case 'code':
      return codeLines(token, paint);
    case 'blockquote':
      return blockLines(token.tokens, { paint, width: width - 2 }, depth + 1).map((line) =>
        `${paint('dim', '│')} ${line}`.trimEnd(),
      );
    case 'list':
      return listLines(token, page, depth);
    case 'table':
      return tableLines(token, page);
    case 'hr':
      return [paint('dim', '─'.repeat(Math.max(3, Math.min(width, 40))))];
    case 'html':
      return paragraph(token.raw.trimEnd(), width);
    case 'text':
      return paragraph(inline(token.tokens ?? [token], paint, []), width);
    default:
      return paragraph(inline([token], paint, []), width);
  }
}

const paragraph = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrapped(line, width));

/** As it is, to be copied: long lines are broken by the terminal alone. */
function codeLines({ text, lang = '' }: Tokens.Code, paint: Paint): string[] {
  const name = lang.split(/\s/)[0] ?? '';
  const lines = text.split('\n').map((line) => `  ${paint('cyan', line.replaceAll('\t', '    '))}`);
  if (!paintsNothing(paint)) return name === '' ? lines : [paint('dim', `  ${name}`), ...lines];
  return [`  \`\`\`${name}`, ...lines, '  ```'];
}

function listLines(
  { items, ordered, start, loose }: Tokens.List,
  { paint, width }: Page,
  depth: number,
): string[] {
  const first = typeof start === 'number' ? start : 1;
  return items.flatMap((item, at) => {
    const mark = item.task ? (item.checked === true ? '☑ ' : '☐ ') : ordered ? `${first + at}. ` : '• ';
    const indent = ' '.repeat(textWidth(mark));
    const lines = blockLines(item.tokens, { paint, width: width - indent.length }, depth + 1, !loose);
    const [head = '', ...rest] = lines;
    const told = [paint('dim', mark) + head, ...rest.map((line) => (line === '' ? '' : indent + line))];
    return loose && at > 0 ? ['', ...told] : told;
  });
}

/** Every column has what it needs where that fits, the widest give way first; where even that is too narrow, a row is a list. */
function tableLines({ header, rows }: Tokens.Table, { paint, width }: Page): string[] {
  const cells = [header, ...rows].map((row, at) =>
    row.map(({ tokens }) => inline(tokens, paint, at === 0 ? ['bold'] : []).replaceAll('\n', ' ')),
  );
  const count = header.length;
  const room = width - 3 * (count - 1);
  if (room < 4 * count) return recordLines(cells, { paint, width });
  const widths = fittingWidths(
    Array.from({ length: count }, (_, column) =>
      Math.max(1, ...cells.map((row) => textWidth(row[column] ?? ''))),
    ),
    room,
  );
  const line = (row: readonly string[]): string[] => {
    const columns = widths.map((wide, column) => wrapped(row[column] ?? '', wide));
    const height = Math.max(...columns.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) =>
      columns
        .map((column, index) => padded(column[at] ?? '', widths[index] ?? 0, header[index]?.align ?? null))
        .join(paint('dim', ' │ '))
        .trimEnd(),
    );
  };
  const rule = paint('dim', widths.map((wide) => '─'.repeat(wide)).join('─┼─'));
  const [head = [], ...others] = cells;
  return [...line(head), rule, ...others.flatMap(line)];
}

function recordLines([head = [], ...rows]: readonly (readonly string[])[], { width }: Page): string[] {
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : ['']),
    ...row.flatMap((cell, column) => wrapped(`${head[column] ?? ''}: ${cell}`, width)),
  ]);
}

function fittingWidths(wanted: readonly number[], room: number): number[] {
  const widths = [...wanted];
  for (let over = widths.reduce((sum, wide) => sum + wide, 0) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

function padded(text: string, width: number, align: 'left' | 'right' | 'center' | null): string {
  const room = Math.max(0, width - textWidth(text));
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(room - before);
}

/** Words with their emphasis, code and links; each word has its own colours, so that lines can be broken between them. */
function inline(
  tokens: readonly Token[] | undefined,
  paint: Paint,
  tones: readonly Tone[],
  depth = 0,
): string {
  return (tokens ?? []).map((token) => inlineToken(token as MarkedToken, paint, tones, depth + 1)).join('');
}

function inlineToken(token: MarkedToken, paint: Paint, tones: readonly Tone[], depth: number): string {
  const isPlain = paintsNothing(paint);
  const words = (text: string, ...more: Tone[]) => painted(text, paint, [...tones, ...more]);
  const within = (inner: readonly Token[] | undefined, ...more: Tone[]) =>
    inline(inner, paint, [...tones, ...more], depth);
  if (depth > deepest) return words(token.raw);
  switch (token.type) {
    case 'strong':
      return isPlain ? `**${within(token.tokens)}**` : within(token.tokens, 'bold');
    case 'em':
      return isPlain ? `*${within(token.tokens)}*` : within(token.tokens, 'italic');
    case 'del':
      return isPlain ? `~~${within(token.tokens)}~~` : within(token.tokens, 'strikethrough');
    case 'codespan':
      return isPlain ? `\`${token.text}\`` : words(token.text, 'cyan');
    case 'br':
      return '\n';
    case 'link':
      return link(within(token.tokens, 'underline'), decoded(token.text), token.href, paint);
    case 'image':
      return link(words(decoded(token.text), 'underline'), decoded(token.text), token.href, paint);
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? '\n' : words(token.raw);
    case 'escape':
      return words(token.text);
    case 'text':
      return token.tokens === undefined || token.tokens.length === 0
        ? words(decoded(token.text).replaceAll('\n', ' '))
        : within(token.tokens);
    case 'checkbox':
      return '';
    default:
      return words(token.raw);
  }
}

/** Where it leads is always told: the words may say anything. */
function link(shown: string, text: string, href: string, paint: Paint): string {
  const address = visibleLine(stripEscapes(href));
  const isSame = text === href || `mailto:${text}` === href;
  return isSame ? shown : `${shown} ${painted(`(${address})`, paint, ['dim'])}`;
}

const painted = (text: string, paint: Paint, tones: readonly Tone[]): string =>
  tones.length === 0
    ? text
    : text.replaceAll(/\S+/g, (word) => tones.reduce((told, tone) => paint(tone, told), word));

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  rarr: '→',
  larr: '←',
  times: '×',
};

/** The common ones; one that is not known stays as it was written. A number may stand for what controls a terminal. */
const decoded = (text: string): string =>
  stripEscapes(
    text.replaceAll(
      /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi,
      (whole, decimal, hex, name: string | undefined) => {
        if (name !== undefined) return named[name] ?? whole;
        const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
        return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
          ? String.fromCodePoint(code)
          : whole;
      },
    ),
  );
