import type { Approvals, ToolContext } from '../sdk/context.ts';
import type { ApprovalScope, RequestInteraction } from '../sdk/interaction.ts';
import { ToolError } from '../sdk/tool-error.ts';
import { Exchange } from './exchange.ts';
import type { AnyRequest } from './request.ts';
import type { ToolRun } from './tool-run.ts';

/** What the handler of a run may do. */
export function contextOf(run: ToolRun): ToolContext {
  const { sessionId, callId, progress } = run.call;
  const requestInteraction = (request: AnyRequest): Promise<unknown> => {
    const result = ask(run, request);
    // A handler that returns without waiting for what it asked ends it by that; that is no error nobody caught.
    result.catch(() => {});
    return result;
  };
  return Object.freeze({
    sessionId,
    callId,
    signal: run.signal,
    requestInteraction: requestInteraction as RequestInteraction,
    interaction: Object.freeze({
      get available() {
        return run.desk.available(sessionId);
      },
    }),
    approvals: approvalsOf(run),
    logger: run.log,
    progress: (text: string) => progress(String(text)),
  });
}

async function ask(run: ToolRun, request: AnyRequest): Promise<unknown> {
  run.throwIfOver();
  return new Exchange(run, request).result();
}

function approvalsOf(run: ToolRun): Approvals {
  const { desk, call, approvedOnce } = run;
  const { sessionId, toolName } = call;
  return Object.freeze({
    get: (key: string): ApprovalScope | undefined =>
      desk.approval(sessionId, toolName, keyOf(key)) ?? (approvedOnce.has(key) ? 'once' : undefined),
    async set(key: string, scope: ApprovalScope): Promise<void> {
      switch (scope) {
        case 'once':
          approvedOnce.add(keyOf(key));
          return;
        case 'session':
        case 'always': {
          const kept = await desk.setApproval(sessionId, { toolName, key: keyOf(key), scope, by: run.by });
          if (!kept.ok) throw new ToolError(kept.refusal.code, kept.refusal.message);
          return;
        }
        default:
          throw new ToolError('invalid_request', `"${String(scope)}" is not once, session or always.`);
      }
    },
    async clearSession(): Promise<void> {
      approvedOnce.clear();
      const cleared = await desk.clearApprovals(sessionId, toolName, run.by);
      if (!cleared.ok) throw new ToolError(cleared.refusal.code, cleared.refusal.message);
    },
  });
}

function keyOf(key: unknown): string {
  if (typeof key === 'string' && key !== '' && key.length <= 2000) return key;
  throw new ToolError('invalid_request', 'The key of an approval must be a text of 1 to 2000 characters.');
}
