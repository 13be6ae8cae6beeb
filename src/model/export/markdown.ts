import { Lexer, type Token } from 'marked';
import { safeLink } from '../safe-link.ts';
import { oneLineOf } from './one-line.ts';
import type { ExportedSession } from './session-export.ts';
import type { StoryPart } from './story.ts';

/**
 * A session as markdown. What agents said stays markdown where it is certain that no program which shows it makes HTML of it, fetches
 * a picture or follows a link that runs something; where it is not, the text is shown as it was written.
 */
export function markdownOf(session: ExportedSession): string {
  const document = documentOf(session, (text) => tamed(text) ?? fenced(text));
  // Each is harmless by itself; together they may be read in another way.
  return isHarmless(document) ? document : documentOf(session, fenced);
}

type Said = (markdown: string) => string;

function documentOf({ title, facts, parts, contents }: ExportedSession, said: Said): string {
  const head = [
    `# ${escaped(oneLineOf(title))}`,
    facts.map(([name, value]) => `- ${name}: ${inline(value)}`).join('\n'),
    `> ${contents}`,
  ];
  const told = parts.map((part) => quoted(bodyOf(part, said), part.depth));
  return `${[...head, ...told].join('\n\n')}\n`;
}

function bodyOf(part: StoryPart, said: Said): string {
  switch (part.is) {
    case 'message':
      return `## You\n\n${withPictures(said(part.text), part.pictures)}`;
    case 'text':
      return said(part.text);
    case 'thinking':
      return quoted(`*Thinking*\n\n${said(part.text)}`, 1);
    case 'tool': {
      const { result } = part;
      const output =
        result === null
          ? '*No result.*'
          : withPictures(
              `${result.isError ? '*Failed:*\n\n' : ''}${result.text === '' ? '*No output.*' : fenced(result.text)}`,
              result.pictures,
            );
      return `**${escaped(part.name)}**\n\n${part.input === '' ? '' : `${fenced(part.input)}\n\n`}${output}`;
    }
    case 'ask':
      return [
        `### Asked: ${escaped(oneLineOf(part.title))}`,
        ...(part.body === '' ? [] : [fenced(part.body)]),
        `**${part.end === null ? 'Still open' : escaped(oneLineOf(part.end.words))}**`,
      ].join('\n\n');
    case 'note':
      return `*${escaped(oneLineOf(part.text))}*`;
  }
}

const withPictures = (text: string, count: number): string =>
  count === 0
    ? text
    : `${text}\n\n*(${count === 1 ? 'one picture' : `${count} pictures`}, not in this file)*`;

const quoted = (text: string, depth: number): string =>
  text
    .split('\n')
    .map((line) => `${'> '.repeat(depth)}${line}`.trimEnd())
    .join('\n');

/** Between more backticks than it has in a row: nothing in it can end the block. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

function inline(text: string): string {
  const line = oneLineOf(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return line === '' ? '' : `${mark} ${line} ${mark}`;
}

const escaped = (text: string): string =>
  text
    .replaceAll(/[\\`*_{}[\]()#+!|~>-]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');

/** Markdown of an agent without what a reader's program could be made to do with it; undefined where that is not certain. */
function tamed(markdown: string): string | undefined {
  const blocks = tokensOf(markdown)?.map((token) =>
    token.type === 'code' ? codeOf(token) : tamedBlock(token),
  );
  const text = blocks?.join('').trim();
  return text === undefined || blocks?.includes(undefined) || !isHarmless(text) ? undefined : text;
}

function isHarmless(markdown: string): boolean {
  const isGood = (token: Token): boolean =>
    !['html', 'image', 'def'].includes(token.type) &&
    (token.type !== 'link' || safeLink(String(token.href)) !== undefined) &&
    childrenOf(token).every(isGood);
  return tokensOf(markdown)?.every(isGood) ?? false;
}

/** Undefined when something in it is nested deeper than the stack. */
function tokensOf(markdown: string): readonly Token[] | undefined {
  try {
    return new Lexer({ gfm: true }).lex(markdown);
  } catch {
    return undefined;
  }
}

/** Written anew: one that is never closed would swallow what follows. */
const codeOf = (token: Token): string => `${fenced('text' in token ? String(token.text) : token.raw)}\n\n`;

function tamedBlock(token: Token): string | undefined {
  let rest = token.raw;
  let done = '';
  for (const special of specialsIn(token)) {
    const at = rest.indexOf(special.raw);
    if (at === -1) return undefined;
    done += withoutHtml(rest.slice(0, at)) + special.as;
    rest = rest.slice(at + special.raw.length);
  }
  return done + withoutHtml(rest);
}

interface Special {
  readonly raw: string;
  readonly as: string;
}

/** The parts of a block that are not to be read for HTML, and those that are to be changed, in order. */
function specialsIn(token: Token): Special[] {
  switch (token.type) {
    case 'codespan':
      return [{ raw: token.raw, as: token.raw }];
    case 'image':
      return [{ raw: token.raw, as: escaped(token.raw) }];
    case 'def':
      return [{ raw: token.raw, as: escaped(token.raw) }];
    case 'link':
      if (safeLink(String(token.href)) === undefined) return [{ raw: token.raw, as: escaped(token.raw) }];
      break;
    default:
  }
  return childrenOf(token).flatMap(specialsIn);
}

function childrenOf(token: Token): readonly Token[] {
  if (token.type === 'list') return token.items as Token[];
  if (token.type === 'table') {
    const cells = [...token.header, ...token.rows.flat()] as { tokens: Token[] }[];
    return cells.flatMap(({ tokens }) => tokens);
  }
  return 'tokens' in token ? (token.tokens ?? []) : [];
}

const withoutHtml = (text: string): string => text.replaceAll(/<(?=[a-z/!?])/gi, '&lt;');
