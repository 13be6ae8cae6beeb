import type { Grant } from '../protocol/grant.ts';
import type { Ask } from '../protocol/interaction.ts';
import type { StandingRule } from '../protocol/policy.ts';
import type { Policy, PolicyRule, RuleRef } from '../protocol/rule.ts';
import { canonical } from './canonical.ts';
import { findGrant, workplaceOf } from './grants.ts';
import { type Match, matchRule, type Place } from './rule-match.ts';

/** A rule in force, and whose it is. */
export interface HeldRule extends PolicyRule {
  readonly source: RuleRef['source'];
  readonly ruleId?: string;
}

/** What becomes of an ask: a rule denies it, a rule or nobody's leave sends it to a person, or it is allowed. */
export type Verdict =
  | { readonly is: 'deny'; readonly rule: HeldRule }
  | { readonly is: 'ask'; readonly rule?: HeldRule }
  | { readonly is: 'allow'; readonly grant: Grant }
  | { readonly is: 'allow'; readonly rule: HeldRule };

export interface Standing {
  readonly rules: readonly HeldRule[];
  readonly grants: readonly Grant[];
  readonly place: Place;
  readonly at: string;
}

/** Denied before asked, asked before allowed, whoever made the rule. Where it cannot be told whether a rule denies, a person is asked. */
export function verdictOn(ask: Ask, { rules, grants, place, at }: Standing): Verdict {
  return verdictBy(
    rules.map((rule) => ({ rule, match: matchRule(rule, ask, place) })),
    () => findGrant(grants, ask, at, workplaceOf(place)),
  );
}

/** The same of rules that have been held against the ask already. */
export function verdictBy(
  matched: readonly { readonly rule: HeldRule; readonly match: Match }[],
  granted: () => Grant | undefined,
): Verdict {
  const meant = matched.filter(({ match }) => match !== 'no');
  const denying = meant.find(({ rule, match }) => rule.effect === 'deny' && match === 'yes');
  if (denying !== undefined) return { is: 'deny', rule: denying.rule };
  const restraining = meant.filter(({ rule }) => rule.effect !== 'allow');
  const asking = restraining.find(({ rule }) => rule.effect === 'ask') ?? restraining[0];
  if (asking !== undefined) return { is: 'ask', rule: asking.rule };
  const grant = granted();
  if (grant !== undefined) return { is: 'allow', grant };
  const allowing = meant[0];
  return allowing === undefined ? { is: 'ask' } : { is: 'allow', rule: allowing.rule };
}

export const ruleRef = ({ source, effect, tool, pattern, reason, ruleId }: HeldRule): RuleRef => ({
  source,
  effect,
  tool,
  ...(pattern !== undefined && { pattern }),
  ...(reason !== undefined && { reason }),
  ...(ruleId !== undefined && { ruleId }),
});

/** What the agent is told when a rule denies. */
export const denialBy = ({ reason }: HeldRule): string =>
  reason === undefined || reason === '' ? 'A standing rule denies this.' : reason;

export const heldRule = ({ id, effect, tool, pattern, reason, scope }: StandingRule): HeldRule => ({
  source: scope,
  effect,
  tool,
  ...(pattern !== undefined && { pattern }),
  ...(reason !== undefined && { reason }),
  ruleId: id,
});

export const heldRules = (policy: Policy, source: HeldRule['source']): readonly HeldRule[] =>
  policy.rules.map((rule) => ({ ...rule, source }));

export const noPolicy: Policy = { version: 1, rules: [] };

export const isSameRule = (a: PolicyRule, b: PolicyRule): boolean => canonical(a) === canonical(b);
