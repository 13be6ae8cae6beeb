import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import { tokensIn } from './reply.ts';
import { type Session, sendLine } from './session.ts';
import type { Stage } from './stage.ts';

/** Why a turn was cut off: an interrupt, a message that must run now, or a denial that ends the turn. */
export type StopCause = 'interrupt' | 'now' | 'deny';

export class Interrupted extends Error {
  readonly by: StopCause;

  constructor(by: StopCause) {
    super(`interrupted by ${by}`);
    this.by = by;
  }
}

/** Work that a turn leaves behind: it starts after the result, and what it found is told in a turn of its own. */
export interface Job {
  work(): Promise<void>;
  stop(reason: Interrupted): void;
  readonly onEnd: (stage: Stage) => Promise<void>;
}

/** From the messages it took to its result. */
export class Turn {
  readonly session: Session;
  /** Hands over what was said since, for it to be taken into this turn. */
  readonly takeWaiting: () => readonly Message[];
  readonly denials: JsonObject[] = [];
  readonly jobs: Job[] = [];
  /** Calls that wait or run: they decide how an interrupt is worded, and have their results before it ends. */
  readonly calls = new Set<Promise<unknown>>();
  readonly startedAt = performance.now();
  readonly #messages: Message[];
  readonly #steered: Message[] = [];
  readonly #controller = new AbortController();
  #echoed = false;
  #stoppedInTools = false;
  /** Whether a line of the answer has gone out. */
  answered = false;
  replies = 0;
  inputTokens: number;
  outputTokens = 0;
  lastText = '';
  stopReason: string | null = null;
  /** Set when the model's service refused: the turn then ends as an error of another kind. */
  apiError: string | undefined;

  /** A turn without messages is one the program began by itself. */
  constructor(session: Session, messages: readonly Message[], takeWaiting: () => readonly Message[]) {
    this.session = session;
    this.takeWaiting = takeWaiting;
    this.#messages = [...messages];
    this.inputTokens = tokensIn(messages.map((message) => message.text).join(' '));
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get steered(): readonly Message[] {
    return this.#steered;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get stoppedInTools(): boolean {
    return this.#stoppedInTools;
  }

  /** The host's own ids of what this turn answers to. */
  get uuids(): readonly string[] {
    return [...this.#messages, ...this.#steered]
      .filter((message) => message.named)
      .map((message) => message.uuid);
  }

  /** Open asks are withdrawn before anything else is told. */
  stop(by: StopCause): void {
    if (this.signal.aborted) return;
    this.#stoppedInTools = this.calls.size > 0;
    this.session.requests.withdrawAll(this.signal);
    this.#controller.abort(new Interrupted(by));
  }

  /** The real program echoes a message no sooner than the model's first byte. */
  async echo(): Promise<void> {
    const last = this.#messages.at(-1);
    if (this.#echoed || last === undefined) return;
    this.#echoed = true;
    const content = this.#messages.flatMap((message) => message.content);
    await echoMessage(this.session, { uuid: last.uuid, content }, new Date());
  }

  /** Takes a message into the running turn. */
  async steer(message: Message): Promise<void> {
    this.#steered.push(message);
    await echoMessage(this.session, message, new Date());
    await lifecycle(this.session, message, 'started');
  }
}

export async function echoMessage(
  session: Session,
  message: Pick<Message, 'uuid' | 'content'>,
  at?: Date,
): Promise<void> {
  if (!session.flags.replayUserMessages) return;
  await sendLine(session, {
    type: 'user',
    message: { role: 'user', content: message.content },
    parent_tool_use_id: null,
    uuid: message.uuid,
    ...(at === undefined ? {} : { timestamp: at.toISOString() }),
    isReplay: true,
  });
}

export async function lifecycle(
  session: Session,
  message: Message,
  state: 'queued' | 'started' | 'completed' | 'cancelled',
): Promise<void> {
  if (!message.named) return;
  await sendLine(session, { type: 'command_lifecycle', command_uuid: message.uuid, state });
}
