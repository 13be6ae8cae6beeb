import { BeckonError } from '../../client/beckon-error.ts';
import type { Policy, PolicyRule, RuleEffect } from '../../protocol/rule.ts';

/** A rule while it is written: fields that are left empty are none. */
export interface DraftRule {
  /** Stays with its row while others come and go. */
  readonly row: number;
  readonly effect: RuleEffect;
  readonly tool: string;
  readonly pattern: string;
  readonly cwd: string;
  readonly reason: string;
}

let rows = 0;

export const newRule = (rule: Partial<PolicyRule> = {}): DraftRule => {
  rows += 1;
  const { effect = 'deny', tool = '', pattern = '', cwd = '', reason = '' } = rule;
  return { row: rows, effect, tool, pattern, cwd, reason };
};

export const draftOf = ({ rules }: Policy): readonly DraftRule[] => rules.map(newRule);

export const policyOf = (draft: readonly DraftRule[]): Policy => ({
  version: 1,
  rules: draft.map(({ effect, tool, pattern, cwd, reason }) => ({
    effect,
    tool: tool.trim(),
    ...(pattern.trim() !== '' && { pattern: pattern.trim() }),
    ...(cwd.trim() !== '' && { cwd: cwd.trim() }),
    ...(reason.trim() !== '' && { reason: reason.trim() }),
  })),
});

export const textOf = (policy: Policy): string => JSON.stringify(policy, null, 2);

/** What was typed as JSON, as far as the page can tell: whether it is a policy, the server says. */
export function readDraft(text: string): { readonly value: Policy } | { readonly fault: string } {
  try {
    return { value: JSON.parse(text) as Policy };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Rows can be made of it: whatever else is wrong is told when it is tried. */
export const isTable = (value: unknown): value is Policy =>
  typeof value === 'object' &&
  value !== null &&
  'rules' in value &&
  Array.isArray(value.rules) &&
  value.rules.every((rule) => typeof rule === 'object' && rule !== null);

/** The rule that the server finds fault with, by its number from 0. */
export function faultyRule(error: unknown): number | undefined {
  if (!(error instanceof BeckonError)) return undefined;
  const [, index] = /^policy\.rules\.(\d+)/.exec(String(error.details.field ?? '')) ?? [];
  return index === undefined ? undefined : Number(index);
}
