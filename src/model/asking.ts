import type { Agent, Asking } from '../protocol/session.ts';

/** What is known of an agent that, started like this, acts without asking; undefined where it asks, or nothing is known of it. */
export function actsUnasked(
  { asking, defaultPermissionMode }: Pick<Agent, 'asking' | 'defaultPermissionMode'>,
  start: { readonly permissionMode?: string; readonly variables?: readonly string[] } = {},
): Asking | undefined {
  if (asking === undefined || asking.byDefault === 'always') return undefined;
  const mode = start.permissionMode || defaultPermissionMode;
  if (mode !== undefined && mode === asking.mode) return undefined;
  return asking.variable && start.variables?.includes(asking.variable.name) ? undefined : asking;
}
