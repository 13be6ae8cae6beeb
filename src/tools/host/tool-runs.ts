import type { CallOptions } from '../../engine/ports/tool-calls.ts';
import { isRecord } from '../../model/json-pointer.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Approvals, Tool, ToolContext } from '../sdk/define-tool.ts';
import type { ApprovalScope, RequestInteraction } from '../sdk/interaction.ts';
import { ToolError } from '../sdk/tool-error.ts';
import { Exchange } from './exchange.ts';
import type { AnyRequest } from './request.ts';
import { failure, success, type ToolCallResult, wordsOf } from './result.ts';
import { type Surroundings, ToolRun } from './tool-run.ts';

/** The calls of tools that are under way. */
export class ToolRuns {
  readonly #surroundings: Surroundings;
  readonly #runs = new Set<ToolRun>();
  readonly #unlisten: () => void;
  #closed: string | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#unlisten = surroundings.desk.onRunEnd((sessionId, reason) => {
      for (const run of [...this.#runs]) {
        if (run.call.sessionId === sessionId) run.stop(reason);
      }
    });
  }

  /** Never rejects: an error is a result, too. */
  async call(tool: Tool, sessionId: SessionId, args: unknown, options: CallOptions): Promise<ToolCallResult> {
    try {
      if (this.#closed !== undefined) throw new ToolError('run_ended', this.#closed);
      return success(await this.#run(tool, sessionId, args, options));
    } catch (error) {
      return failure(tool.name, error);
    }
  }

  /** Ends every run. What they asked stays open: the next server goes on with it. */
  close(reason: string): void {
    this.#closed = reason;
    this.#unlisten();
    for (const run of [...this.#runs]) run.abandon(reason);
  }

  async #run(tool: Tool, sessionId: SessionId, args: unknown, options: CallOptions): Promise<unknown> {
    const { callId, signal, agentToolName = tool.name, progress = () => {}, limitMs } = options;
    const run = new ToolRun(this.#surroundings, {
      sessionId,
      toolName: tool.name,
      agentToolName,
      callId,
      input: isRecord(args) ? args : {},
      progress,
      limitMs,
    });
    const onAbort = (): void => run.stop(cancelWords(signal.reason));
    this.#runs.add(run);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal.aborted) onAbort();
      return await run.during(run.asAuthor(() => handle(tool, args, run)));
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#runs.delete(run);
      run.finish();
    }
  }
}

async function handle(tool: Tool, args: unknown, run: ToolRun): Promise<unknown> {
  // Some agents leave the arguments out where there are none.
  const read = await tool.input.safeParseAsync(args ?? {});
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `"${path.join('.')}": ${message}`,
    );
    throw new ToolError('invalid_arguments', `The arguments do not fit: ${faults.join('; ')}.`);
  }
  run.throwIfOver();
  return tool.handler(read.data, contextOf(run));
}

function cancelWords(reason: unknown): string {
  const isDefault = reason === undefined || (reason instanceof Error && reason.name === 'AbortError');
  return isDefault ? 'The agent cancelled the call.' : `The call was cancelled: ${wordsOf(reason)}`;
}

/** What the handler of a run may do. */
function contextOf(run: ToolRun): ToolContext {
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
