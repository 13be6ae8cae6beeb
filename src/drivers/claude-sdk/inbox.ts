import type { OutgoingMessage } from '../../runner/ports/agent-driver.ts';
import { contentOf } from '../claude/user-message.ts';
import type { SdkContent, SdkUserMessage, SdkUuid } from './sdk-types.ts';

/** The messages to the agent, as the stream that the SDK takes them from. It ends when it is closed, and not before. */
export class Inbox implements AsyncIterable<SdkUserMessage> {
  readonly #waiting: SdkUserMessage[] = [];
  readonly #takers: ((result: IteratorResult<SdkUserMessage, undefined>) => void)[] = [];
  #isClosed = false;

  put(message: SdkUserMessage): void {
    const taker = this.#takers.shift();
    if (taker) taker({ value: message, done: false });
    else this.#waiting.push(message);
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    for (const taker of this.#takers.splice(0)) taker({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): AsyncIterator<SdkUserMessage, undefined> {
    return {
      next: () => this.#next(),
      return: async () => {
        this.close();
        return { value: undefined, done: true };
      },
    };
  }

  #next(): Promise<IteratorResult<SdkUserMessage, undefined>> {
    const value = this.#waiting.shift();
    if (value) return Promise.resolve({ value, done: false });
    if (this.#isClosed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#takers.push(resolve));
  }
}

/** A person's words as the SDK takes them. */
export const userMessage = (
  message: OutgoingMessage,
  uuid: string,
  how: 'turn' | 'steer',
): SdkUserMessage => ({
  type: 'user',
  message: { role: 'user', content: contentOf(message) as SdkContent[] },
  parent_tool_use_id: null,
  uuid: uuid as SdkUuid,
  ...(how === 'steer' && { priority: 'next' }),
});
