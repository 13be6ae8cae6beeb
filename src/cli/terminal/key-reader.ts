// biome-ignore-all lint/suspicious/noControlCharactersInRegex: keys are told by control characters
import { StringDecoder } from 'node:string_decoder';
import { stripEscapes } from '../render/safe-text.ts';

/** What a person did at the keyboard. A key is named as on the page: `ArrowUp`, `Ctrl+C`, `Alt+Enter`, `Shift+Tab`. */
export type KeyPress =
  | { readonly type: 'text'; readonly text: string }
  /** Without what could control a terminal; line breaks in it are line breaks, and submit nothing. */
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'key'; readonly key: string };

/** Asks a terminal to say where a paste begins and ends, and not to. */
export const pasteMarks = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** A text on the clipboard may hold the mark that ends a paste: what follows so soon was not typed. */
const afterPasteMs = 100;
const longestSequence = 64;

/** Makes keys of the bytes that a terminal sends, wherever the pieces in which they come are cut. */
export class KeyReader {
  readonly #bytes = new StringDecoder('utf8');
  #rest = '';
  #pasted: string | undefined;
  #pasteEndedAt = Number.NEGATIVE_INFINITY;

  /** `now` only goes forward, in milliseconds. */
  push(chunk: Buffer | string, now: number): KeyPress[] {
    this.#rest += typeof chunk === 'string' ? chunk : this.#bytes.write(chunk);
    const presses: KeyPress[] = [];
    for (let more = true; more && this.#rest !== ''; ) {
      const press = this.#pasted === undefined ? this.#key(now) : this.#paste(now);
      if (press === undefined) more = false;
      else if (press !== 'nothing') presses.push(press);
    }
    return presses;
  }

  /** Whether it depends on what comes next, or on nothing coming, which key was pressed. */
  get isWaiting(): boolean {
    return this.#pasted === undefined && this.#rest.startsWith('\u001b');
  }

  /** Nothing came for a while: an escape that began nothing was the key. */
  flush(): KeyPress[] {
    if (!this.isWaiting) return [];
    const isAlone = this.#rest === '\u001b';
    this.#rest = '';
    return isAlone ? [key('Escape')] : [];
  }

  #paste(now: number): KeyPress | undefined {
    const end = this.#rest.indexOf('\u001b[201~');
    if (end === -1) {
      // The end's own beginning may be the last that came.
      const kept = /\u001b(?:\[(?:2(?:0(?:1)?)?)?)?$/.exec(this.#rest)?.index ?? this.#rest.length;
      this.#pasted += this.#rest.slice(0, kept);
      this.#rest = this.#rest.slice(kept);
      return undefined;
    }
    const text = this.#pasted + this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + '\u001b[201~'.length);
    this.#pasted = undefined;
    this.#pasteEndedAt = now;
    return { type: 'paste', text: defused(text) };
  }

  #key(now: number): KeyPress | 'nothing' | undefined {
    if (now - this.#pasteEndedAt < afterPasteMs) {
      const text = this.#rest.replaceAll(/\u001b\[20[01]~/g, '');
      this.#rest = '';
      this.#pasteEndedAt = now;
      return text === '' ? 'nothing' : { type: 'paste', text: defused(text) };
    }
    const [first = ''] = this.#rest;
    if (first === '\u001b') return this.#escape();
    const control = controlKeys[first];
    if (control !== undefined) return this.#take(1, key(control));
    if (first < ' ') return this.#take(1, key(`Ctrl+${String.fromCharCode(first.charCodeAt(0) + 0x40)}`));
    const [text = first] = /^[^\u0000-\u001f\u007f]+/.exec(this.#rest) ?? [];
    return this.#take(text.length, { type: 'text', text: stripEscapes(text) });
  }

  #escape(): KeyPress | 'nothing' | undefined {
    const next = this.#rest[1];
    if (next === undefined) return undefined;
    if (next === '[') return this.#sequence(/^\u001b\[(\[?[0-?]*)[ -/]*([@-~])/);
    if (next === 'O') return this.#sequence(/^\u001bO([\d;]*)([@-~])/);
    if (']P_^X'.includes(next)) return this.#reply();
    if (next === '\u001b') return this.#take(1, key('Escape'));
    const control = controlKeys[next];
    if (control !== undefined) return this.#take(2, key(`Alt+${control}`));
    const letter = next < ' ' ? `Ctrl+Alt+${String.fromCharCode(next.charCodeAt(0) + 0x40)}` : `Alt+${next}`;
    return this.#take(2, key(letter));
  }

