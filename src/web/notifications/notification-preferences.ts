import { create } from 'zustand';
import { readStored, writeStored } from '../data/stored.ts';
import type { Urgency } from './news.logic.ts';

export const channels = ['sound', 'desktop'] as const;
export type Channel = (typeof channels)[number];

/** What this browser makes heard and shown. */
export type NotificationPreferences = Readonly<Record<Channel, Readonly<Record<Urgency, boolean>>>>;

const defaults: NotificationPreferences = {
  sound: { asks: true, failed: true, finished: false },
  desktop: { asks: true, failed: true, finished: false },
};

export const useNotificationPreferences = create<NotificationPreferences>(() => stored());

export function switchNotification(channel: Channel, urgency: Urgency, isOn: boolean): void {
  const before = useNotificationPreferences.getState();
  useNotificationPreferences.setState({ [channel]: { ...before[channel], [urgency]: isOn } });
  writeStored('notifications', JSON.stringify(useNotificationPreferences.getState()));
}

function stored(): NotificationPreferences {
  try {
    const given = JSON.parse(readStored('notifications') ?? '{}') as Partial<NotificationPreferences>;
    return {
      sound: { ...defaults.sound, ...given.sound },
      desktop: { ...defaults.desktop, ...given.desktop },
    };
  } catch {
    return defaults;
  }
}
