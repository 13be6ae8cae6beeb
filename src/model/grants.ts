import type { NewEventOf } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { Actor, Ask, Subject } from '../protocol/interaction.ts';
import { canonical } from './canonical.ts';
import type { KeptApproval } from './command.ts';
import { matches } from './pattern.ts';

/** The grant that answers this ask, if a person has given one that does. */
export function findGrant(
  grants: readonly Grant[],
  ask: Ask,
  at: string,
  directory?: string,
): Grant | undefined {
  if (!canBeGranted(ask)) return undefined;
  return grants.find((grant) => isInForce(grant, at) && holdsIn(grant, directory) && covers(grant, ask));
}

interface Workplace {
  readonly cwd: string;
  readonly realCwd?: string | null | undefined;
  readonly machine?: string | null | undefined;
}

/** The directory in which a session works, with all links followed as far as is known. */
export const directoryIn = ({ cwd, realCwd }: Workplace): string => realCwd ?? cwd;

/** The same, with the machine before it where that is another: what is allowed in a directory here says nothing of one there. */
export const workplaceOf = (place: Workplace): string =>
  place.machine == null ? directoryIn(place) : `${place.machine}:${directoryIn(place)}`;

/** One that was given for a directory holds where that is known to be the session's, with all links followed. */
const holdsIn = (grant: Grant, directory: string | undefined): boolean =>
  grant.directory === undefined || grant.directory === directory;

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

/** A time of trust: what it lets through is said in `trust.ts`. */
export const isTrust = ({ subjectKind }: Pick<Grant, 'subjectKind'>): boolean => subjectKind === 'any';

/** The one that a session has, whether or not its end has come. */
export const trustIn = ({ grants }: { readonly grants: readonly Grant[] }): Grant | undefined =>
  grants.find(isTrust);

/** Given twice, it is one: whoever revokes it has revoked it. */
export const isSameGrant = (a: Grant, b: Grant): boolean =>
  a.scope === b.scope &&
  a.toolName === b.toolName &&
  a.subjectKind === b.subjectKind &&
  a.pattern === b.pattern &&
  a.literal === b.literal &&
  a.directory === b.directory &&
  a.expiresAt === b.expiresAt;

export const isInForce = (grant: Grant, at: string): boolean =>
  grant.expiresAt === undefined || Date.parse(grant.expiresAt) > Date.parse(at);

/** Its end goes on record as soon as it is seen: a clock that is set back does not bring it back. */
export const expiredGrant = (grant: Grant): NewEventOf<'grant.ended'> => ({
  type: 'grant.ended',
  grantId: grant.id,
  cause: 'expired',
  ...usesOf(grant),
  by: { kind: 'timer' },
});

/** Someone has taken it back. */
export const revokedGrant = (grant: Grant, by: Actor): NewEventOf<'grant.ended'> => ({
  type: 'grant.ended',
  grantId: grant.id,
  cause: 'revoked',
  ...usesOf(grant),
  by,
});

const usesOf = (grant: Grant): { readonly uses?: number } =>
  isTrust(grant) ? { uses: grant.uses ?? 0 } : {};
