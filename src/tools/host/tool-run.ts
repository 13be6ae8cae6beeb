import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { AskEnd, LateAnswer, ToolAsk, ToolDesk } from '../../engine/ports/tool-desk.ts';
import type { Refusal, Result } from '../../protocol/errors.ts';
import type { InteractionId, SessionId } from '../../protocol/ids.ts';
import type { Actor } from '../../protocol/interaction.ts';
import type { ToolLogger } from '../sdk/define-tool.ts';
import { ToolError, type ToolErrorCode } from '../sdk/tool-error.ts';
import { asAuthor } from './author.ts';
import { type Shown, screenOf } from './request.ts';
import { wordsOf } from './result.ts';

/** What all runs share. */
export interface Surroundings {
  readonly desk: ToolDesk;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Who calls what. */
export interface Call {
  readonly sessionId: SessionId;
  readonly toolName: string;
  readonly agentToolName: string;
  /** The agent's own id of the call, or one that was made up. */
  readonly callId: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly progress: (text: string) => void;
  /** How long the agent waits for the result; undefined where it waits as long as it takes. */
  readonly limitMs?: number | undefined;
}

interface Place {
  readonly attempt: number;
  readonly replaces: InteractionId | undefined;
  readonly timeoutMs: number;
}

/** There will be no answer to what was asked: nobody's doing in the tool. */
export class NoAnswer extends ToolError {
  constructor(code: Extract<ToolErrorCode, 'interaction_expired' | 'run_ended'>, message: string) {
    super(code, message);
  }
}

/** What is left of the agent's time when a question is left open: the result must reach it, also on a slow machine. */
const partOfLimit = 0.8;

/** One call of a tool, from its first line to its result. */
export class ToolRun {
  readonly call: Call;
  readonly desk: ToolDesk;
  readonly clock: Clock;
  readonly log: ToolLogger;
  /** Approved in this run alone. */
  readonly approvedOnce = new Set<string>();
  /** Who answered last; whatever the tool keeps, it keeps on this one's word. */
  by: Actor;
  /** Settles shortly before the agent gives up on the call. */
  readonly patienceOver: Promise<void>;
  readonly #stopClock: () => void;
  readonly #signal = new AbortController();
  readonly #over = Promise.withResolvers<never>();
  #end: NoAnswer | undefined;
  readonly #asks: OpenAsk[] = [];
  #asksStay = false;

  constructor({ desk, clock, logger }: Surroundings, call: Call) {
    this.call = call;
    this.desk = desk;
    this.clock = clock;
    this.log = logOf(logger, call);
    this.by = { kind: 'server', where: `tool ${call.toolName}` };
    this.#over.promise.catch(() => {});
    const { promise, resolve } = Promise.withResolvers<void>();
    this.patienceOver = promise;
    const { limitMs } = call;
    this.#stopClock = limitMs === undefined ? () => {} : clock.after(limitMs * partOfLimit, resolve);
  }

  get signal(): AbortSignal {
    return this.#signal.signal;
  }

  /** What is waited for, or the end of the run, whichever comes first. */
  during<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.#over.promise, work]);
  }

