import { z } from 'zod';

export const RuleEffect = z.enum(['allow', 'deny', 'ask']);
export type RuleEffect = z.infer<typeof RuleEffect>;

const longestPattern = 20_000;

/** What a rule is about. Without a pattern, every call of the tool. */
export const ruleFields = {
  /** The tool's name as its agent has it; in a rule that denies or asks, `*` stands for any run of characters. */
  tool: z.string().trim().min(1, 'Name the tool.').max(200),
  /** A command, a path, a host or an input, with `*` for any run of characters. */
  pattern: z
    .string()
    .trim()
    .min(1, 'Leave it out to mean every call of the tool.')
    .max(longestPattern)
    .optional(),
  /** Told to the agent when it is denied, and to the person when it is asked. */
  reason: z.string().trim().max(2000).optional(),
};

/** One rule of a policy. */
export const PolicyRule = z
  .strictObject({
    effect: z.enum(['allow', 'deny', 'ask'], 'Say "allow", "deny" or "ask".'),
    ...ruleFields,
    /** Only in sessions that work there or below. */
    cwd: z
      .string()
      .regex(/^(\/|[A-Za-z]:[\\/])/, 'Name the directory from the root on.')
      .max(4096)
      .optional(),
  })
  .superRefine(({ effect, tool, pattern }, context) => {
    if (effect !== 'allow') return;
    const fault = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (pattern === undefined)
      fault('pattern', 'A rule that allows must say what: without a pattern it would allow every call.');
    if (tool.includes('*'))
      fault('tool', 'A rule that allows names one tool; "*" is for rules that deny or ask.');
  });
export type PolicyRule = z.infer<typeof PolicyRule>;

/** Rules that hold together: those that deny come before those that ask, and both before all that is allowed. */
export const Policy = z.strictObject({
  version: z.literal(1, 'This must be 1.'),
  rules: z.array(PolicyRule).max(500),
});
export type Policy = z.infer<typeof Policy>;

/** The rule that decided, as it stood then. */
export const RuleRef = z.object({
  /** Of this session, of all sessions, of the policy, or of the file that the session's directory has. */
  source: z.enum(['session', 'always', 'policy', 'repository']),
  effect: RuleEffect,
  tool: z.string(),
  pattern: z.string().optional(),
  reason: z.string().optional(),
  ruleId: z.string().optional(),
});
export type RuleRef = z.infer<typeof RuleRef>;
