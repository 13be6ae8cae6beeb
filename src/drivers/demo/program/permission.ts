import { isObject, type JsonObject, objectsAt, stringAt } from './json.ts';
import type { ToolKind } from './tools/tool.ts';

export const MODES = ['acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'plan'] as const;
export type PermissionMode = (typeof MODES)[number];

interface Rule {
  readonly toolName: string;
  readonly content: string | undefined;
  readonly behavior: 'allow' | 'deny' | 'ask';
}

export interface Permission {
  mode: PermissionMode;
  /** Where a plain approval of a plan leads back to. */
  beforePlan: PermissionMode;
  rules: Rule[];
}

export type Verdict =
  | { readonly is: 'allow' }
  | { readonly is: 'ask' }
  | { readonly is: 'deny'; reason: string };

export interface Call {
  readonly toolName: string;
  readonly kind: ToolKind;
  /** What a rule is held against: a command, a path, `domain:host`. */
  readonly subject: string;
}

/** Decides whether a call runs, asks or is refused, before any person is involved. */
export function judge(permission: Permission, call: Call): Verdict {
  if (call.kind === 'free') return { is: 'allow' };
  if (call.kind === 'person') return { is: 'ask' };
  const behavior = matchingBehavior(permission.rules, call);
  if (behavior === 'deny')
    return { is: 'deny', reason: `Permission to use ${call.toolName} has been denied.` };
  if (behavior === 'ask') return { is: 'ask' };
  switch (permission.mode) {
    case 'bypassPermissions':
      return { is: 'allow' };
    case 'plan':
      return {
        is: 'deny',
        reason: `Plan mode is on: ${call.toolName} must wait until the plan is approved.`,
      };
    case 'acceptEdits':
      return behavior === 'allow' || call.kind === 'edit' ? { is: 'allow' } : { is: 'ask' };
    case 'dontAsk':
      return behavior === 'allow'
        ? { is: 'allow' }
        : { is: 'deny', reason: `Permission to use ${call.toolName} has been denied in don't-ask mode.` };
    case 'default':
    case 'auto':
      return behavior === 'allow' ? { is: 'allow' } : { is: 'ask' };
  }
}

/** Takes in the `updatedPermissions` of an allow. Says whether the mode changed. */
export function applyUpdates(permission: Permission, updates: unknown): boolean {
  const before = permission.mode;
  for (const update of Array.isArray(updates) ? updates.filter(isObject) : []) {
    if (update.type === 'setMode' && isPermissionMode(update.mode)) setMode(permission, update.mode);
    if (update.type === 'addRules') permission.rules.push(...readRules(update));
    if (update.type === 'replaceRules') permission.rules = readRules(update);
    if (update.type === 'removeRules') {
      const gone = readRules(update);
      permission.rules = permission.rules.filter((rule) => !gone.some((other) => same(rule, other)));
    }
  }
  return permission.mode !== before;
}

export function setMode(permission: Permission, mode: PermissionMode): void {
  if (mode === 'plan' && permission.mode !== 'plan') permission.beforePlan = permission.mode;
  permission.mode = mode;
}

export function isPermissionMode(value: unknown): value is PermissionMode {
  return MODES.some((mode) => mode === value);
}

function readRules(update: JsonObject): Rule[] {
  const behavior = update.behavior;
  if (behavior !== 'allow' && behavior !== 'deny' && behavior !== 'ask') return [];
  return objectsAt(update, 'rules').flatMap((rule) => {
    const toolName = stringAt(rule, 'toolName');
    return toolName === undefined ? [] : [{ toolName, content: stringAt(rule, 'ruleContent'), behavior }];
  });
}

function matchingBehavior(rules: readonly Rule[], call: Call): Rule['behavior'] | undefined {
  const matching = rules.filter(
    (rule) => rule.toolName === call.toolName && covers(rule.content, call.subject),
  );
  for (const behavior of ['deny', 'ask', 'allow'] as const) {
    if (matching.some((rule) => rule.behavior === behavior)) return behavior;
  }
  return undefined;
}

function covers(content: string | undefined, subject: string): boolean {
  if (content === undefined || content === '' || content === '*') return true;
  const prefix = prefixOf(content);
  if (prefix === undefined) return content === subject;
  // `touch:*` must not let `touch a; rm -rf b` through.
  if (/[;&|<>`$(){}\n\\]/.test(subject)) return false;
  return subject === prefix || subject.startsWith(`${prefix} `);
}

function prefixOf(content: string): string | undefined {
  if (content.endsWith(':*')) return content.slice(0, -2);
  if (content.endsWith(' *')) return content.slice(0, -2);
  return undefined;
}

function same(one: Rule, other: Rule): boolean {
  return one.toolName === other.toolName && one.content === other.content && one.behavior === other.behavior;
}
