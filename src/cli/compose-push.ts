import { type Engine, systemClock } from '../engine/index.ts';
import type { PushSubscriptions } from '../engine/ports/push.ts';
import { PushChannel } from '../reach/push/push-channel.ts';
import { createVapid } from '../reach/push/vapid.ts';
import type { Logger } from './logger.ts';
import { keepPushKey } from './secret-files.ts';
import type { Settings } from './settings.ts';

/** Notifications on devices. A disk that takes no key for them must not keep the server from starting: then there are none. */
export async function composePush(
  { dataDir, push: { subject, allowLoopback }, notifications: { graceMs } }: Settings,
  parts: {
    readonly engine: Engine;
    readonly logger: Logger;
    readonly subscriptions: () => PushSubscriptions;
  },
): Promise<PushChannel | undefined> {
  const { engine, logger, subscriptions } = parts;
  const key = await keepPushKey(dataDir).catch((error: unknown) => {
    logger.warn({ err: error }, 'There are no notifications on devices: their key cannot be stored.');
  });
  if (key === undefined) return undefined;
  return new PushChannel({
    vapid: createVapid(key, subject),
    subscriptions,
    waiting: () => engine.overview().pending.length,
    clock: systemClock,
    graceMs,
    allowLoopback,
  });
}
