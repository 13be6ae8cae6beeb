import { Lexer, type Token } from 'marked';

/** Beyond this, looking for marks inside a paragraph costs more than they tell; it is shown as it is. */
const longestInline = 20_000;

/** What a text in markdown is made of: paragraphs, lists, pieces of code; their `raw` joined is the text. */
export function markdownTokens(text: string): Token[] {
  return tokensOf(text) ?? text.split(/(?<=\n\n)/).flatMap((part) => tokensOf(part) ?? [verbatim(part)]);
}

/** Undefined when something in it is nested deeper than the stack: nobody wrote that to be read. */
function tokensOf(text: string): Token[] | undefined {
  try {
    const lexer = new Lexer({ gfm: true });
    const tokens = lexer.blockTokens(text, []);
    for (const { src, tokens: into } of lexer.inlineQueue) {
      if (src.length <= longestInline) lexer.inlineTokens(src, into);
      else into.push({ type: 'text', raw: src, text: src });
    }
    return tokens;
  } catch {
    return undefined;
  }
}

const verbatim = (text: string): Token => ({ type: 'text', raw: text, text });
