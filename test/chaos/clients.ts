import { WebSocket } from 'ws';
import { errorCatalogue } from '../../src/protocol/errors.ts';
import type { Beckon } from '../support/beckon-process.ts';
import { patienceMs } from '../support/patience.ts';
import { type Frame, type Watch, watch } from '../support/watch.ts';
import { unlessKilled } from '../support/whole-log.ts';

/** Everything that servers have acknowledged, over all their lives. */
export interface Ledger {
  /** By the client's own name for it. */
  readonly messages: Map<
    string,
    { readonly session: string; readonly text: string; isAcknowledged: boolean }
  >;
  /** By interaction: the outcomes that callers were told they had brought about. */
  readonly won: Map<string, string[]>;
  /** What was answered with something that nobody expects. */
  readonly oddities: string[];
  answersTried: number;
}

export const emptyLedger = (): Ledger => ({
  messages: new Map(),
  won: new Map(),
  oddities: [],
  answersTried: 0,
});

interface Asked {
  readonly sessionId: string;
  readonly interactionId: string;
  readonly kind: string;
  readonly questions?: readonly { readonly options: readonly { readonly label: string }[] }[];
}

const settled = [404, 409, 410];

/** People and programs at one server, until it dies: one stream, one socket, and requests, which answer the same asks in a race. */
export class Clients {
  readonly #beckon: Beckon;
  readonly #ledger: Ledger;
  readonly #random: () => number;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #socketReplies = new Map<number, (frame: Frame['data']) => void>();
  #stream: Watch | undefined;
  #socket: WebSocket | undefined;
  #frames = 0;
  #told = (): void => {};

  constructor(beckon: Beckon, ledger: Ledger, random: () => number) {
    this.#beckon = beckon;
    this.#ledger = ledger;
    this.#random = random;
  }

  async begin(): Promise<void> {
    this.#socket = await this.#openSocket();
    this.#stream = await watch(this.#beckon);
    this.#stream.follow((frame) => this.#hear(frame));
    // What an earlier server did not acknowledge is sent once more, under the same name.
    for (const [name, { isAcknowledged }] of this.#ledger.messages)
      if (!isAcknowledged) this.#do(this.#send(name));
  }

  /** So many things were told; false when nothing more comes. */
  async until(frames: number): Promise<boolean> {
    const goal = this.#frames + frames;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const late = setTimeout(() => resolve(false), patienceMs);
    this.#told = () => {
      if (this.#frames >= goal) resolve(true);
    };
    return promise.finally(() => clearTimeout(late));
  }

  /** When everything that was asked of the server is answered or given up. */
  async over(): Promise<void> {
    this.#stream?.close();
    this.#socket?.terminate();
    for (const answer of this.#socketReplies.values()) answer(undefined);
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  isStopping = false;

  #do(work: Promise<unknown>): void {
    const kept = work.finally(() => this.#pending.delete(kept));
    this.#pending.add(kept);
  }

  #hear({ event, data }: Frame): void {
    this.#frames += 1;
    this.#told();
    if (event === 'snapshot') {
      for (const ask of data.pending as Asked[]) this.#answerTwice(ask);
      for (const session of data.sessions) this.#do(this.#tend(session));
    }
    if (event.endsWith('-requested')) this.#answerTwice(data);
    if (event === 'session-updated' || event === 'session-ended') this.#do(this.#tend(data));
  }

  async #tend({ id, key, status, queueLength }: Frame['data']): Promise<void> {
    // A second crash, or an end that nobody can explain: nobody goes on by himself.
    if (status === 'failed' || status === 'asleep')
      await unlessKilled(() => this.#beckon.api('POST', `/api/sessions/${id}/resume`, {}));
    else if (status === 'idle' && queueLength === 0 && !this.isStopping) await this.#keepBusy(key);
  }

  async #keepBusy(session: string): Promise<void> {
    if (this.isStopping) return;
    const name = `${session}m${this.#ledger.messages.size + 1}`;
    this.#ledger.messages.set(name, { session, text: name, isAcknowledged: false });
    await this.#send(name);
  }

  async #send(name: string): Promise<void> {
    const message = this.#ledger.messages.get(name);
    if (message === undefined) return;
    const { session, text } = message;
    const body = { message: text, clientMessageId: name, disposition: 'queue' };
    const status =
      this.#random() < 0.5
        ? (await unlessKilled(() => this.#beckon.api('POST', `/api/sessions/${session}/message`, body)))
            ?.status
        : await this.#overSocket({ type: 'send_message', sessionId: session, ...body });
    if (status === undefined) return;
    // A session that failed, or whose agent was stopped, takes none: it was said, and is sent again later.
    if (status === 409) return;
    if (status >= 300) this.#ledger.oddities.push(`message ${name}: ${status}`);
    else message.isAcknowledged = true;
  }

  #answerTwice(ask: Asked): void {
    this.#do(this.#answer(ask, 'request'));
    if (this.#random() < 0.6) this.#do(this.#answer(ask, 'socket'));
  }

  async #answer(
    { sessionId, interactionId, kind, questions = [] }: Asked,
    by: 'request' | 'socket',
  ): Promise<void> {
    this.#ledger.answersTried += 1;
    const allows = this.#random() < 0.7;
    const [operation, frame, body] =
      kind === 'question'
        ? ([
            'answer',
            'answer_question',
            { answers: questions.map(({ options }) => ({ selected: [options[allows ? 0 : 1]?.label] })) },
          ] as const)
        : (['approve', 'approve_tool', { decision: allows ? 'allow' : 'deny' }] as const);
    const outcome = kind === 'question' ? 'answered' : allows ? 'allowed' : 'denied';
    const given = { requestId: interactionId, ...body };
    const status =
      by === 'request'
        ? (
            await unlessKilled(() =>
              this.#beckon.api('POST', `/api/sessions/${sessionId}/${operation}`, given),
            )
          )?.status
        : await this.#overSocket({ type: frame, sessionId, ...given });
    if (status === undefined || settled.includes(status)) return;
    if (status >= 300) this.#ledger.oddities.push(`answer to ${interactionId}: ${status}`);
    else this.#ledger.won.set(interactionId, [...(this.#ledger.won.get(interactionId) ?? []), outcome]);
  }

  async #openSocket(): Promise<WebSocket> {
    const socket = new WebSocket(`${this.#beckon.url.replace('http', 'ws')}/api/ws`, {
      headers: { authorization: `Bearer ${this.#beckon.token}` },
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const answer of this.#socketReplies.values()) answer(undefined);
    });
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data));
      if (frame.id !== undefined) this.#socketReplies.get(frame.id)?.(frame);
    });
    await new Promise<void>((resolve) => {
      socket.once('open', () => resolve());
      socket.once('close', () => resolve());
    });
    return socket;
  }

  #nextId = 0;
  /** The status a request would have been answered with; undefined when the server died. */
  #overSocket(frame: object): Promise<number | undefined> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== WebSocket.OPEN) return Promise.resolve(undefined);
    this.#nextId += 1;
    const id = this.#nextId;
    return new Promise((resolve) => {
      this.#socketReplies.set(id, (reply) => {
        this.#socketReplies.delete(id);
        if (reply === undefined) resolve(undefined);
        else resolve(reply.type === 'ack' ? 200 : (statusOf(reply.error.code) ?? 500));
      });
      socket.send(JSON.stringify({ id, ...frame }));
    });
  }
}

const statusOf = (code: string): number | undefined =>
  code in errorCatalogue ? errorCatalogue[code as keyof typeof errorCatalogue].status : undefined;