  #sequence(pattern: RegExp): KeyPress | 'nothing' | undefined {
    const found = pattern.exec(this.#rest);
    if (found === null) {
      if (/^\u001b[[O][\d;?<>=[]*$/.test(this.#rest) && this.#rest.length < longestSequence) return undefined;
      return this.#take(2, 'nothing');
    }
    const [whole, numbers = '', final = ''] = found;
    if (whole === '\u001b[200~') this.#pasted = '';
    const name = sequenceKey(numbers, final);
    if (name === undefined) return this.#take(whole.length, 'nothing');
    return this.#take(whole.length, name.length === 1 ? { type: 'text', text: name } : key(name));
  }

  /** What a terminal answers to a question that nobody here asked. */
  #reply(): 'nothing' | undefined {
    const end = /\u0007|\u001b\\|\u009c/.exec(this.#rest);
    if (end === null) return this.#rest.length < 2_000 ? undefined : this.#take(2, 'nothing');
    return this.#take(end.index + end[0].length, 'nothing');
  }

  #take<T>(length: number, press: T): T {
    this.#rest = this.#rest.slice(length);
    return press;
  }
}

const key = (name: string): KeyPress => ({ type: 'key', key: name });

const defused = (text: string): string => stripEscapes(text);

const controlKeys: Readonly<Record<string, string>> = {
  '\r': 'Enter',
  '\t': 'Tab',
  '\u007f': 'Backspace',
  '\b': 'Backspace',
};

const finalKeys: Readonly<Record<string, string>> = {
  A: 'ArrowUp',
  B: 'ArrowDown',
  C: 'ArrowRight',
  D: 'ArrowLeft',
  F: 'End',
  H: 'Home',
  M: 'Enter',
};

const numberedKeys: Readonly<Record<string, string>> = {
  1: 'Home',
  3: 'Delete',
  4: 'End',
  5: 'PageUp',
  6: 'PageDown',
  7: 'Home',
  8: 'End',
};

const codedKeys: Readonly<Record<number, string>> = {
  9: 'Tab',
  13: 'Enter',
  27: 'Escape',
  127: 'Backspace',
};

/** The key of a sequence; a character by itself where a terminal tells of it in this way. */
function sequenceKey(numbers: string, final: string): string | undefined {
  const [first = '', second = '1', third = ''] = numbers.split(';');
  if (final === 'Z') return 'Shift+Tab';
  if (final === 'u') return codedKey(Number(first.split(':')[0]), Number(second.split(':')[0]));
  if (final === '~' && first === '27') return codedKey(Number(third), Number(second));
  const name = final === '~' ? numberedKeys[first] : finalKeys[final];
  return name === undefined ? undefined : modifiersOf(Number(second)) + name;
}

function codedKey(code: number, modifier: number): string | undefined {
  const named = codedKeys[code];
  if (named !== undefined) return modifiersOf(modifier) + named;
  if (!Number.isInteger(code) || code < 0x20 || code > 0x10ffff) return undefined;
  const character = String.fromCodePoint(code);
  const held = modifiersOf(modifier);
  if (held === '' || held === 'Shift+') return character;
  return held + (held.includes('Ctrl') ? character.toUpperCase() : character);
}

/** As terminals count them: one more than the sum of 1 for Shift, 2 for Alt, 4 for Ctrl. */
function modifiersOf(number: number): string {
  const bits = Number.isInteger(number) && number > 0 ? number - 1 : 0;
  return `${bits & 4 ? 'Ctrl+' : ''}${bits & 2 ? 'Alt+' : ''}${bits & 1 ? 'Shift+' : ''}`;
}
