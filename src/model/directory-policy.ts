import type { Event, NewEvent } from '../protocol/event.ts';
import type { Actor } from '../protocol/interaction.ts';
import type { DirectoryPolicy } from '../protocol/policy.ts';
import type { Policy, PolicyRule } from '../protocol/rule.ts';
import { type HeldRule, isSameRule, noPolicy } from './policy.ts';
import { policyDigest } from './policy-digest.ts';
import { readPolicy } from './read-policy.ts';

/** What is known of a directory's own policy. */
export interface DirectoryRecord {
  readonly directory: string;
  readonly content: string | null;
  readonly digest: string | null;
  /** Null where it cannot be understood. */
  readonly policy: Policy | null;
  readonly problem: string | undefined;
  readonly foundAt: string;
  readonly trusted: { readonly digest: string | null; readonly at: string; readonly by: Actor } | null;
  /** All that any version denied or asked for since a person last trusted one: an agent that takes a rule out gains nothing. */
  readonly restraints: readonly PolicyRule[];
  /** How often it changed since. */
  readonly changes: number;
}

/** Nobody looks at a file that changes so often; what it says next is not even stored. */
const mostChanges = 50;
const mostRestraints = 2000;

type PolicyEvent = Extract<NewEvent, { type: `policy.${string}` }>;
export type DirectoryEvent = Exclude<PolicyEvent, { type: 'policy.set' }>;

export const isDirectoryEvent = (event: Event | NewEvent): event is DirectoryEvent =>
  event.type === 'policy.found' || event.type === 'policy.trusted' || event.type === 'policy.distrusted';

/** What an event makes of it. */
export function foldDirectory(
  known: DirectoryRecord | undefined,
  event: DirectoryEvent,
  at: string,
): DirectoryRecord | undefined {
  if (event.type === 'policy.found') return found(known, event, at);
  if (known === undefined) return undefined;
  if (event.type === 'policy.distrusted') return { ...known, trusted: null };
  if (event.digest !== known.digest) return known;
  const { digest, by } = event;
  return { ...known, trusted: { digest, at, by }, restraints: restraintsIn(known.policy), changes: 0 };
}

function found(
  known: DirectoryRecord | undefined,
  { directory, content, problem }: Extract<DirectoryEvent, { type: 'policy.found' }>,
  at: string,
): DirectoryRecord {
  const read = content === null ? { ok: true as const, policy: noPolicy } : readPolicy(content);
  const digest = content === null ? null : policyDigest(content);
  const policy = problem === undefined && read.ok ? read.policy : null;
  const isTrusted = known?.trusted != null && known.trusted.digest === digest && policy !== null;
  const own = restraintsIn(policy);
  const before = isTrusted ? [] : (known?.restraints ?? []);
  const added = own.filter((rule) => !before.some((other) => isSameRule(other, rule)));
  return {
    directory,
    content,
    digest,
    policy,
    problem: problem ?? (read.ok ? undefined : read.faults.join(' ')),
    foundAt: at,
    trusted: known?.trusted ?? null,
    restraints: [...before, ...added],
    changes: isTrusted ? 0 : (known?.changes ?? 0) + 1,
  };
}

const restraintsIn = (policy: Policy | null): readonly PolicyRule[] =>
  policy?.rules.filter(({ effect }) => effect !== 'allow') ?? [];

const isTrusted = ({ trusted, digest, policy }: DirectoryRecord): boolean =>
  trusted !== null && trusted.digest === digest && policy !== null;

/** More than a person was shown is not taken in before one has looked. */
export const isTooMuch = ({ changes, restraints }: DirectoryRecord): boolean =>
  changes >= mostChanges || restraints.length >= mostRestraints;

/** The rules that hold there. */
export function rulesOf(record: DirectoryRecord): readonly HeldRule[] {
  const rules: PolicyRule[] = [...record.restraints];
  if (isTrusted(record) && record.policy !== null)
    rules.push(...record.policy.rules.filter(({ effect }) => effect === 'allow'));
  // It may deny what nobody can read.
  if (record.policy === null) rules.push(everything('The policy of this directory cannot be read.'));
  if (isTooMuch(record)) rules.push(everything('The policy of this directory changes too often.'));
  return rules.map((rule) => ({ ...rule, source: 'repository' }));
}

/** Until the directory could be looked at. */
export const unseenRules: readonly HeldRule[] = [
  {
    effect: 'ask',
    tool: '*',
    reason: 'The policy of this directory could not be looked for.',
    source: 'repository',
  },
];

const everything = (reason: string): PolicyRule => ({ effect: 'ask', tool: '*', reason });

/** As clients see it. */
export function directoryPolicyView(record: DirectoryRecord): DirectoryPolicy {
  const { directory, content, digest, policy, problem, foundAt, trusted, restraints } = record;
  const present = restraintsIn(policy);
  const held = restraints.filter((rule) => !present.some((other) => isSameRule(other, rule)));
  const allows = policy?.rules.some(({ effect }) => effect === 'allow') === true;
  const isNow = isTrusted(record);
  return {
    id: directoryPolicyId(directory),
    directory,
    text: content,
    digest,
    policy,
    ...(problem !== undefined && { problem }),
    foundAt,
    trusted: isNow && trusted !== null ? { at: trusted.at, by: trusted.by } : null,
    needsTrust: policy !== null && !isNow && (allows || held.length > 0 || isTooMuch(record)),
    held,
  };
}

export const directoryPolicyId = (directory: string): string => `pol_${policyDigest(directory).slice(0, 16)}`;
