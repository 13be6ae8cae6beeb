import type { Clock } from '../engine/ports/clock.ts';
import type { Presence } from '../engine/ports/control-room.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { NoticeFeed } from '../engine/ports/notice-feed.ts';
import type { ChannelState } from '../protocol/channel.ts';
import type { Channel } from './channel.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import type { ProgressStore } from './progress.ts';
import { createRestraint, type Quiet } from './restraint.ts';

export interface NotifierOptions {
  readonly channels: readonly Channel[];
  readonly feed: NoticeFeed;
  readonly presence: Presence;
  readonly quiet?: Quiet | undefined;
  readonly store: ProgressStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
}

/** Tells every channel what it should hear. One that fails or hangs is of no consequence to the others. */
export interface Notifier {
  states(): readonly ChannelState[];
  close(): Promise<void>;
}

export async function openNotifier({ channels, ...parts }: NotifierOptions): Promise<Notifier> {
  const restraint = createRestraint(parts);
  await parts.store.keepOnly(channels.map(({ name }) => name));
  const queues = await Promise.all(
    channels.map((channel) => DeliveryQueue.open({ ...parts, channel, restraint })),
  );
  return {
    states: () => queues.map(({ state }) => state),
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
    },
  };
}
