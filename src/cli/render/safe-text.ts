/** Takes terminal control out of text that arrives in pieces; what an agent says must not move the cursor, rename the window or hide itself. */
export interface EscapeStripper {
  push(chunk: string): string;
}

type State = 'text' | 'escape' | 'sequence' | 'string' | 'string-escape';

/** A string sequence that never ends must not swallow the rest of the conversation. */
const longestString = 2_000;

export function createEscapeStripper(): EscapeStripper {
  let state: State = 'text';
  let swallowed = 0;
  let afterCarriageReturn = false;

  return {
    push(chunk) {
      let kept = '';
      for (const character of chunk) kept += take(character);
      return kept;
    },
  };

  function take(character: string): string {
    switch (state) {
      case 'text':
        return takeText(character);
      case 'escape':
        return afterEscape(character);
      case 'sequence':
        // Parameters and intermediates go up to "?"; the first character beyond ends the sequence.
        if (isBetween(character, 0x20, 0x3f)) return '';
        state = 'text';
        return isBetween(character, 0x40, 0x7e) ? '' : takeText(character);
      case 'string':
        swallowed += 1;
        if (character === '\u001b') state = 'string-escape';
        else if (character === '\u0007' || character === '\u009c') state = 'text';
        else if (character === '\n' || swallowed > longestString) {
          state = 'text';
          return takeText(character);
        }
        return '';
      case 'string-escape':
        if (character === '\\') {
          state = 'text';
          return '';
        }
        return afterEscape(character);
    }
  }

  function takeText(character: string): string {
    const followsCarriageReturn = afterCarriageReturn;
    afterCarriageReturn = character === '\r';
    if (character === '\u001b') state = 'escape';
    else if (character === '\u009b') state = 'sequence';
    else if (stringStarts.includes(character)) startString();
    if (character === '\r') return '\n';
    if (character === '\n') return followsCarriageReturn ? '' : '\n';
    return character === '\t' || !isHarmful(character) ? character : '';
  }

  function afterEscape(character: string): string {
    state = 'text';
    if (character === '[') state = 'sequence';
    else if (']PX^_'.includes(character)) startString();
    else if (isBetween(character, 0x20, 0x2f)) state = 'escape';
    else if (!isBetween(character, 0x30, 0x7e)) return takeText(character);
    return '';
  }

  function startString(): void {
    state = 'string';
    swallowed = 0;
  }
}

export const stripEscapes = (text: string): string => createEscapeStripper().push(text);

/** Text on one line, for titles and lists. */
export const oneLine = (text: string): string => stripEscapes(text).replace(/\s+/g, ' ').trim();

/** JSON that a terminal can be shown: equal in value, with every character escaped that could move the cursor or hide others. */
export const safeJson = (document: unknown): string =>
  JSON.stringify(document).replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (character) =>
      Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

const stringStarts = '\u0090\u0098\u009d\u009e\u009f';

/** Controls, and the marks that change the direction or order in which text is shown. */
const isHarmful = (character: string): boolean =>
  /[\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029]/u.test(character);

const isBetween = (character: string, from: number, to: number): boolean => {
  const code = character.codePointAt(0) ?? 0;
  return code >= from && code <= to;
};
