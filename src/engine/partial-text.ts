import type { Delta, Event } from '../protocol/event.ts';

const MOST_CHARACTERS = 4_000_000;

/** What an agent is saying right now, kept so that a client which comes mid-sentence hears it from the beginning. */
export class PartialText {
  #blocks = new Map<string, Delta>();
  #characters = 0;

  add(delta: Delta): void {
    if (this.#characters > MOST_CHARACTERS) return;
    this.#characters += delta.text.length;
    const key = keyOf(delta.messageId, delta.block);
    const known = this.#blocks.get(key);
    this.#blocks.set(key, known === undefined ? delta : { ...known, text: known.text + delta.text });
  }

  /** A block that was stored, or a turn that ended, is no longer being said. */
  forget(event: Event): void {
    switch (event.type) {
      case 'agent.text':
      case 'agent.thinking':
      case 'tool.called': {
        const key = keyOf(event.agentMessageId, event.block);
        this.#characters -= this.#blocks.get(key)?.text.length ?? 0;
        this.#blocks.delete(key);
        return;
      }
      case 'turn.ended':
      case 'process.exited':
        this.#blocks.clear();
        this.#characters = 0;
        return;
      default:
        return;
    }
  }

  blocks(): Delta[] {
    return [...this.#blocks.values()];
  }
}

const keyOf = (messageId: string, block: number): string => `${messageId}:${block}`;
