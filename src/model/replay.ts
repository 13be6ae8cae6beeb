import type { NewEventOf } from '../protocol/event.ts';
import type { PolicyTrial, TriedAsk } from '../protocol/policy.ts';
import type { Policy } from '../protocol/rule.ts';
import { findGrant, subjectOf, workplaceOf } from './grants.ts';
import { type HeldRule, heldRules, type Standing, type Verdict, verdictBy } from './policy.ts';
import { matchRule } from './rule-match.ts';

/** Something that was asked once, with what became of it, and what holds there beside the policy that is tried. */
export interface PastAsk extends Pick<Standing, 'rules' | 'grants' | 'place'> {
  readonly sessionId: string;
  readonly at: string;
  readonly requested: Pick<NewEventOf<'interaction.requested'>, 'interactionId' | 'ask'>;
  /** Undefined where nobody decided. */
  readonly decided: Pick<NewEventOf<'interaction.decided'>, 'outcome' | 'by'> | undefined;
}

export interface Replay {
  /** In any order; the newest first gives the newest examples. */
  take(past: PastAsk): void;
  result(): Omit<PolicyTrial, 'days' | 'from'>;
}

const mostExamples = 5;
const mostContradictions = 50;

/** Tries a policy on what was asked, as if it were asked at this moment. */
export function replay(policy: Policy, at: string): Replay {
  const own = heldRules(policy, 'policy');
  const tally = own.map(() => ({ decided: 0, matched: 0, examples: [] as TriedAsk[] }));
  const before = { asked: 0, allowed: 0, denied: 0 };
  const after = { asked: 0, allowed: 0, denied: 0 };
  const contradictions = new Map<string, PolicyTrial['contradictions'][number]>();
  let asks = 0;

  return {
    take(past) {
      const { ask } = past.requested;
      if (ask.kind !== 'approval' || ask.tool !== undefined) return;
      asks += 1;
      before[howItWent(past)] += 1;
      const asIfNew = withoutRule(ask);
      const matched = [...own, ...past.rules].map((rule) => ({
        rule,
        match: matchRule(rule, asIfNew, past.place),
      }));
      const verdict = verdictBy(matched, () => findGrant(past.grants, asIfNew, at, workplaceOf(past.place)));
      after[verdict.is === 'ask' ? 'asked' : verdict.is === 'allow' ? 'allowed' : 'denied'] += 1;
      for (const [index, entry] of tally.entries()) {
        if (matched[index]?.match === 'no') continue;
        entry.matched += 1;
        if (entry.examples.length < mostExamples) entry.examples.push(tried(past));
      }
      const index = own.indexOf(decidingRule(verdict) ?? nobody);
      const deciding = tally[index];
      if (deciding !== undefined) deciding.decided += 1;
      contradict(contradictions, past, verdict, index === -1 ? null : index);
    },
    result: () => ({
      asks,
      before,
      after,
      rules: tally,
      contradictions: [...contradictions.values()]
        .toSorted((a, b) => b.times - a.times || (a.at < b.at ? 1 : -1))
        .slice(0, mostContradictions),
    }),
  };
}

const nobody: HeldRule = { source: 'policy', effect: 'ask', tool: '' };

const decidingRule = (verdict: Verdict): HeldRule | undefined =>
  'rule' in verdict ? verdict.rule : undefined;

/** That a rule sent it to a person is no word of the agent: with other rules it might not have. */
function withoutRule(ask: PastAsk['requested']['ask']): PastAsk['requested']['ask'] {
  if (ask.rule === undefined) return ask;
  const { rule: _, requiresPerson: __, ...said } = ask;
  return said;
}

function howItWent({ decided }: PastAsk): 'asked' | 'allowed' | 'denied' {
  if (decided?.by.kind !== 'grant' && decided?.by.kind !== 'rule') return 'asked';
  return decided.outcome === 'allowed' ? 'allowed' : 'denied';
}

const tried = ({ sessionId, at, requested }: PastAsk): TriedAsk => ({
  sessionId,
  interactionId: requested.interactionId,
  at,
  toolName: requested.ask.toolName,
  subject: subjectOf(requested.ask).value.slice(0, 1000),
});

/** A person had said no, and the policy would allow; or yes, and it would deny. */
function contradict(
  found: Map<string, PolicyTrial['contradictions'][number]>,
  past: PastAsk,
  verdict: Verdict,
  rule: number | null,
): void {
  const { decided } = past;
  if (decided?.by.kind !== 'person') return;
  const { outcome } = decided;
  const isOtherwise =
    (outcome === 'denied' && verdict.is === 'allow') || (outcome === 'allowed' && verdict.is === 'deny');
  if (!isOtherwise) return;
  const example = tried(past);
  const key = JSON.stringify([rule, outcome, example.toolName, example.subject]);
  const known = found.get(key);
  if (known === undefined) found.set(key, { ...example, rule, decided: outcome, times: 1 });
  else known.times += 1;
}
