import type { Readable, Writable } from 'node:stream';

/**
 * The parts of `@anthropic-ai/claude-agent-sdk` that are used here, as shapes of our own: the package is not installed with
 * Beckon. The tests with the real agents compare them with the package's types.
 */
export interface AgentSdk {
  query(params: { prompt: AsyncIterable<SdkUserMessage>; options: SdkOptions }): SdkQuery;
}

/** What the agent says, and the requests it can be sent while it runs. */
export interface SdkQuery {
  next(): Promise<IteratorResult<SdkMessage, void>>;
  initializationResult(): Promise<object>;
  interrupt(): Promise<unknown>;
  setPermissionMode(mode: SdkPermissionMode): Promise<void>;
  setModel(model?: string): Promise<void>;
  close(): void;
}

/** A line of the program, unchanged; what is in it is told by the reader of the wire. */
export interface SdkMessage {
  readonly type: string;
}

export type SdkPermissionMode = 'default' | 'acceptEdits' | 'plan' | 'auto' | 'dontAsk' | 'bypassPermissions';

export interface SdkUserMessage {
  type: 'user';
  message: { role: 'user'; content: SdkContent[] };
  parent_tool_use_id: null;
  uuid: SdkUuid;
  priority?: 'next';
}

export type SdkUuid = `${string}-${string}-${string}-${string}-${string}`;

export type SdkContent =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: SdkImageType; data: string } };

export type SdkImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export interface SdkOptions {
  cwd: string;
  env: Record<string, string>;
  pathToClaudeCodeExecutable?: string;
  model?: string;
  resume?: string;
  forkSession?: boolean;
  resumeSessionAt?: string;
  includePartialMessages: true;
  systemPrompt: { type: 'preset'; preset: 'claude_code' };
  settingSources: ('user' | 'project' | 'local')[];
  allowedTools: string[];
  extraArgs: Record<string, string | null>;
  spawnClaudeCodeProcess(options: SdkSpawnOptions): SdkProcess;
  canUseTool(
    toolName: string,
    input: Record<string, unknown>,
    options: SdkAskOptions,
  ): Promise<SdkPermissionResult>;
  onElicitation(request: object, options: SdkAskOptions): Promise<SdkElicitationResult>;
}

export interface SdkSpawnOptions {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
}

/** A process as the SDK wants to see it; a child of node's is one. */
export interface SdkProcess {
  stdin: Writable;
  stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode?: NodeJS.Signals | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: 'exit', listener: ExitListener): void;
  on(event: 'error', listener: (error: Error) => void): void;
  once(event: 'exit', listener: ExitListener): void;
  once(event: 'error', listener: (error: Error) => void): void;
  off(event: 'exit', listener: ExitListener): void;
  off(event: 'error', listener: (error: Error) => void): void;
}

type ExitListener = (code: number | null, signal: NodeJS.Signals | null) => void;

/** Beside what is asked, of which the wire tells more. */
export interface SdkAskOptions {
  signal: AbortSignal;
  requestId: string;
}

export type SdkPermissionResult =
  | {
      behavior: 'allow';
      updatedInput?: Record<string, unknown>;
      updatedPermissions?: { type: 'setMode'; mode: SdkPermissionMode; destination: 'session' }[];
    }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

export type SdkElicitationResult = {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
};
