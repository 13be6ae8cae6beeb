import type { Grant } from '../protocol/grant.ts';
import type { Ask, Subject } from '../protocol/interaction.ts';
import type { KeptApproval } from './command.ts';

/** The grant that answers this ask, if a person has given one that does. */
export function findGrant(grants: readonly Grant[], ask: Ask, at: string): Grant | undefined {
  if (!canBeGranted(ask)) return undefined;
  return grants.find((grant) => isInForce(grant, at) && covers(grant, ask));
}

/**
 * Questions, plans, asks that insist on a person, and asks that cannot be tied to a call always go to a person. What an interactive
 * tool asks is the tool's to remember.
 */
export const canBeGranted = (ask: Ask): boolean =>
  ask.kind === 'approval' &&
  ask.plan === undefined &&
  ask.requiresPerson !== true &&
  ask.tool === undefined &&
  ask.toolCallId !== undefined;

/** The same kind of subject is needed, too: what was said of commands says nothing about an input in which no command was found. */
function covers(grant: Grant, ask: Ask): boolean {
  const subject = subjectOf(ask);
  return (
    grant.toolName === ask.toolName &&
    grant.subjectKind === subject.kind &&
    matches(grant.pattern, subject, grant.literal)
  );
}

export const subjectOf = (ask: Pick<Ask, 'subject' | 'input'>): Subject =>
  ask.subject ?? { kind: 'input', value: canonical(ask.input) };

/** What a person has approved for good under a tool's own key. Nothing else is ever held against such a grant. */
export const findKeyGrant = (
  grants: readonly Grant[],
  { toolName, key }: { readonly toolName: string; readonly key: string },
  at: string,
): Grant | undefined =>
  grants.find(
    (grant) =>
      grant.subjectKind === 'key' &&
      grant.toolName === toolName &&
      grant.pattern === key &&
      isInForce(grant, at),
  );

export const keyGrant = (
  { grantId, toolName, key, by }: KeptApproval,
  at: string,
): Omit<Grant, 'scope' | 'sessionId'> => ({
  id: grantId,
  toolName,
  pattern: key,
  literal: true,
  subjectKind: 'key',
  createdAt: at,
  by,
});

const isInForce = (grant: Grant, at: string): boolean =>
  grant.expiresAt === undefined || Date.parse(grant.expiresAt) > Date.parse(at);

/** `*` stands for any run of characters, except where that would let a second command ride along. */
export function matches(pattern: string, subject: Subject, literal = false): boolean {
  if (pattern === subject.value) return true;
  if (literal) return false;
  if (subject.kind === 'command' && isCompound(subject.value)) return false;
  const value = subject.kind === 'path' ? withoutDots(subject.value) : subject.value;
  return value !== undefined && wildcardMatch(pattern, value);
}

/**
 * Operators, substitutions, redirections, groups, comments, line breaks: with any of these the words after the matched ones could be
 * another command. Quotes are not looked into; a quoted semicolon is rather asked about than misread.
 */
const isCompound = (command: string): boolean => /[;&|<>`$(){}\n\r\\#!\0]/.test(command);

/**
 * A path with its `.` and `..` worked out, so that `/repo/*` does not match `/repo/../etc`.
 * A backslash parts names on one system and belongs to a name on another: such a path is left as it is, and has no `..` in either reading.
 */
function withoutDots(path: string): string | undefined {
  if (path.includes('\\')) return path.split(/[\\/]/).includes('..') ? undefined : path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.length === 0 || parts.at(-1) === '') return undefined;
      parts.pop();
    } else if (part !== '.') {
      parts.push(part);
    }
  }
  return parts.join('/');
}

/** Linear in the subject: no backtracking that a crafted pattern could blow up. */
function wildcardMatch(pattern: string, value: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return value === first;
  const last = pieces.at(-1) ?? '';
  if (value.length < first.length + last.length) return false;
  if (!value.startsWith(first) || !value.endsWith(last)) return false;
  let from = first.length;
  const end = value.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = value.indexOf(piece, from);
    if (found < 0 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return from <= end;
}

/** The same input always gives the same text, whatever the order of its keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
