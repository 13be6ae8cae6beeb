import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Grant } from '../protocol/grant.ts';
import type { Ask, Subject } from '../protocol/interaction.ts';
import { type IsPublicSuffix, offersFor, reachOf } from './grant-advice.ts';
import { subjectOf } from './grants.ts';
import { isCompound, matches } from './pattern.ts';
import { programIn, runsOthers } from './programs.ts';
import { needsPerson } from './trust.ts';

/** So often must the like have been allowed; the next ask of its kind comes with the suggestion. */
export const allowedBefore = 3;

const longestPattern = 300;
const mostNearMisses = 5;

/**
 * The patterns under which an ask counts, the narrowest first; none where no grant should be suggested for it: what always needs a
 * person, what a time of trust would not allow either, commands with operators, and interpreters and the like.
 */
export function patternsFor(ask: Ask, directory: string, isPublicSuffix: IsPublicSuffix): readonly string[] {
  if (needsPerson(ask, directory)) return [];
  const subject = subjectOf(ask);
  if (subject.value.length > longestPattern) return [];
  if (subject.kind === 'command' && (isCompound(subject.value) || runsOthers(subject.value))) return [];
  return offersFor(subject, isPublicSuffix);
}

/** What looks like it and would be asked all the same: of what was asked before, and what one might think of. */
export function nearMisses(pattern: string, subject: Subject, asked: readonly string[]): string[] {
  const isLet = (value: string): boolean => matches(pattern, { ...subject, value }, !pattern.includes('*'));
  const tried = [
    ...asked.filter((value) => isAkin(value, pattern, subject.kind)),
    ...imagined(pattern, subject),
  ];
  return [...new Set(tried)].filter((value) => !isLet(value)).slice(0, mostNearMisses);
}

/** The same program, or a file of the same directory. */
function isAkin(value: string, pattern: string, kind: Subject['kind']): boolean {
  if (kind === 'command') return programIn(value).name === programIn(pattern).name;
  if (kind !== 'path') return false;
  const folder = pattern.slice(0, pattern.lastIndexOf('/') + 1);
  return value.startsWith(folder);
}

function imagined(pattern: string, subject: Subject): readonly string[] {
  if (pattern.includes('*')) return reachOf(pattern, { ...subject, value: '' }, () => false).not;
  switch (subject.kind) {
    case 'command':
      return [`${pattern} --any-option`, `${pattern} && any-program`];
    case 'path':
      return [`${pattern.slice(0, pattern.lastIndexOf('/') + 1)}any-other-file`];
    case 'host':
      return [`any.${pattern}`];
    case 'input':
      return [];
  }
}

export interface SuggestedGrant {
  readonly directory: string;
  readonly toolName: string;
  readonly subjectKind: Subject['kind'];
  readonly pattern: string;
}

export const suggestionId = ({ directory, toolName, subjectKind, pattern }: SuggestedGrant): string =>
  `sug_${bytesToHex(sha256(utf8ToBytes(JSON.stringify([directory, toolName, subjectKind, pattern])))).slice(0, 24)}`;

/** Whether it would let nothing through that is not let through already. */
export const isGivenAlready = (
  { directory, toolName, subjectKind, pattern }: SuggestedGrant,
  grants: readonly Grant[],
): boolean =>
  grants.some(
    (grant) =>
      grant.toolName === toolName &&
      grant.subjectKind === subjectKind &&
      (grant.directory === undefined || grant.directory === directory) &&
      (grant.pattern === pattern ||
        (!pattern.includes('*') &&
          matches(grant.pattern, { kind: subjectKind, value: pattern }, grant.literal))),
  );
