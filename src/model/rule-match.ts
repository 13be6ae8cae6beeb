import type { Ask, Subject } from '../protocol/interaction.ts';
import type { PolicyRule } from '../protocol/rule.ts';
import { type CommandWords, commandsIn, hole } from './command-words.ts';
import { canBeGranted, subjectOf } from './grants.ts';
import { isRecord } from './json-pointer.ts';
import { matches, wildcardMatch } from './pattern.ts';

/** Where a session works: as it was given, and where that led. */
export interface Place {
  /** Null for the server's own. */
  readonly machine?: string | null;
  readonly cwd: string;
  readonly realCwd: string | null;
}

/** `maybe`: it cannot be told whether the rule is meant. Then a person is asked, whatever is granted. */
export type Match = 'yes' | 'maybe' | 'no';

export type MatchedRule = Pick<PolicyRule, 'effect' | 'tool' | 'pattern' | 'cwd'>;

/**
 * Whether a rule is about what is asked. A rule that allows is read as a grant is, and would rather not be meant; one that denies or asks
 * is read generously: whatever the quotes, the settings before a program and the operators around it.
 */
export function matchRule(rule: MatchedRule, ask: Ask, place: Place): Match {
  if (ask.kind !== 'approval' || ask.plan !== undefined || ask.tool !== undefined) return 'no';
  if (rule.effect === 'allow') return allows(rule, ask, place) ? 'yes' : 'no';
  if (!loosely(rule.tool, ask.toolName)) return 'no';
  if (rule.cwd !== undefined && !directoriesOf(place).some((at) => isBelow(lower(at), lower(rule.cwd ?? ''))))
    return 'no';
  return rule.pattern === undefined ? 'yes' : restrains(rule.pattern, ask, place);
}

function allows({ tool, pattern, cwd }: MatchedRule, ask: Ask, place: Place): boolean {
  if (!canBeGranted(ask) || pattern === undefined || tool !== ask.toolName) return false;
  if (cwd !== undefined && !isBelow(place.realCwd ?? place.cwd, cwd)) return false;
  const subject = subjectOf(ask);
  const isRelative = subject.kind === 'path' && !isWhole(pattern);
  return matches(isRelative ? resolved(pattern, place.realCwd ?? place.cwd) : pattern, subject);
}

function restrains(pattern: string, ask: Ask, place: Place): Match {
  const subject = subjectOf(ask);
  switch (subject.kind) {
    case 'command':
      return commandMatch(pattern, subject.value);
    case 'path':
      return pathMatch(pattern, subject, place);
    case 'host':
      return hostMatch(pattern, subject.value) ? 'yes' : 'no';
    case 'input':
      return inputMatch(pattern, ask, place);
  }
}

