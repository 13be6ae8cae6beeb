import { exec } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  AgentContext,
  CreateElicitationResponse,
  PermissionOption,
  SessionUpdate,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';

interface StageOptions {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  readonly state: { mode: string; cwd: string };
}

let calls = 0;

const usualOptions: PermissionOption[] = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'ever', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

/** What a scene can do. */
export class Stage {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  readonly state: StageOptions['state'];

  constructor({ client, sessionId, signal, state }: StageOptions) {
    this.client = client;
    this.sessionId = sessionId;
    this.signal = signal;
    this.state = state;
  }

  update(update: SessionUpdate): Promise<void> {
    return this.client.notify('session/update', { sessionId: this.sessionId, update });
  }

  async say(...pieces: string[]): Promise<void> {
    for (const text of pieces) {
      await this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    }
  }

  /** Waits until there is a file of this name in the session's directory. */
  async gate(name: string): Promise<void> {
    while (!existsSync(join(this.state.cwd, name)) && !this.signal.aborted) await delay(5);
  }

  /** Writes down what it does, to be held against what was heard of it. */
  note(file: string, text: string): void {
    appendFileSync(join(this.state.cwd, file), text);
  }

  async think(text: string): Promise<void> {
    await this.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
  }

  nextCall(): string {
    calls += 1;
    return `call-${process.pid}-${calls}`;
  }

  /** The option that was chosen; undefined when the question was cancelled. */
  async mayI(toolCall: ToolCallUpdate, options = usualOptions): Promise<string | undefined> {
    const { outcome } = await this.client.request('session/request_permission', {
      sessionId: this.sessionId,
      toolCall,
      options,
    });
    return outcome.outcome === 'selected' ? outcome.optionId : undefined;
  }

  /** Tells of a command, asks, runs it, and tells what came of it. */
  async run(command: string, parent?: string): Promise<void> {
    const toolCallId = this.nextCall();
    const _meta = parent === undefined ? {} : { claudeCode: { parentToolUseId: parent } };
    const call = { toolCallId, title: `\`${command}\``, kind: 'execute' as const, _meta };
    await this.update({ sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput: {} });
    const chosen = await this.mayI({ ...call, rawInput: { command } });
    if (chosen !== 'yes' && chosen !== 'ever') {
      await this.end(toolCallId, 'failed', 'The person said no');
      return;
    }
    await this.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
    const output = await shell(command, this.state.cwd);
    await this.end(toolCallId, 'completed', output);
  }

  async end(toolCallId: string, status: 'completed' | 'failed', text: string): Promise<void> {
    const content = [{ type: 'content' as const, content: { type: 'text' as const, text } }];
    await this.update({ sessionUpdate: 'tool_call_update', toolCallId, status, content });
  }

  elicit(params: object): Promise<CreateElicitationResponse> {
    return this.client.request('elicitation/create', { sessionId: this.sessionId, ...params });
  }

  /** What the client says to a request: its result, or its words of refusal. */
  async tried(method: string, params: object): Promise<string> {
    return this.client
      .request(method, { sessionId: this.sessionId, ...params })
      .then((result) => JSON.stringify(result))
      .catch((error: unknown) => `refused: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function shell(command: string, cwd: string): Promise<string> {
  return new Promise((resolve) => {
    exec(command, { cwd }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}
