import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { Lexer, type MarkedToken, type Token } from 'marked';
import { safeLink } from '../safe-link.ts';
import { oneLineOf } from './one-line.ts';
import type { ExportedSession } from './session-export.ts';
import type { StoryPart } from './story.ts';
import { style } from './style.ts';

/**
 * A session as one page that needs nothing else and runs nothing: what agents and tools said is text, whatever it looks like, and
 * should any of it become markup after all, the page's own policy keeps it from loading and running anything.
 */
export function htmlOf({ title, facts, parts, contents }: ExportedSession): string {
  const policy = `default-src 'none'; style-src 'sha256-${base64(sha256(utf8ToBytes(style)))}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Beckon">
<title>${escaped(oneLineOf(title))}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escaped(oneLineOf(title))}</h1>
<dl>${facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(oneLineOf(value))}</dd></div>`).join('')}</dl>
</header>
<main>
${parts.map(partOf).join('\n')}
</main>
<footer><p>${escaped(contents)}</p></footer>
</body>
</html>
`;
}

function partOf(part: StoryPart): string {
  const { depth, at } = part;
  const nested = depth === 0 ? '' : ` nested-${Math.min(depth, 3)}`;
  const time = `<time datetime="${escaped(at)}">${escaped(at.slice(0, 16).replace('T', ' '))}</time>`;
  switch (part.is) {
    case 'message':
      return `<section class="message${nested}"><h2>You ${time}</h2>${paragraphs(part.text)}${pictures(part.pictures)}</section>`;
    case 'text':
      return `<section class="text${nested}">${markdown(part.text)}</section>`;
    case 'thinking':
      return `<details class="thinking${nested}"><summary>Thinking</summary>${markdown(part.text)}</details>`;
    case 'tool': {
      const { result } = part;
      const said =
        result === null
          ? '<p class="quiet">No result.</p>'
          : `${result.text === '' ? '<p class="quiet">No output.</p>' : pre(result.text)}${pictures(result.pictures)}`;
      const failed = result?.isError ? ' <span class="failed">failed</span>' : '';
      return `<details class="tool${nested}"><summary><b>${escaped(part.name)}</b> <code>${escaped(part.gist.slice(0, 200))}</code>${failed}</summary>${part.input === '' ? '' : pre(part.input)}${said}</details>`;
    }
    case 'ask': {
      const end = part.end === null ? 'Still open' : oneLineOf(part.end.words);
      const outcome = part.end?.outcome ?? 'open';
      return `<section class="ask ${outcome}${nested}"><h2>Asked ${time}</h2><p><b>${escaped(part.title)}</b></p>${part.body === '' ? '' : pre(part.body)}<p class="end">${escaped(end)}</p></section>`;
    }
    case 'note':
      return `<p class="note ${part.tone}${nested}">${escaped(part.text)}</p>`;
  }
}

const pre = (text: string): string => `<pre>${escaped(text)}</pre>`;

const paragraphs = (text: string): string => `<div class="plain">${escaped(text)}</div>`;

const pictures = (count: number): string =>
  count === 0
    ? ''
    : `<p class="quiet">${count === 1 ? 'One picture' : `${count} pictures`}, not in this file.</p>`;

/** Deeper than this, lists in lists and marks in marks are shown as they were written. */
const deepest = 10;

/** Markdown as a reader expects it. HTML in it is shown, links that would run something are words, and no picture is fetched. */
function markdown(text: string): string {
  try {
    return blocks(new Lexer({ gfm: true }).lex(text), 0);
  } catch {
    return paragraphs(text);
  }
}

const blocks = (tokens: readonly Token[], depth: number): string =>
  tokens.map((token) => block(token, depth)).join('');

function block(given: Token, depth: number): string {
  if (depth > deepest) return pre(given.raw);
  const token = given as MarkedToken;
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return '';
    case 'paragraph':
      return `<p>${words(token.tokens)}</p>`;
    case 'heading': {
      const level = Math.min(6, token.depth + 2);
      return `<h${level}>${words(token.tokens)}</h${level}>`;
    }
    case 'code':
      return pre(token.text);
    case 'blockquote':
      return `<blockquote>${blocks(token.tokens, depth + 1)}</blockquote>`;
    case 'list': {
      const tag = token.ordered ? 'ol' : 'ul';
      const items = token.items.map(
        ({ tokens, task, checked }) =>
          `<li>${task ? (checked ? '☑ ' : '☐ ') : ''}${blocks(tokens, depth + 1)}</li>`,
      );
      const start =
        token.ordered && typeof token.start === 'number' && token.start !== 1
          ? ` start="${token.start}"`
          : '';
      return `<${tag}${start}>${items.join('')}</${tag}>`;
    }
    case 'table': {
      const row = (cells: readonly { tokens: Token[] }[], tag: 'th' | 'td') =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${words(tokens)}</${tag}>`).join('')}</tr>`;
      return `<div class="wide"><table>${row(token.header, 'th')}${token.rows.map((cells) => row(cells, 'td')).join('')}</table></div>`;
    }
    case 'hr':
      return '<hr>';
    case 'html':
      return pre(token.raw.trimEnd());
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? words(token.tokens) : escapedText(token.text);
    default:
      return words([token]);
  }
}

const words = (tokens: readonly Token[] | undefined, depth = 0): string =>
  (tokens ?? []).map((token) => word(token, depth + 1)).join('');

function word(given: Token, depth: number): string {
  if (depth > deepest) return escaped(given.raw);
  const token = given as MarkedToken;
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return `<${token.type}>${words(token.tokens, depth)}</${token.type}>`;
    case 'codespan':
      return `<code>${escaped(token.text)}</code>`;
    case 'br':
      return '<br>';
    case 'link': {
      const link = safeLink(token.href);
      const label = words(token.tokens, depth);
      return link === undefined
        ? label
        : `<a href="${escaped(link.href)}" rel="noopener noreferrer nofollow" title="${escaped(link.href)}">${label}</a>`;
    }
    case 'image':
      return `[picture: ${escaped(token.text || token.href)}]`;
    case 'escape':
      return escaped(token.text);
    case 'text':
      return 'tokens' in token && token.tokens !== undefined && token.tokens.length > 0
        ? words(token.tokens, depth)
        : escapedText(token.text);
    default:
      return escaped(token.raw);
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

/** Prose may name characters; those few that only stand for themselves are let through. */
const escapedText = (text: string): string =>
  escaped(text).replaceAll(/&amp;(amp|lt|gt|quot|nbsp|copy|hellip|mdash|ndash|rarr|larr|times);/g, '&$1;');

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
