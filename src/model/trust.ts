import type { Grant } from '../protocol/grant.ts';
import type { GrantId, SessionId } from '../protocol/ids.ts';
import type { Actor, Ask } from '../protocol/interaction.ts';
import { canBeGranted, directoryIn, isInForce, subjectOf, trustIn } from './grants.ts';
import { isRecord } from './json-pointer.ts';
import { isBareHost, isResolved } from './pattern.ts';
import { reachesBeyond, wordsOf } from './programs.ts';
import { isSensitive } from './sensitive-files.ts';
import type { SessionState } from './state.ts';
import { isSuspicious } from './suspicious-text.ts';

/** The grant that lets everything of a session through for a while, kept and ended as every other grant of it. */
export const trustGrant = (given: {
  readonly grantId: GrantId;
  readonly sessionId: SessionId;
  readonly minutes: number;
  readonly at: string;
  readonly by: Actor;
}): Grant => ({
  id: given.grantId,
  toolName: '*',
  pattern: '*',
  literal: false,
  subjectKind: 'any',
  scope: 'session',
  sessionId: given.sessionId,
  expiresAt: new Date(Date.parse(given.at) + given.minutes * 60_000).toISOString(),
  createdAt: given.at,
  by: given.by,
});

/** The time of trust that answers this ask. */
export function findTrust(
  state: Pick<SessionState, 'grants' | 'cwd' | 'realCwd'>,
  ask: Ask,
  at: string,
): Grant | undefined {
  const trust = trustIn(state);
  if (trust === undefined || !isInForce(trust, at)) return undefined;
  return needsPerson(ask, directoryIn(state)) ? undefined : trust;
}

/**
 * What is asked of a person also in a time of trust: whatever no grant answers, what the agent advises against or cannot be told
 * what it would do, what leads out of the session's directory, sensitive files, addresses of this network, and commands that act as
 * another user, on other machines or on the system, or that cannot be taken back.
 */
export function needsPerson(ask: Ask, directory: string): boolean {
  if (!canBeGranted(ask) || ask.defaultToNo === true) return true;
  if (ask.call?.risks?.some(({ kind }) => kind !== 'background')) return true;
  if (ask.blockedPath !== undefined && !isOwnFile(ask.blockedPath, directory, false)) return true;
  const subject = subjectOf(ask);
  if (subject.literal === true || isSuspicious(subject.value)) return true;
  switch (subject.kind) {
    case 'command':
      return isFarReaching(subject.value);
    case 'path':
      return !isOwnFile(subject.value, directory, subject.readOnly === true);
    case 'host':
      return isBareHost(subject.value);
    case 'input':
      return textsIn(ask.input).some(isFarReaching);
  }
}

function isOwnFile(path: string, directory: string, readOnly: boolean): boolean {
  const within =
    path === directory || path.startsWith(/[\\/]$/.test(directory) ? directory : `${directory}/`);
  return (within || isBelowOnWindows(path, directory)) && isResolved(path) && !isSensitive(path, readOnly);
}

const isBelowOnWindows = (path: string, directory: string): boolean =>
  /^[A-Za-z]:/.test(directory) && path.startsWith(`${directory}\\`);

const isFarReaching = (text: string): boolean =>
  isSuspicious(text) || reachesBeyond(text) || namesSensitiveFile(text);

/** Of a command that only reads, secrets; of one that puts something somewhere, whatever makes programs run, too. */
function namesSensitiveFile(command: string): boolean {
  const quiet = command.replace(/\d?>&\d|\/dev\/(null|stdout|stderr|stdin)\b/g, ' ');
  const words = wordsOf(quiet);
  const readOnly = !quiet.includes('>') && !words.some((word) => writers.has(word)) && !/\s-i/.test(quiet);
  return words.some((word) => isSensitive(word, readOnly));
}

const writers = new Set('tee cp mv ln install dd truncate rm chmod patch'.split(' '));

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}
