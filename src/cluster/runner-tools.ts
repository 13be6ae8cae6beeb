import type {
  CallEnd,
  CallOptions,
  OfferedTool,
  ResumeOptions,
  ToolCalls,
} from '../engine/ports/tool-calls.ts';
import { Listeners } from '../model/listeners.ts';
import type { SessionId } from '../protocol/ids.ts';
import { type RoomToolItem, RunnerToolItem } from './message.ts';

interface Call {
  item: Extract<RunnerToolItem, { type: 'tool-call' | 'tool-resume' }>;
  readonly progress: ((text: string) => void) | undefined;
  readonly resolve: (end: CallEnd) => void;
  /** The room that was told of it last. */
  saidTo: string | undefined;
}

interface Line {
  readonly room: string;
  readonly say: (item: RunnerToolItem) => void;
}

/**
 * The tools of the room, for the agents of this machine. A call is kept until its end has come, whatever becomes of the link; to
 * another room than the one that was told of it, it is one whose server is gone.
 */
export class RunnerTools implements ToolCalls {
  readonly #runner: string;
  readonly #calls = new Map<string, Call>();
  readonly #listeners = new Listeners();
  readonly #known = Promise.withResolvers<void>();
  #tools: readonly OfferedTool[] | undefined;
  #count = 0;
  #line: Line | undefined;
  /** Whether the room at the other end has told its tools: an older one has none to offer. */
  #isOpen = false;

  /** `runner`: made anew at each start, so that no call is taken for one of an earlier start. */
  constructor(runner: string) {
    this.#runner = runner;
  }

  /** Settles when a room has told its tools. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  /** Whether there are any to offer. */
  get isKnown(): boolean {
    return this.#tools !== undefined;
  }

  get tools(): readonly OfferedTool[] {
    return this.#tools ?? [];
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  call(sessionId: SessionId, name: string, args: unknown, options: CallOptions): Promise<CallEnd> {
    const { callId, agentToolName, limitMs } = options;
    const optional = {
      ...(agentToolName !== undefined && { agentToolName }),
      ...(limitMs !== undefined && { limitMs }),
    };
    const call = this.#nextId();
    return this.#begin({ type: 'tool-call', call, sessionId, callId, name, args, ...optional }, options);
  }

  resume(sessionId: SessionId, callId: string, options: ResumeOptions): Promise<CallEnd> {
    return this.#begin({ type: 'tool-resume', call: this.#nextId(), sessionId, callId }, options);
  }

  /** There is a new connection. Nothing is said on it before the room has told its tools. */
  connected(line: Line): void {
    this.#line = line;
    this.#isOpen = false;
  }

  /** Nothing is said any more. The calls stay with the room, for the next start. */
  detach(): void {
    this.#line = undefined;
    this.#isOpen = false;
  }

  take(item: RoomToolItem): void {
    switch (item.type) {
      case 'tools':
        this.#offered(item.tools);
        break;
      case 'tool-progress':
        this.#calls.get(item.call)?.progress?.(item.text);
        break;
      case 'tool-end':
        this.#calls.get(item.call)?.resolve(item.end);
        this.#over(item.call);
        break;
    }
  }

  #offered(tools: readonly OfferedTool[]): void {
    this.#tools = tools;
    this.#known.resolve();
    this.#listeners.tell();
    if (this.#isOpen || this.#line === undefined) return;
    this.#isOpen = true;
    this.#line.say({ type: 'tool-calls', calls: [...this.#calls.keys()] });
    for (const call of this.#calls.values()) this.#say(call);
  }

  #nextId(): string {
    this.#count += 1;
    return `${this.#runner}.${this.#count}`;
  }

  #begin(item: Call['item'], { signal, progress }: ResumeOptions): Promise<CallEnd> {
    if (signal.aborted) return Promise.resolve(takenBack);
    // What the room would not understand would never end.
    if (!RunnerToolItem.safeParse(item).success) return Promise.resolve(tooLong);
    const { promise, resolve } = Promise.withResolvers<CallEnd>();
    const call: Call = { item, progress, resolve, saidTo: undefined };
    this.#calls.set(item.call, call);
    const onAbort = (): void => {
      resolve(takenBack);
      this.#over(item.call, typeof signal.reason === 'string' ? signal.reason : undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#say(call);
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #say(call: Call): void {
    if (!this.#isOpen || this.#line === undefined) return;
    const { room, say } = this.#line;
    // What another room began is not begun again: a person would be asked twice.
    if (call.saidTo !== undefined && call.saidTo !== room) {
      const { call: id, sessionId, callId } = call.item;
      call.item = { type: 'tool-resume', call: id, sessionId, callId };
    }
    call.saidTo = room;
    say(call.item);
  }

  #over(id: string, reason?: string): void {
    const isKnown = this.#calls.delete(id);
    if (!isKnown || !this.#isOpen) return;
    this.#line?.say({ type: 'tool-over', call: id, ...(reason !== undefined && { reason }) });
  }
}

const takenBack: CallEnd = { ok: false, text: 'The agent took the call back.' };
const tooLong: CallEnd = { ok: false, text: 'The name of the tool, or the id of the call, is too long.' };
