import type { CallEnd, SharedTools } from '../engine/ports/tool-calls.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { RoomToolItem, RunnerToolItem } from './message.ts';

// As long as a client that lost its connection has to come back for its answer.
const graceTicks = 50;
const mostOfSession = 64;

/** A call of an agent on another machine. */
interface Call {
  /** What the runner calls it. */
  id: string;
  readonly sessionId: SessionId;
  readonly callId: string;
  readonly work: AbortController;
  /** Kept until the runner has told that it was taken. */
  end: CallEnd | undefined;
  /** What the tool told last and the runner has not been told. */
  progress: string | undefined;
  /** The start of the runner that waits for it is gone: for so many ticks nobody came back for it. */
  alone: number | undefined;
}

/**
 * The room's end of the tools that agents of one machine call. A call is run once, however often it is said, for sessions of that
 * machine alone; its end is kept until the runner has it. One whose runner was started anew goes on for a while, for its agent may
 * come back; then it is taken back, as one whose connection was lost.
 */
export class RoomTools {
  readonly #machine: string;
  readonly #say: (item: RoomToolItem) => void;
  readonly #calls = new Map<string, Call>();
  #shared: SharedTools | undefined;
  #forget: (() => void) | undefined;
  #runner: string | undefined;
  /** Whether the runner at the other end can be told of tools. */
  #isSpokenTo = false;

  constructor(machine: string, say: (item: RoomToolItem) => void) {
    this.#machine = machine;
    this.#say = say;
  }

  /** From now on agents there may call these. */
  offer(shared: SharedTools): void {
    this.#forget?.();
    this.#shared = shared;
    this.#forget = shared.calls.onChange(() => this.#tellOfTools());
    this.#tellOfTools();
  }

  connected(runner: string, isSpokenTo: boolean): void {
    if (runner !== this.#runner) for (const call of this.#calls.values()) call.alone = 0;
    this.#runner = runner;
    this.#isSpokenTo = isSpokenTo;
    this.#tellOfTools();
  }

  take(item: RunnerToolItem): void {
    switch (item.type) {
      case 'tool-calls':
        this.#endAllBut(new Set(item.calls));
        break;
      case 'tool-call':
        this.#begin(item, (signal, progress) => {
          const { sessionId, name, args, callId, agentToolName, limitMs } = item;
          const options = { callId, signal, progress, limitMs, ...(agentToolName && { agentToolName }) };
          return this.#shared?.calls.call(sessionId, name, args, options);
        });
        break;
      case 'tool-resume':
        if (this.#goOn(item)) break;
        this.#begin(item, (signal, progress) =>
          this.#shared?.calls.resume(item.sessionId, item.callId, { signal, progress }),
        );
        break;
      case 'tool-over':
        this.#over(item.call, item.reason);
        break;
    }
  }

  tick(): void {
    for (const call of [...this.#calls.values()]) {
      if (call.progress !== undefined) {
        this.#say({ type: 'tool-progress', call: call.id, text: call.progress });
        call.progress = undefined;
      }
      if (call.alone === undefined) continue;
      call.alone += 1;
      if (call.alone > graceTicks) this.#over(call.id, connectionLost);
    }
  }

  /** What tools have asked stays open: the next room goes on with it. */
  close(): void {
    this.#forget?.();
    this.#shared = undefined;
    this.#calls.clear();
  }

  #tellOfTools(): void {
    if (this.#shared === undefined || !this.#isSpokenTo) return;
    const tools = this.#shared.calls.tools.map(({ name, description, inputSchema, askFirst }) => ({
      name,
      description,
      inputSchema,
      askFirst,
    }));
    this.#say({ type: 'tools', tools });
  }

  #begin(
    { call: id, sessionId, callId }: { call: string; sessionId: SessionId; callId: string },
    run: (signal: AbortSignal, progress: (text: string) => void) => Promise<CallEnd> | undefined,
  ): void {
    const known = this.#calls.get(id);
    if (known !== undefined) {
      if (known.end !== undefined) this.#tellEnd(known, known.end);
      return;
    }
    const refusal = this.#refusal(sessionId);
    if (refusal !== undefined) {
      this.#say({ type: 'tool-end', call: id, end: { ok: false, text: refusal } });
      return;
    }
    const work = new AbortController();
    const call: Call = { id, sessionId, callId, work, end: undefined, progress: undefined, alone: undefined };
    this.#calls.set(id, call);
    const progress = (text: string): void => {
      call.progress = text;
    };
    const settle = (end: CallEnd): void => {
      if (this.#calls.get(call.id) !== call) return;
      call.end = end;
      this.#tellEnd(call, end);
    };
    run(work.signal, progress)?.then(settle, () => settle({ left: null }));
  }

  #refusal(sessionId: SessionId): string | undefined {
    if (this.#shared?.admits(this.#machine, sessionId) !== true) return notAdmitted;
    const count = [...this.#calls.values()].filter((call) => call.sessionId === sessionId).length;
    return count >= mostOfSession ? tooMany : undefined;
  }

  /** The agent of a call that is alone has come back for it, by way of another start of the runner. */
  #goOn({ call: id, sessionId, callId }: Extract<RunnerToolItem, { type: 'tool-resume' }>): boolean {
    const call = [...this.#calls.values()].findLast(
      (each) => each.alone !== undefined && each.sessionId === sessionId && each.callId === callId,
    );
    if (call === undefined || this.#calls.has(id)) return false;
    this.#calls.delete(call.id);
    call.id = id;
    call.alone = undefined;
    this.#calls.set(id, call);
    if (call.end !== undefined) this.#tellEnd(call, call.end);
    return true;
  }

  /** Those that are alone are waited for a while; of the others the runner knows that nobody waits for them. */
  #endAllBut(known: ReadonlySet<string>): void {
    for (const { id, alone } of [...this.#calls.values()])
      if (!known.has(id) && alone === undefined) this.#over(id, connectionLost);
  }

  #tellEnd({ id }: Call, end: CallEnd): void {
    // Only what the agent is told: the value that a tool gave back stays here.
    const told = 'left' in end ? { left: end.left } : { ok: end.ok, text: end.text };
    this.#say({ type: 'tool-end', call: id, end: told });
  }

  #over(id: string, reason: string | undefined): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (call?.end === undefined) call?.work.abort(reason);
  }
}

const connectionLost = 'The connection to the agent was lost.';
const notAdmitted = 'This session has ended, or its agent is on another machine.';
const tooMany = 'Too much is open for this session. Try again later.';
