import type { EarlierWrites } from '../../runner/ports/process-host.ts';

/**
 * What we write is noted under names. By them the next server knows what was asked of the agent and what it was answered, also
 * where nothing that followed from it was stored.
 */
export interface SentRequest {
  readonly kind: 'prompt' | 'steer' | 'mode' | 'model' | 'option';
  readonly id: number;
  /** The message, or what was chosen. */
  readonly value: string;
}

export const requestName = ({ kind, id, value }: SentRequest): string => `${kind} ${id} ${value}`;

export const openingName = (id: number): string => `open ${id}`;

/** The answer to the agent's request at this place of its output. */
export const answerName = (at: number): string => `answer ${at}`;

/** A question of the agent's that nobody decides any more. */
export const cancelledName = (at: number): string => `cancelled ${at}`;

export function sentIn({ written, doubtful }: EarlierWrites): readonly SentRequest[] {
  return [...written, ...doubtful].flatMap((name) => {
    const [, kind, id, value] = /^(prompt|steer|mode|model|option) (\d+) (.*)$/s.exec(name) ?? [];
    return kind === undefined || value === undefined
      ? []
      : [{ kind: kind as SentRequest['kind'], id: Number(id), value }];
  });
}
