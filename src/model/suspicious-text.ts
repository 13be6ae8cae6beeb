/**
 * Text with everything invisible made visible. For what a person decides on: taking a character out would show another text than the
 * one that is used.
 */
export const showInvisible = (text: string): string => shown(text, invisibleIn(text));

/**
 * The same for commands, paths, hosts and names, where a letter that only looks like another one leads somewhere else: lookalikes of
 * ASCII, mixed scripts and unusual spaces are shown by their code point, too.
 */
export const showSuspicious = (text: string): string => shown(text, suspiciousIn(text));

/** What a field holds, or a whole input as JSON: a single word is a name, a path or an address; several are taken for prose. */
export const showValue = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|[^"]+/g, (part) =>
    /\s/.test(part) ? showInvisible(part) : showSuspicious(part),
  );

/** A command, a path, a host or a name in one line. */
export const visibleLine = (text: string): string => showSuspicious(text).replace(/\s+/g, ' ').trim();

/** What a field holds, in one line. */
export const valueLine = (text: string): string => showValue(text).replace(/\s+/g, ' ').trim();

/** Whether a person could take the text for another one. */
export const isSuspicious = (text: string): boolean => !isPlain(text) && suspiciousIn(text).size > 0;

/** Tabs and line breaks are seen. */
const isPlain = (text: string): boolean => /^[\x20-\x7e\t\n]*$/.test(text);

/** Where in the text a character has to be named, and the character. */
type Places = ReadonlyMap<number, string>;

function shown(text: string, places: Places): string {
  let whole = '';
  let from = 0;
  for (const [at, character] of places) {
    whole += `${text.slice(from, at)}\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
    from = at + character.length;
  }
  return whole + text.slice(from);
}

/** Controls, formats (direction, zero width), fillers, private and unassigned ones; a variation selector after a picture is part of it. */
const invisible =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u2800]|(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

const invisibleIn = (text: string): Places => (isPlain(text) ? new Map() : placesOf(text, invisible));

function placesOf(text: string, characters: RegExp): Map<number, string> {
  return new Map([...text.matchAll(characters)].map((match) => [match.index, match[0]]));
}

function suspiciousIn(text: string): Places {
  if (isPlain(text)) return new Map();
  const places = placesOf(text, invisible);
  for (const { index, 0: character } of text.matchAll(/(?!\p{Script=Han}|\p{Script=Hangul})[^\p{ASCII}]/gu)) {
    if (looksLikeAscii(character) && !isEastAsianSign(text, index)) places.set(index, character);
  }
  for (const { index, 0: word } of text.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
    if (isPlain(word)) continue;
    for (const [at, letter] of oddLettersOf(word)) places.set(index + at, letter);
  }
  return new Map([...places].sort(([a], [b]) => a - b));
}

/** A space that is none, a sign or a Latin letter of the table, or a compatible form: full width, mathematical, circled, a ligature. */
const looksLikeAscii = (character: string): boolean =>
  /\p{Zs}/u.test(character) || lookalikeSigns.has(character) || isCompatible(character);

function isCompatible(character: string): boolean {
  const plain = character.normalize('NFKD');
  return /^[\x21-\x7e]$/.test(plain) || (/^[A-Za-z]+$/.test(plain) && /\p{L}/u.test(character));
}

/** Chinese, Japanese and Korean have wide signs of their own: beside such a letter they are no disguise. */
const isEastAsianSign = (text: string, at: number): boolean =>
  /[\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]/.test(text[at] ?? '') &&
  (eastAsian.test(text[at - 1] ?? '') || eastAsian.test(text[at + 1] ?? ''));

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** The letters of a word that mixes scripts which share shapes, or that is made of lookalikes alone. */
function oddLettersOf(word: string): Map<number, string> {
  const letters = placesOf(word, /\p{L}/gu);
  const foreign = new Map([...letters].filter(([, letter]) => !/\p{Script=Latin}/u.test(letter)));
  const isMixed = scriptsIn([...letters.values()]).size > 1;
  const isDisguised = [...letters.values()].every(
    (letter) => lookalikeLetters.has(letter) || isAscii(letter),
  );
  return isMixed || isDisguised ? foreign : new Map();
}

const isAscii = (letter: string): boolean => letter <= '\x7f';

/**
 * Scripts whose letters are taken for each other. Those of East Asia are written together, and with Latin letters; they count as
 * none, as do all that have no shape in common with these.
 */
const sharedShapes = {
  latin: /\p{Script=Latin}/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  greek: /[\p{Script=Greek}\p{Script=Coptic}]/u,
  armenian: /\p{Script=Armenian}/u,
  cherokee: /\p{Script=Cherokee}/u,
  lisu: /\p{Script=Lisu}/u,
  georgian: /\p{Script=Georgian}/u,
  deseret: /\p{Script=Deseret}/u,
};

const scriptsIn = (letters: readonly string[]): Set<string> =>
  new Set(
    Object.entries(sharedShapes).flatMap(([name, script]) =>
      letters.some((letter) => script.test(letter)) ? [name] : [],
    ),
  );

/** Signs, and letters called Latin, that stand in for ASCII ones. */
const lookalikeSigns = new Set(
  [
    // hyphens and minus, quotes, slashes, dots, colons, semicolons, stars, tildes, bars, angles
    '‐‑‒–−⁃˗﹘➖',
    '‘’‚‛′‵ʹʻʼʽˈ´“”„‟″ʺ˝',
    '⁄∕⧸╱⟋〳',
    '․‧۔٠۰。',
    '։׃ː∶꞉܃',
    ';؛',
    '∗⁎٭✱',
    '∼˜〜',
    'ǀ∣❘ǁ∥',
    '‹›˂˃❬❭❮❯',
    // exclamation and question marks, equals, underscore, plus, brackets, low sharp sign
    'ǃ',
    'ʔ',
    '꓿═⩵',
    'ˍ',
    '᛭➕',
    '❨❩❲❳❴❵〔〕',
    '♯',
    // combining strokes and low lines over a letter
    '\u0331\u0332\u0333\u0334\u0335\u0336\u0337\u0338\u20d2\u20d3\u20e5\u20e6\u20eb',
    // letters of the Latin script itself
    'ɑɡıȷɩʟʀɢɪɴʏʙʜᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱƽƅƨɯʋꞁꓲ',
  ].join(''),
);

/** Letters of other scripts that look like an ASCII letter or figure. Alone in their script they are letters like any other. */
const lookalikeLetters = new Set(
  [
    'аеорсухіјѕѵһԁԛԝкмтвнгьбѡӏҽүАВЕЅІЈКМНОРСТУХѴԌԚԜҮӀЗЬ', // Cyrillic
    'ανορυχικτωεηγςϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ', // Greek
    'օոսհցյզքգղՕՍՏԼՑ', // Armenian
    'ⲟⲣⲥⲭⲩⲓⲕⲟⲘⲚⲞⲢⲤⲬⲨⲒⲔⲀⲂⲈ', // Coptic
    'ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᏀᏃᏌᏎᏏᏙᏚᏞᏟᏢᏦᏧᏴ', // Cherokee
    'ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓠꓡꓢꓣꓤꓥꓦꓧꓨꓩꓪꓫꓬꓮꓰꓱꓲꓳꓴ', // Lisu
    'ოყჿ', // Georgian
    '𐐄𐐕𐐛𐐠𐐬𐐽𐑈', // Deseret
  ].join(''),
);
