import {
  createCssVariablesTheme,
  createHighlighterCore,
  type DynamicImportLanguageRegistration,
  type HighlighterCore,
} from '@shikijs/core';
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import type { Language } from './language.logic.ts';
import type { HighlightReply, HighlightRequest, Line, Piece } from './pieces.ts';

/** Colours code beside the page: a grammar's first line alone would take longer than a frame. */
const grammars: Readonly<Record<Language, DynamicImportLanguageRegistration>> = {
  bash: () => import('@shikijs/langs/bash'),
  c: () => import('@shikijs/langs/c'),
  csharp: () => import('@shikijs/langs/csharp'),
  css: () => import('@shikijs/langs/css'),
  diff: () => import('@shikijs/langs/diff'),
  docker: () => import('@shikijs/langs/docker'),
  go: () => import('@shikijs/langs/go'),
  html: () => import('@shikijs/langs/html'),
  java: () => import('@shikijs/langs/java'),
  json: () => import('@shikijs/langs/json'),
  kotlin: () => import('@shikijs/langs/kotlin'),
  markdown: () => import('@shikijs/langs/markdown'),
  php: () => import('@shikijs/langs/php'),
  python: () => import('@shikijs/langs/python'),
  ruby: () => import('@shikijs/langs/ruby'),
  rust: () => import('@shikijs/langs/rust'),
  sql: () => import('@shikijs/langs/sql'),
  swift: () => import('@shikijs/langs/swift'),
  toml: () => import('@shikijs/langs/toml'),
  tsx: () => import('@shikijs/langs/tsx'),
  typescript: () => import('@shikijs/langs/typescript'),
  xml: () => import('@shikijs/langs/xml'),
  yaml: () => import('@shikijs/langs/yaml'),
};

const theme = createCssVariablesTheme({ name: 'page', variablePrefix: '--' });
let highlighter: Promise<HighlighterCore> | undefined;

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  void linesOf(data).then((lines) => {
    const reply: HighlightReply = { id: data.id, lines };
    postMessage(reply);
  });
});

async function linesOf({ code, language }: HighlightRequest): Promise<readonly Line[] | null> {
  try {
    highlighter ??= createHighlighterCore({
      themes: [theme],
      langs: [],
      engine: createJavaScriptRegexEngine({ forgiving: true }),
    });
    const ready = await highlighter;
    await ready.loadLanguage(grammars[language]);
    const lines = ready.codeToTokensBase(code, {
      lang: language,
      theme: 'page',
      tokenizeMaxLineLength: 2_000,
      tokenizeTimeLimit: 2_000,
    });
    return lines.map((tokens) => joined(tokens.map(({ color, content }) => [kindOf(color), content])));
  } catch {
    return null;
  }
}

/** `var(--token-keyword)` is a keyword. */
const kindOf = (color: string | undefined): string => /--token-([\w-]+)/.exec(color ?? '')?.[1] ?? '';

function joined(pieces: readonly Piece[]): Line {
  const line: Piece[] = [];
  for (const [kind, text] of pieces) {
    const last = line.at(-1);
    if (last !== undefined && last[0] === kind) line[line.length - 1] = [kind, last[1] + text];
    else line.push([kind, text]);
  }
  return line;
}
