import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type {
  AgentSdk,
  SdkMessage,
  SdkOptions,
  SdkProcess,
  SdkQuery,
  SdkUserMessage,
} from '../../../src/drivers/claude-sdk/sdk-types.ts';

/**
 * Works as the Agent SDK does, as far as it is used: messages wait in a queue until they are taken, requests of the agent call back
 * at once. The suites that run on it here run on the real one, too, among the tests with the real agents.
 */
export function standInSdk({ isHasty = false } = {}): AgentSdk {
  return { query: ({ prompt, options }) => new StandInQuery(prompt, options, isHasty) };
}

type Json = Record<string, unknown>;

class StandInQuery implements SdkQuery {
  readonly #options: SdkOptions;
  readonly #child: SdkProcess;
  readonly #messages: SdkMessage[] = [];
  readonly #takers: ((result: IteratorResult<SdkMessage, undefined>) => void)[] = [];
  readonly #ours = new Map<string, { resolve(response: Json): void; reject(error: Error): void }>();
  readonly #theirs = new Map<string, AbortController>();
  readonly #exit: Promise<Error | undefined>;
  readonly #initialized: Promise<Json>;
  #failure: Error | undefined;
  #isOver = false;

  /** `isHasty`: it calls back before anyone had the time to take the messages that came first. */
  constructor(prompt: AsyncIterable<SdkUserMessage>, options: SdkOptions, isHasty: boolean) {
    this.#options = options;
    const { pathToClaudeCodeExecutable: command = 'claude', cwd, env } = options;
    const signal = new AbortController().signal;
    this.#child = options.spawnClaudeCodeProcess({ command, args: argumentsOf(options), cwd, env, signal });
    this.#exit = new Promise((resolve) => {
      this.#child.on('error', resolve);
      this.#child.on('exit', (code) =>
        resolve(code === 0 ? undefined : new Error(`The process exited with code ${code}`)),
      );
    });
    this.#initialized = this.#request({ subtype: 'initialize' });
    this.#initialized.catch(() => {});
    void (isHasty ? this.#readHastily() : this.#read());
    void this.#pass(prompt);
  }

  next(): Promise<IteratorResult<SdkMessage, undefined>> {
    if (this.#takers.length > 0) throw new Error('There is one call of next() at a time');
    const value = this.#messages.shift();
    if (value) return Promise.resolve({ value, done: false });
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#takers.push((result) => (this.#failure ? reject(this.#failure) : resolve(result)));
    });
  }

  initializationResult(): Promise<Json> {
    return this.#initialized;
  }

  interrupt(): Promise<unknown> {
    return this.#request({ subtype: 'interrupt' });
  }

  async setPermissionMode(mode: string): Promise<void> {
    await this.#request({ subtype: 'set_permission_mode', mode });
  }

  async setModel(model?: string): Promise<void> {
    await this.#request({ subtype: 'set_model', model });
  }

  close(): void {
    this.#child.stdin.end();
    this.#end(undefined);
  }

  async #read(): Promise<void> {
    for await (const line of createInterface({ input: this.#child.stdout })) {
      const message = parse(line);
      if (message) this.#take(message);
    }
    this.#end(await this.#exit);
  }

  async #readHastily(): Promise<void> {
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) {
        const message = parse(line);
        if (message) this.#take(message);
      }
    });
    this.#end(await this.#exit);
  }

  #take(message: Json & SdkMessage): void {
    const { request_id: id } = message;
    switch (message.type) {
      case 'control_request':
        void this.#callBack(String(id), message.request as Json);
        break;
      case 'control_cancel_request':
        this.#theirs.get(String(id))?.abort();
        break;
      case 'control_response':
        this.#settle(message.response as Json);
        break;
      default: {
        const taker = this.#takers.shift();
        if (taker) taker({ value: message, done: false });
        else this.#messages.push(message);
      }
    }
  }

  #settle(response: Json): void {
    const ours = this.#ours.get(String(response.request_id));
    if (response.subtype === 'success') ours?.resolve((response.response ?? {}) as Json);
    else ours?.reject(new Error(String(response.error)));
    this.#ours.delete(String(response.request_id));
  }

  async #callBack(requestId: string, request: Json): Promise<void> {
    const controller = new AbortController();
    this.#theirs.set(requestId, controller);
    const result = await this.#answer(requestId, request, controller.signal).then(
      (response) => ({ subtype: 'success', response }),
      (error: Error) => ({ subtype: 'error', error: error.message }),
    );
    this.#theirs.delete(requestId);
    this.#write({ type: 'control_response', response: { request_id: requestId, ...result } });
  }

  async #answer(requestId: string, request: Json, signal: AbortSignal): Promise<unknown> {
    const options = { signal, requestId };
    if (request.subtype === 'elicitation') return this.#options.onElicitation({}, options);
    return this.#options.canUseTool(String(request.tool_name), request.input as Json, options);
  }

  #request(request: Json): Promise<Json> {
    if (this.#isOver) return Promise.reject(new Error('The query is closed'));
    const requestId = randomUUID();
    this.#write({ type: 'control_request', request_id: requestId, request });
    return new Promise((resolve, reject) => this.#ours.set(requestId, { resolve, reject }));
  }

  async #pass(prompt: AsyncIterable<SdkUserMessage>): Promise<void> {
    for await (const message of prompt) this.#write(message);
    this.#child.stdin.end();
  }

  #write(message: object): void {
    if (!this.#isOver) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #end(failure: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    for (const { reject } of this.#ours.values()) reject(new Error('The query is closed'));
    for (const taker of this.#takers.splice(0)) taker({ value: undefined, done: true });
  }
}

function argumentsOf({ model, resume, allowedTools, extraArgs }: SdkOptions): string[] {
  const extra = Object.entries(extraArgs).flatMap(([name, value]) =>
    value === null ? [`--${name}`] : [`--${name}`, value],
  );
  return [
    '--output-format=stream-json',
    '--input-format=stream-json',
    '--verbose',
    '--permission-prompt-tool=stdio',
    '--include-partial-messages',
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...(allowedTools.length === 0 ? [] : ['--allowedTools', allowedTools.join(',')]),
    ...extra,
  ];
}

function parse(line: string): (Json & SdkMessage) | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