/** Any of the commands in it. Words are compared one by one; what follows the last of the pattern does not matter. */
function commandMatch(pattern: string, command: string): Match {
  if (loosely(pattern, command)) return 'yes';
  // A pattern with operators in it is about the text as a whole.
  if (/[;&|<>`$()\n]/.test(pattern)) return 'no';
  const wanted = commandsIn(lower(pattern))[0]?.words ?? [];
  return wanted.length === 0 ? 'no' : best(commandsIn(command).map((one) => wordsMatch(wanted, one)));
}

/** All ways to read on are followed at once: `reached` has how far into the pattern each has come, and how surely. */
function wordsMatch(wanted: readonly string[], { words, programs }: CommandWords): Match {
  const starts = new Set(programs);
  let reached = new Map<number, Match>();
  let outcome: Match = 'no';
  for (let at = 0; at <= words.length; at += 1) {
    if (starts.has(at)) reached.set(0, 'yes');
    // A star stands for no word as well.
    for (const [next, how] of reached) if (wanted[next] === '*') raise(reached, next + 1, how);
    outcome = best([outcome, reached.get(wanted.length) ?? 'no']);
    const word = words[at]?.toLowerCase();
    if (outcome === 'yes' || word === undefined) break;
    const onward = new Map<number, Match>();
    for (const [next, how] of reached) {
      const piece = wanted[next];
      if (piece === undefined) continue;
      const same = wordMatch(piece, word, next === 0);
      if (same !== 'no') raise(onward, next + 1, both(how, same));
      if (next > 0 && mayBePassedOver(piece, word, words[at - 1])) raise(onward, next, how);
      if (word === hole)
        for (let further = next; further <= wanted.length; further += 1) raise(onward, further, 'maybe');
    }
    reached = onward;
  }
  return outcome;
}

/** Options, what may be the value of one, and anything before an option that is looked for: `git -C there push --force`. */
const mayBePassedOver = (piece: string, word: string, before = ''): boolean =>
  piece === '*' || piece.startsWith('-') || word.startsWith('-') || before.startsWith('-');

function wordMatch(piece: string, word: string, isProgram: boolean): Match {
  if (piece === '*') return 'yes';
  if (word.includes(hole)) return wildcardMatch(word.replaceAll(hole, '*'), piece) ? 'maybe' : 'no';
  if (wildcardMatch(piece, word) || isSameFlags(piece, word)) return 'yes';
  if (!isProgram) return 'no';
  const name = (word.split(/[\\/]/).at(-1) ?? '').replace(/\.(exe|cmd|bat)$/, '');
  if (wildcardMatch(piece, name)) return 'yes';
  // A program that is found by a wildcard of the shell.
  return /[*?[]/.test(name) && wildcardMatch(name.replace(/\?|\[[^\]]*\]/g, '*'), piece) ? 'maybe' : 'no';
}

/** `-rf` is meant by `-fr` and by `-rfv`. */
const isSameFlags = (piece: string, word: string): boolean =>
  /^-[a-z]+$/.test(piece) && /^-[a-z]+$/.test(word) && [...piece].every((flag) => word.includes(flag));

/** The path, where a link leads from it, or a directory that it lies in. A name without a slash is meant wherever it stands. */
function pathMatch(pattern: string, { value, asked, readOnly }: PathLike, place: Place): Match {
  // Whose home that is, only the machine knows: anyone's is meant.
  const wanted = slashed(pattern)
    .replace(/\/+$/, '')
    .replace(/^~(?=\/)/, '*')
    .replaceAll('**/', '*');
  const paths = [value, ...(asked === undefined ? [] : [asked])].map(slashed);
  const wholes = wanted.includes('/')
    ? isWhole(wanted) || wanted.startsWith('*')
      ? [wanted]
      : directoriesOf(place).map((from) => resolved(wanted, slashed(from)))
    : [];
  const isMeant = (path: string): boolean =>
    wholes.length === 0
      ? path.split('/').some((name) => wildcardMatch(wanted, name))
      : upwards(path).some((each) => wholes.some((whole) => wildcardMatch(whole, each)));
  if (paths.some(isMeant)) return 'yes';
  // A search in a directory above may come to it.
  const from = paths.filter((path) => readOnly === true && path.includes('*')).map(beforeStar);
  const isBelowSearch = (whole: string): boolean =>
    from.some((directory) => beforeStar(whole).startsWith(directory) || whole.startsWith('*'));
  return from.length > 0 && (wholes.length === 0 || wholes.some(isBelowSearch)) ? 'maybe' : 'no';
}

type PathLike = Pick<Subject, 'value' | 'asked' | 'readOnly'>;

const beforeStar = (path: string): string => {
  const [beginning = ''] = path.split('*', 1);
  return beginning.slice(0, beginning.lastIndexOf('/') + 1);
};

/** A path and the directories it lies in. */
const upwards = (path: string): readonly string[] => {
  const names = path.split('/').slice(0, 200);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
};

/** Whatever the scheme and the port; a name stands for all below it. */
function hostMatch(pattern: string, host: string): boolean {
  const bare = (name: string): string =>
    lower(name)
      .replace(/^[a-z]+:\/\//, '')
      .replace(/[:/].*$/, '');
  const wanted = bare(pattern).replace(/^\*\./, '');
  const name = bare(host);
  return wildcardMatch(wanted, name) || wildcardMatch(`*.${wanted}`, name);
}

const mostTexts = 2000;

/** A text anywhere in it, read as a command, a path and as it stands; or the fields that the pattern names. */
function inputMatch(pattern: string, ask: Ask, place: Place): Match {
  if (isFieldsMatch(pattern, ask.input) || loosely(pattern, subjectOf(ask).value)) return 'yes';
  const texts: string[] = [];
  const isAll = collect(ask.input, texts, 0);
  const found = best(
    texts.map((text) =>
      best([
        commandMatch(pattern, text),
        /\s/.test(text)
          ? 'no'
          : pathMatch(pattern, { value: resolved(text, place.realCwd ?? place.cwd) }, place),
      ]),
    ),
  );
  if (found !== 'no') return found;
  // Asked in words alone, or too much to look through.
  return texts.length === 0 || !isAll ? 'maybe' : 'no';
}

function collect(value: unknown, texts: string[], depth: number): boolean {
  if (texts.length >= mostTexts || depth > 50) return false;
  if (typeof value === 'string') texts.push(value);
  if (value === null || typeof value !== 'object') return true;
  return Object.values(value).every((inner) => collect(inner, texts, depth + 1));
}

function isFieldsMatch(pattern: string, input: unknown): boolean {
  if (!pattern.startsWith('{')) return false;
  try {
    return holds(JSON.parse(pattern), input);
  } catch {
    return false;
  }
}

const holds = (wanted: unknown, value: unknown): boolean => {
  if (typeof wanted === 'string') return typeof value === 'string' && loosely(wanted, value);
  if (isRecord(wanted))
    return isRecord(value) && Object.keys(wanted).every((name) => holds(wanted[name], value[name]));
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((each) => value.some((one) => holds(each, one)));
  return wanted === value;
};

const lower = (text: string): string => text.toLowerCase();
const slashed = (path: string): string => lower(path).replaceAll('\\', '/');
const isWhole = (path: string): boolean => /^(\/|[A-Za-z]:[\\/])/.test(path);

/** Whatever the case and the space between words. */
const loosely = (pattern: string, text: string): boolean =>
  wildcardMatch(lower(pattern).trim().replace(/\s+/g, ' '), lower(text).trim().replace(/\s+/g, ' '));

const directoriesOf = ({ cwd, realCwd }: Place): readonly string[] =>
  realCwd === null || realCwd === cwd ? [cwd] : [cwd, realCwd];

const isBelow = (path: string, directory: string): boolean => {
  const root = directory.replace(/[\\/]+$/, '');
  return path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}\\`);
};

/** A path from a directory on, without `.` and `..`. */
function resolved(path: string, from: string): string {
  const names: string[] = [];
  for (const name of (isWhole(path) ? path : `${from}/${path}`).split('/')) {
    if (name === '..' && names.length > 1) names.pop();
    else if (name !== '.' && name !== '..' && (name !== '' || names.length === 0)) names.push(name);
  }
  return names.join('/');
}

const rank = { no: 0, maybe: 1, yes: 2 } as const;
const best = (all: readonly Match[]): Match =>
  all.reduce((one, other) => (rank[other] > rank[one] ? other : one), 'no');
const both = (one: Match, other: Match): Match => (rank[one] < rank[other] ? one : other);
const raise = (reached: Map<number, Match>, at: number, how: Match): void => {
  reached.set(at, best([reached.get(at) ?? 'no', how]));
};
