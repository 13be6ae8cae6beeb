import type { SessionId } from '../../protocol/ids.ts';

/** The interactive tools as agents call them, here or from another machine. */
export interface ToolCalls {
  /** Those that can be called now. */
  readonly tools: readonly OfferedTool[];
  /** Calls back after the list has changed. */
  onChange(listener: () => void): () => void;
  /** Runs a tool to its end, however long a person takes. Never rejects: an error is a result, too. */
  call(sessionId: SessionId, name: string, args: unknown, options: CallOptions): Promise<CallEnd>;
  /** For an agent that comes back for the result of a call whose connection was lost with the program that served it. */
  resume(sessionId: SessionId, callId: string, options: ResumeOptions): Promise<CallEnd>;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (2020-12) of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly askFirst: boolean;
}

export interface ResumeOptions {
  /** Fires when the agent has cancelled the call. Its reason, a text or an error, is passed on. */
  readonly signal: AbortSignal;
  readonly progress?: (text: string) => void;
}

export interface CallOptions extends ResumeOptions {
  /** Names this run: the agent's own id of the call, where it tells one, which ties the ask to the conversation. */
  readonly callId: string;
  /** What the agent calls the tool, where that is another name than the tool's own. */
  readonly agentToolName?: string;
  /** How long the agent waits for the result, where that is known. */
  readonly limitMs?: number | undefined;
}

/** What the agent is told: the result in words or, where the server that ran the tool is gone, what became of its ask. */
export type CallEnd = { readonly ok: boolean; readonly text: string } | LeftCall;

export interface LeftCall {
  /** The answer to what the tool asked will be a message, given already or not; null where nothing was left open. */
  readonly left: 'open' | 'answered' | null;
}

/** What a server offers to the runners of other machines. */
export interface SharedTools {
  readonly calls: ToolCalls;
  /** Whether this session's agent is on that machine and may call tools. */
  admits(machine: string, sessionId: SessionId): boolean;
}
