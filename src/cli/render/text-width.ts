/** How many columns of a terminal a text takes; colours of our own take none. */
export function textWidth(text: string): number {
  const bare = text.includes('\u001b') ? text.replace(colours, '') : text;
  if (/^[\x20-\x7e]*$/.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of segmenter.segment(bare)) width += graphemeWidth(segment);
  return width;
}

/** What a person takes for one character: a letter with its accents, a flag, a family of emoji. */
export const graphemesOf = (text: string): string[] =>
  /^[\n\t\x20-\x7e]*$/.test(text)
    ? text.split('')
    : Array.from(segmenter.segment(text), ({ segment }) => segment);

/** The text in lines that fit, broken at spaces where there are any; colours stay with their words. */
export function wrapped(text: string, width: number): string[] {
  const most = Math.max(1, width);
  const lines: string[] = [];
  let line = '';
  let taken = 0;
  for (const [word = ''] of text.matchAll(/\s+|[^\s]+/g)) {
    const wide = textWidth(word);
    if (taken + wide <= most) {
      line += word;
      taken += wide;
      continue;
    }
    if (/^\s/.test(word)) {
      lines.push(line);
      [line, taken] = ['', 0];
      continue;
    }
    if (line.trim() !== '') lines.push(line.trimEnd());
    const pieces = cutToWidth(word, most);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
    taken = textWidth(line);
  }
  return [...lines, line.trimEnd()];
}

/** The text in pieces that are no wider; nothing of it is left out. */
export function cutToWidth(word: string, most: number): string[] {
  if (textWidth(word) <= most) return [word];
  const pieces: string[] = [];
  let piece = '';
  let taken = 0;
  for (const part of word.split(colour)) {
    if (part.startsWith('\u001b')) {
      piece += part;
      continue;
    }
    for (const grapheme of graphemesOf(part)) {
      const wide = graphemeWidth(grapheme);
      if (taken + wide > most && taken > 0) {
        pieces.push(piece);
        [piece, taken] = ['', 0];
      }
      piece += grapheme;
      taken += wide;
    }
  }
  return [...pieces, piece];
}

/** Cut to the width, with a sign that it was. */
export function fitting(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const [beginning = ''] = cutToWidth(text, Math.max(1, width - 1));
  return `${beginning}…${text.includes('\u001b') ? '\u001b[0m' : ''}`;
}

function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (emoji.test(grapheme)) return 2;
  if (nothingToSee.test(grapheme)) return 0;
  return isWide(code) ? 2 : 1;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the colour sequences that are meant
const colour = /(\u001b\[[\d;]*m)/;
const colours = new RegExp(colour.source, 'g');
/** Shown as a picture by itself, made one by the selector behind it, or a flag of two letters. */
const emoji = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[#*\d]\ufe0f?\u20e3|\p{RI}\p{RI})/u;
const nothingToSee = /^[\p{Mn}\p{Me}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u;

/** Letters of East Asia, and their full-width forms. */
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2fb],
  [0x20000, 0x3fffd],
];

const isWide = (code: number): boolean =>
  code >= 0x1100 && wideRanges.some(([from, to]) => code >= from && code <= to);
