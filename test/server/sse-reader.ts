import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { waitUntil } from './wait-until.ts';

export interface Message {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: payloads of many kinds, looked at field by field
  readonly data: any;
}

/** A client of server-sent events that keeps what it has read. */
export class SseReader {
  readonly messages: Message[] = [];
  readonly comments: string[] = [];
  readonly ended: Promise<void>;
  lastId: string | undefined;
  readonly #abort: AbortController;
  #isEnded = false;

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort;
    this.ended = this.#read(response).catch(() => undefined);
  }

  static async open(url: string, headers: Record<string, string>): Promise<SseReader> {
    const abort = new AbortController();
    const response = await fetch(url, { headers, signal: abort.signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return new SseReader(response, abort);
  }

  of(event: string): Message[] {
    return this.messages.filter((message) => message.event === event);
  }

  /** The numbers of the durable events read, in the order they came. */
  seqs(): number[] {
    return this.of('event').map(({ data }) => data.seq);
  }

  until(holds: () => boolean): Promise<void> {
    return waitUntil(() => holds() || this.#isEnded).then(() => {
      if (!holds()) throw new Error('the stream ended before that');
    });
  }

  async first(event: string): Promise<Message> {
    await this.until(() => this.of(event).length > 0);
    const [message] = this.of(event);
    if (message === undefined) throw new Error('unreachable');
    return message;
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    const parser = createParser({
      onEvent: (message) => this.#take(message),
      onComment: (comment) => void this.comments.push(comment),
    });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
    } finally {
      this.#isEnded = true;
    }
  }

  #take({ event, id, data }: EventSourceMessage): void {
    if (id !== undefined) this.lastId = id;
    this.messages.push({ event: event ?? 'message', id, data: JSON.parse(data) });
  }
}
