import { runsAnyProgram } from './programs.ts';

/** Stands in a word for what only the shell knows: a variable, the output of a command. */
export const hole = '\uFFFC';

/** The words of one simple command. */
export interface CommandWords {
  readonly words: readonly string[];
  /** Where its program may stand: of one that runs others, at any word. */
  readonly programs: readonly number[];
}

/**
 * The simple commands that a shell may make of a text, wherever they stand: behind operators, in substitutions, in what is quoted for
 * a program that runs others. It would rather see one too many: this is for rules that deny, never for what allows.
 */
export function commandsIn(text: string): readonly CommandWords[] {
  const known = recent.get(text);
  if (known !== undefined) return known;
  const commands = parsed(text);
  if (recent.size >= mostRecent) recent.clear();
  if (text.length <= longestRecent) recent.set(text, commands);
  return commands;
}

/** The same command is held against many rules, and the same pattern against many commands. */
const recent = new Map<string, readonly CommandWords[]>();
const mostRecent = 500;
const longestRecent = 2000;

function parsed(text: string): readonly CommandWords[] {
  const found: string[][] = [];
  readCommands(text.slice(0, longest), found, 0);
  if (text.length > longest) found.push([hole]);
  return found.filter((words) => words.length > 0).map(withPrograms);
}

const longest = 100_000;
const mostWords = 5000;
const deepest = 8;

function readCommands(text: string, found: string[][], depth: number): void {
  const plain = text.replace(/\\\r?\n/g, '').replace(/\$(IFS\b|\{IFS[^}]*\})/g, ' ');
  new Reader(plain, { at: 0, found, depth }).commands();
}

function withPrograms(words: readonly string[]): CommandWords {
  const first = words.findIndex((word) => !/^\w+\+?=/.test(word) && !keywords.has(word));
  if (first === -1) return { words, programs: [] };
  const isAnywhere = runsAnyProgram(words.slice(first).join(' '));
  return { words, programs: isAnywhere ? Array.from(words.keys()).slice(first) : [first] };
}

const keywords: ReadonlySet<string> = new Set(
  'if then elif else fi do done while until for case esac in ! { } coproc function time'.split(' '),
);

/** Reads a text as a shell does, word by word. */
class Reader {
  readonly #text: string;
  readonly #found: string[][];
  readonly #depth: number;
  #at: number;
  #words: string[] = [];
  #word: string | undefined;
  /** What comes next is where output goes, and no word of the command. */
  #isRedirected = false;

  constructor(
    text: string,
    { at, found, depth }: { readonly at: number; readonly found: string[][]; readonly depth: number },
  ) {
    this.#text = text;
    this.#at = at;
    this.#found = found;
    this.#depth = depth;
  }

  /** Up to the end, or to the sign that closes a substitution: where that is. */
  commands(end?: ')' | '`'): number {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const sign = this.#text[this.#at] ?? '';
      if (sign === end) break;
      this.#take(sign);
    }
    this.#endCommand();
    return this.#at;
  }

  #take(sign: string): void {
    if (/[ \t\r]/.test(sign)) this.#endWord();
    else if (/[\n;&|()]/.test(sign)) this.#endCommand();
    else if (sign === '<' || sign === '>') this.#redirect();
    else if (sign === '`') this.#substitute(1, '`');
    else if (sign === "'") this.#quoted();
    else if (sign === '"') this.#doubleQuoted();
    else if (sign === '\\') this.#escaped();
    else if (sign === '$') this.#expand();
    else this.#add(sign);
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #escaped(): void {
    this.#at += 1;
    this.#add(this.#text[this.#at] ?? '');
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = undefined;
    if (word === undefined) return;
    if (this.#isRedirected) this.#isRedirected = false;
    else if (this.#words.length >= mostWords) this.#words.splice(mostWords, 1, hole);
    else this.#words.push(...alternatives(word));
  }

  #endCommand(): void {
    this.#endWord();
    const words = this.#words;
    this.#words = [];
    this.#isRedirected = false;
    this.#found.push(words);
    const { programs } = withPrograms(words);
    // What is quoted for a shell, or for another program that runs what it is told, is a command, too.
    if (programs.length > 1) for (const word of words) if (/[\s;&|<>`$(]/.test(word)) this.#nested(word);
  }

  #redirect(): void {
    // The number before it is no word.
    if (/^\d+$/.test(this.#word ?? '')) this.#word = undefined;
    this.#endWord();
    const next = this.#text[this.#at + 1];
    if (next === '(') return;
    if (next === '&' || next === '>' || next === '<' || next === '|') this.#at += 1;
    this.#isRedirected = true;
  }

  #quoted(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    const last = end === -1 ? this.#text.length : end;
    this.#add(this.#text.slice(this.#at + 1, last));
    this.#at = last;
  }

  #doubleQuoted(): void {
    this.#add('');
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const sign = this.#text[this.#at] ?? '';
      if (sign === '"') return;
      if (sign === '\\') this.#escaped();
      else if (sign === '`') this.#substitute(1, '`');
      else if (sign === '$') this.#expand();
      else this.#add(sign);
    }
  }

  #expand(): void {
    const rest = this.#text.slice(this.#at + 1, this.#at + 200);
    if (rest.startsWith('(')) {
      this.#substitute(2, ')');
      return;
    }
    if (rest.startsWith("'")) {
      // Its escapes can spell anything.
      this.#at += 1;
      const before = this.#word;
      this.#word = undefined;
      this.#quoted();
      const quoted: string = this.#word ?? '';
      this.#word = (before ?? '') + (quoted.includes('\\') ? hole : quoted);
      return;
    }
    if (rest.startsWith('"')) return;
    const name = /^(\{[^}]*\}|\w+|[@*#?$!-])/.exec(rest)?.[0];
    this.#add(name === undefined ? '$' : hole);
    this.#at += name?.length ?? 0;
  }

  /** What is run inside is a command of its own; what comes of it is not known. */
  #substitute(opening: number, end: ')' | '`'): void {
    this.#add(hole);
    if (this.#depth >= deepest) {
      this.#found.push([hole]);
      this.#at = this.#text.length;
      return;
    }
    const inside = { at: this.#at + opening, found: this.#found, depth: this.#depth + 1 };
    this.#at = new Reader(this.#text, inside).commands(end);
  }

  #nested(text: string): void {
    if (this.#depth >= deepest) this.#found.push([hole]);
    else readCommands(text, this.#found, this.#depth + 1);
  }
}

/** `{git,push}` is two words. */
function alternatives(word: string): readonly string[] {
  const [, inside] = /^\{([^{}]*,[^{}]*)\}$/.exec(word) ?? [];
  return inside === undefined ? [word] : inside.split(',');
}
