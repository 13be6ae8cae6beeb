import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../protocol/errors.ts';
import { nearestName, notKnown } from '../protocol/nearest.ts';
import { UsageError } from './failure.ts';

export type FlagDefinitions = NonNullable<ParseArgsConfig['options']>;

/** Flags of every command that talks to a server; they may also come before its name. */
export const clientFlags = {
  'data-dir': { type: 'string' },
  url: { type: 'string' },
  token: { type: 'string' },
  json: { type: 'boolean' },
  color: { type: 'string' },
} as const satisfies FlagDefinitions;

export const colourWishes = ['auto', 'always', 'never'] as const;

export interface ParsedFlags {
  /** Set flags by name; one that may be repeated is a list. */
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
  /** Positionals and flags with values in the order they were given. */
  readonly ordered: readonly OrderedArgument[];
}

export type OrderedArgument =
  | { readonly kind: 'positional'; readonly value: string }
  | { readonly kind: 'flag'; readonly name: string; readonly value: string | undefined };

/** Takes a command line apart; whatever is not defined is an error that names it. */
export function parseFlags(args: readonly string[], options: FlagDefinitions): ParsedFlags {
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const unknown = tokens.flatMap((token) =>
    token.kind === 'option' && options[token.name] === undefined ? [token.rawName] : [],
  );
  if (unknown.length > 0) {
    const known = Object.keys(options).map((name) => `--${name}`);
    const sentences = unknown.map((name) =>
      notKnown(name, nearestName(name, known), 'is no flag of this command'),
    );
    throw new UsageError(sentences.join('\n'));
  }
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      strict: true,
      allowPositionals: true,
    });
    return { values, positionals, ordered: tokens.flatMap(ordered) };
  } catch (error) {
    throw new UsageError(plain(error));
  }
}

export const textFlag = (flags: ParsedFlags, name: string): string | undefined => {
  const value = flags.values[name];
  return typeof value === 'string' ? value : undefined;
};

export const isSet = (flags: ParsedFlags, name: string): boolean => flags.values[name] === true;

export const listFlag = (flags: ParsedFlags, name: string): readonly string[] => {
  const value = flags.values[name];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
};

/** A flag that is given as NAME=VALUE, each time it was. */
export const pairsFlag = (flags: ParsedFlags, flag: string): readonly (readonly [string, string])[] =>
  listFlag(flags, flag).map((pair) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--${flag} wants NAME=VALUE, not "${pair}"`);
    return [name, value];
  });

/** Of flags that say different things, at most one. */
export function atMostOne({ values }: ParsedFlags, ...names: readonly string[]): void {
  const [first, second] = names.filter((name) => values[name] !== undefined);
  if (second !== undefined) throw new UsageError(`--${first} and --${second} cannot be given together`);
}

/** Flags that do something only beside another. */
export function onlyWith({ values }: ParsedFlags, other: string, ...names: readonly string[]): void {
  if (values[other] !== undefined) return;
  const alone = names.find((name) => values[name] !== undefined);
  if (alone !== undefined) throw new UsageError(`--${alone} does nothing without --${other}`);
}

/** One of a few words, or a usage error that lists them. */
export function choiceFlag<T extends string>(
  flags: ParsedFlags,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = textFlag(flags, name);
  if (value === undefined) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined)
    throw new UsageError(`--${name} must be one of ${choices.join(', ')}, not "${value}"`);
  return choice;
}

type Token = ReturnType<typeof parseArgs<{ tokens: true; strict: false }>>['tokens'][number];

function ordered(token: Token): OrderedArgument[] {
  switch (token.kind) {
    case 'positional':
      return [{ kind: 'positional', value: token.value }];
    case 'option':
      return [{ kind: 'flag', name: token.name, value: token.value }];
    case 'option-terminator':
      return [];
  }
}

function plain(error: unknown): string {
  const message = messageOf(error);
  const firstSentence = message.split(/\.\s|\n/, 1)[0] ?? message;
  return firstSentence.charAt(0).toLowerCase() + firstSentence.slice(1);
}
