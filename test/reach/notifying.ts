import { afterEach } from 'vitest';
import type { Channel } from '../../src/reach/channel.ts';
import { type Notifier, type NotifierOptions, openNotifier } from '../../src/reach/notifier.ts';
import type { EngineRoom } from '../support/engine-room.ts';
import { ProgressInMemory, RecordingChannel } from '../support/recording-channel.ts';
import { bashAsk } from '../support/session-states.ts';

const open = new Set<Notifier>();

export function endNotifiersAfterEach(): void {
  afterEach(async () => {
    for (const notifier of open) await notifier.close();
    open.clear();
  });
}

export async function notifying(
  { engine, clock }: EngineRoom,
  channels: readonly Channel[],
  { store = new ProgressInMemory(), quiet }: Partial<Pick<NotifierOptions, 'store' | 'quiet'>> = {},
): Promise<Notifier> {
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const { notices: feed, clients } = engine;
  const { presence } = clients;
  const random = () => 0.5;
  const notifier = await openNotifier({ channels, feed, presence, quiet, store, clock, logger, random });
  open.add(notifier);
  return notifier;
}

/** Everything that was under way is done: it takes a few turns of the event loop, and no time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function passed(room: EngineRoom, milliseconds: number): Promise<void> {
  await settled();
  room.clock.pass(milliseconds);
  await settled();
}

export const asking = (request: string, command: string) =>
  bashAsk(request, command, { call: { is: 'command', command: '/command' } });

export const programs = (name = 'program') =>
  new RecordingChannel({
    name,
    audience: 'programs',
    kinds: new Set(['waits', 'answered', 'failed', 'done']),
  });
