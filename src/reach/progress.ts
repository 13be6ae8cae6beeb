import { z } from 'zod';
import type { WaitsNotice } from '../model/notice.ts';

/** How far a channel was told. */
export interface DeliveryProgress {
  /** Behind all that it took. */
  readonly cursor: string;
  /** The ids of those behind the cursor that it took as well. */
  readonly delivered: readonly string[];
  /** What people have on their screens because of us, as far as we know. */
  readonly told: readonly WaitsNotice[];
}

/** Where that is kept, by the names of channels. */
export interface ProgressStore {
  load(channel: string): Promise<DeliveryProgress | undefined>;
  save(channel: string, progress: DeliveryProgress): Promise<void>;
  /** Forgets the channels that are no more: one that comes back must not be told what happened in between. */
  keepOnly(channels: readonly string[]): Promise<void>;
}

const Progress = z.object({
  cursor: z.string(),
  delivered: z.array(z.string()),
  told: z.array(
    z.custom<WaitsNotice>(
      (value) => z.object({ id: z.string(), asks: z.array(z.unknown()) }).safeParse(value).success,
    ),
  ),
});

/** Undefined for what is none: the channel then goes on from now. */
export function readProgress(text: string): DeliveryProgress | undefined {
  try {
    return Progress.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
