import type { Notice } from '../../src/model/notice.ts';
import type { Channel, Delivery } from '../../src/reach/channel.ts';
import type { DeliveryProgress, ProgressStore } from '../../src/reach/progress.ts';

/** A channel that keeps what it is told, and takes it unless the test says otherwise. */
export class RecordingChannel implements Channel {
  readonly name: string;
  readonly label = 'a test';
  readonly audience: Channel['audience'];
  readonly kinds: Channel['kinds'];
  readonly graceMs: number;
  /** Every attempt, in order. */
  readonly sent: Notice[] = [];
  readonly withdrawn: Notice[] = [];
  answer: (notice: Notice) => Delivery | Promise<Delivery> = () => ({ is: 'taken' });

  constructor(options: Partial<Pick<Channel, 'name' | 'audience' | 'kinds' | 'graceMs'>> = {}) {
    this.name = options.name ?? 'recording';
    this.audience = options.audience ?? 'people';
    this.kinds = options.kinds ?? new Set(['waits', 'failed', 'done']);
    this.graceMs = options.graceMs ?? 10_000;
  }

  async send(notice: Notice): Promise<Delivery> {
    this.sent.push(notice);
    return this.answer(notice);
  }

  async withdraw(notice: Notice): Promise<void> {
    this.withdrawn.push(notice);
  }

  /** What was told, as `kind` and, of asks, what they are about. */
  get told(): string[] {
    return this.sent.map((notice) =>
      'asks' in notice ? `${notice.kind} ${notice.asks.map(({ text }) => text).join(', ')}` : notice.kind,
    );
  }
}

export class ProgressInMemory implements ProgressStore {
  readonly stored = new Map<string, DeliveryProgress>();

  async load(channel: string): Promise<DeliveryProgress | undefined> {
    return this.stored.get(channel);
  }

  async save(channel: string, progress: DeliveryProgress): Promise<void> {
    this.stored.set(channel, structuredClone(progress));
  }

  async keepOnly(channels: readonly string[]): Promise<void> {
    for (const name of this.stored.keys()) if (!channels.includes(name)) this.stored.delete(name);
  }
}
