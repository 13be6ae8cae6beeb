/**
 * Markdown in the middle of being written, made whole: marks that are not closed yet are closed, and a last line that
 * may still become something else is left out. Otherwise `**bo` flashes as asterisks, and a dash under a line makes a
 * heading of it until its list item is written.
 */
export function complete(markdown: string): string {
  if (isInCode(markdown)) return markdown;
  const text = withoutUndecided(markdown);
  const start = lastParagraph(text);
  return text.slice(0, start) + closed(text.slice(start));
}

function isInCode(markdown: string): boolean {
  let fence: string | undefined;
  for (const [, mark = '', info = ''] of markdown.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (fence === undefined) fence = mark;
    else if (mark[0] === fence[0] && mark.length >= fence.length && info.trim() === '') fence = undefined;
  }
  return fence !== undefined;
}

/** A line of marks alone: a rule, a heading, a list item or a fence, as soon as more is written. */
const onlyMarks = /(^|\n)[ \t>]*(?:[-=*_+~`#]+|\d{1,9}[.)]?|[-*+] \[[ xX]?\]?)?[ \t]*$/;

function withoutUndecided(markdown: string): string {
  const text = markdown.replace(onlyMarks, '$1');
  // The first line of a table is one only when the line of dashes below it is there.
  const paragraph = text.slice(lastParagraph(text));
  const isTable = paragraph.startsWith('|') && !/\n[ |:-]*-[ |:-]*\n/.test(paragraph);
  return isTable ? text.slice(0, text.length - paragraph.length) : text;
}

function lastParagraph(text: string): number {
  const [blank] = [...text.matchAll(/\n[ \t]*\n/g)].slice(-1);
  return blank === undefined ? 0 : blank.index + blank[0].length;
}

const mark = /\\.|(`+)|(!?\[)|(\]\([^)\s]*\)?)|(\*{1,3}|_{1,3}|~~)/gs;

interface Open {
  readonly is: string;
  readonly at: number;
}

/** The marks that are open at the end of a paragraph, closed in the order in which they have to be. */
function closed(paragraph: string): string {
  const open: Open[] = [];
  let code: Open | undefined;
  for (const found of paragraph.matchAll(mark)) {
    const [whole, ticks, bracket, target, emphasis] = found;
    if (code !== undefined) {
      if (ticks === code.is) code = undefined;
    } else if (ticks !== undefined) code = { is: ticks, at: found.index };
    else if (bracket !== undefined) open.push({ is: bracket, at: found.index });
    else if (target !== undefined) {
      const from = open.findLast(({ is }) => is.endsWith('['));
      if (from !== undefined && !target.endsWith(')')) return withoutLink(paragraph, from, found.index, open);
      if (from !== undefined) open.splice(open.indexOf(from), 1);
    } else if (emphasis !== undefined) toggle(open, paragraph, { is: whole, at: found.index });
  }
  if (code !== undefined) return withEnd(paragraph, [code]);
  const links = open.filter(({ is }) => is.endsWith('['));
  const last = links.at(-1);
  if (last !== undefined && !paragraph.slice(last.at).includes(']'))
    return withoutLink(paragraph, last, paragraph.length, open);
  return withEnd(
    paragraph,
    open.filter(({ is }) => !is.endsWith('[')),
  );
}

function toggle(open: Open[], paragraph: string, { is, at }: Open): void {
  const known = open.findLastIndex((each) => each.is === is);
  const isBeforeWord = /\S/.test(paragraph[at + is.length] ?? ' ');
  const isAfterWord = /\w/.test(paragraph[at - 1] ?? ' ');
  if (known !== -1 && /\S/.test(paragraph[at - 1] ?? ' ')) open.splice(known);
  else if ((isBeforeWord || at + is.length === paragraph.length) && !(is.startsWith('_') && isAfterWord))
    open.push({ is, at });
}

/** A link whose address is still being written is its words; a picture is nothing yet. */
function withoutLink(paragraph: string, { is, at }: Open, end: number, open: readonly Open[]): string {
  const words = is === '![' ? '' : paragraph.slice(at + is.length, end);
  const around = open.filter((each) => !each.is.endsWith('[') && each.at < at);
  return withEnd(paragraph.slice(0, at) + words, around);
}

function withEnd(paragraph: string, open: readonly Open[]): string {
  let text = paragraph.trimEnd();
  for (const { is, at } of open.toReversed()) {
    const isEmpty = text.slice(at + is.length).trim() === '';
    text = isEmpty ? text.slice(0, at).trimEnd() : text + is;
  }
  return text;
}
