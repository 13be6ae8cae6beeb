import { z } from 'zod';
import { RuleId, SessionId } from './ids.ts';
import { Actor, Outcome } from './interaction.ts';
import { Policy, ruleFields } from './rule.ts';

/** A rule that stands alone, as a grant does, and never allows. */
export const StandingRule = z.object({
  id: RuleId,
  effect: z.enum(['deny', 'ask']),
  ...ruleFields,
  scope: z.enum(['session', 'always']),
  sessionId: SessionId.optional(),
  createdAt: z.string(),
  by: Actor,
});
export type StandingRule = z.infer<typeof StandingRule>;

/** The policy for all sessions. */
export const PolicyInForce = z.object({
  policy: Policy,
  /** Names it, so that who changes it can say what was there before. */
  digest: z.string(),
  /** Null when nobody has set one yet. */
  setAt: z.string().nullable(),
  by: Actor.nullable(),
});
export type PolicyInForce = z.infer<typeof PolicyInForce>;

/** What `.beckon/policy.json` of a directory says, and what of it holds. */
export const DirectoryPolicy = z.object({
  /** Names this directory's policy. */
  id: z.string(),
  directory: z.string(),
  /** The file as it was read last; null when there is none. */
  text: z.string().nullable(),
  /** SHA-256 of the text: what is trusted is this very content. Null when there is none. */
  digest: z.string().nullable(),
  /** Null where it cannot be understood. */
  policy: Policy.nullable(),
  /** Why it cannot be: until then everything there goes to a person. */
  problem: z.string().optional(),
  foundAt: z.string(),
  /** Who trusted this very content, and when. */
  trusted: z.object({ at: z.string(), by: Actor }).nullable(),
  /** Someone should look at it: it allows something and is not trusted, or it lacks what an earlier version denies or asks for. */
  needsTrust: z.boolean(),
  /** Rules of earlier versions that this one lacks. They hold until a person trusts the present content. */
  held: z.array(Policy.shape.rules.element),
});
export type DirectoryPolicy = z.infer<typeof DirectoryPolicy>;

const TriedAsk = z.object({
  sessionId: z.string(),
  interactionId: z.string(),
  at: z.string(),
  toolName: z.string(),
  /** What was asked for: a command, a path, a host or the input. */
  subject: z.string(),
});
export type TriedAsk = z.infer<typeof TriedAsk>;

const Counts = z.object({ asked: z.number(), allowed: z.number(), denied: z.number() });

/** What a policy would have made of what was asked. */
export const PolicyTrial = z.object({
  days: z.number(),
  from: z.string(),
  /** Approvals that agents asked for in that time. */
  asks: z.number(),
  /** How they went: to a person, or answered by a grant or a rule. */
  before: Counts,
  /** How they would go with this policy, and the grants and other rules as they are now. */
  after: Counts,
  /** One for each rule of the policy, in its order. */
  rules: z.array(
    z.object({
      /** Asks that it would have decided. */
      decided: z.number(),
      /** Asks that it fits, also where another rule comes first. */
      matched: z.number(),
      /** The newest of them. */
      examples: z.array(TriedAsk),
    }),
  ),
  /** What a person decided otherwise than the policy would, most often first. */
  contradictions: z.array(
    TriedAsk.extend({
      /** The number of the rule that decides; null where another does. */
      rule: z.number().nullable(),
      /** What a person said. */
      decided: Outcome.extract(['allowed', 'denied']),
      /** How often, of this very thing. */
      times: z.number(),
    }),
  ),
});
export type PolicyTrial = z.infer<typeof PolicyTrial>;