  throwIfOver(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  /** Stops everything: the handler is told, what it asked is withdrawn, and nobody waits for it. */
  stop(reason: string): void {
    if (this.#end !== undefined) return;
    const end = this.#settle(reason);
    // What a listener of the tool throws is the tool's fault, not the server's.
    this.asAuthor(() => this.#signal.abort(end));
  }

  /** Like `stop`, but what was asked stays before the person: this server ends, and the next one takes it up. */
  abandon(reason: string): void {
    this.#asksStay = true;
    const isAsking = this.#asks.some(({ isOpen }) => isOpen);
    const stays = 'What was asked stays open, and the answer will come as a message.';
    this.stop(isAsking ? `${reason} ${stays}` : reason);
  }

  /** The handler is done; it cannot ask any more, and what it asked and did not wait for is withdrawn. */
  finish(): void {
    if (this.#end === undefined) this.#settle('The call of the tool is over.');
  }

  #settle(reason: string): NoAnswer {
    const end = new NoAnswer('run_ended', reason);
    this.#stopClock();
    this.#end = end;
    this.#over.reject(end);
    return end;
  }

  asAuthor<T>(code: () => T): T {
    return asAuthor(`tool "${this.call.toolName}"`, code);
  }

  async put(shown: Shown, { attempt, replaces, timeoutMs }: Place): Promise<OpenAsk> {
    const { sessionId, toolName, agentToolName, callId, input } = this.call;
    const ask: ToolAsk = {
      ...screenOf(shown),
      toolName: agentToolName,
      toolCallId: callId,
      input: { ...input },
      tool: { name: toolName, callId, attempt, ...(replaces === undefined ? {} : { replaces }) },
      ...(timeoutMs === 0 ? {} : { expiresAt: later(this.clock.now(), timeoutMs) }),
    };
    const open = await OpenAsk.put(this.desk, sessionId, ask);
    this.#asks.push(open);
    return open;
  }

  /** Takes back what is still asked; never fails, because whoever calls this is ending already. */
  async withdraw(ask: OpenAsk, reason: string): Promise<void> {
    if (!ask.isOpen || this.#asksStay) return;
    try {
      await ask.close('withdrawn', reason);
    } catch (error) {
      this.log.warn('An ask could not be withdrawn', { interactionId: ask.id, reason: wordsOf(error) });
    }
  }
}

const later = (now: string, milliseconds: number): string =>
  new Date(Math.min(Date.parse(now) + milliseconds, 8.64e15)).toISOString();

function logOf(logger: Logger, { toolName, sessionId, callId }: Call): ToolLogger {
  const write =
    (level: keyof Logger) =>
    (message: string, details: Readonly<Record<string, unknown>> = {}): void =>
      logger[level]({ ...details, tool: toolName, sessionId, callId }, message);
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

type Late = (end: AskEnd) => Promise<LateAnswer | null>;

/** An ask that stands before a person. It ends once: by an answer, or because nobody waits for one any more. */
export class OpenAsk {
  readonly id: InteractionId;
  readonly ended: Promise<AskEnd>;
  readonly #desk: ToolDesk;
  readonly #sessionId: SessionId;
  readonly #ears: Ears;
  #isOpen = true;

  /** Stored and shown when this settles. */
  static async put(desk: ToolDesk, sessionId: SessionId, ask: ToolAsk): Promise<OpenAsk> {
    const { promise, resolve } = Promise.withResolvers<AskEnd>();
    const ears: Ears = { ended: promise, leaving: undefined };
    const put = await desk.ask(sessionId, ask, async (end) => {
      // Whoever answers while the ask is being left open must be heard once: here, or late.
      const late = ears.leaving === undefined ? undefined : await ears.leaving;
      if (late !== undefined) return late(end);
      resolve(end);
      return null;
    });
    if (!put.ok) throw refused(put.refusal);
    return new OpenAsk(desk, sessionId, put.value, ears);
  }

  private constructor(desk: ToolDesk, sessionId: SessionId, id: InteractionId, ears: Ears) {
    this.#desk = desk;
    this.#sessionId = sessionId;
    this.#ears = ears;
    this.id = id;
    this.ended = ears.ended;
    void this.ended.then(() => {
      this.#isOpen = false;
    });
  }

  /** False as soon as it has ended or was left open: whoever put it has nothing to do with it any more. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Closes it. If an answer came first, it stays as it is, and this gives that end. */
  async close(outcome: 'expired' | 'withdrawn', reason: string): Promise<AskEnd | undefined> {
    return this.#endedBefore(await this.#desk.end(this.#sessionId, this.id, { outcome, reason }));
  }

  /** The call ends, the ask stays; `late` hears the answer. If an answer came first, this gives it, and `late` hears nothing. */
  async leaveOpen(message: string | undefined, late: Late): Promise<AskEnd | undefined> {
    const leaving = this.#desk.leaveOpen(this.#sessionId, this.id, message);
    this.#ears.leaving = leaving.then(
      ({ ok }) => (ok ? late : undefined),
      () => undefined,
    );
    return this.#endedBefore(await leaving);
  }

  async #endedBefore(result: Result<undefined>): Promise<AskEnd | undefined> {
    if (result.ok) {
      this.#isOpen = false;
      return undefined;
    }
    const { code } = result.refusal;
    if (endedCodes.has(code)) return this.ended;
    throw refused(result.refusal);
  }
}

interface Ears {
  readonly ended: Promise<AskEnd>;
  leaving: Promise<Late | undefined> | undefined;
}

const refused = ({ code, message }: Refusal) => new ToolError(code, message);

/** Whichever it is, by the time the ask was to be closed it had its end, and we hear of that. */
const endedCodes: ReadonlySet<string> = new Set([
  'interaction_already_resolved',
  'interaction_gone',
  'interaction_not_found',
]);
