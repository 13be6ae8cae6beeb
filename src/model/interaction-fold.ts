import type { Event, EventOf } from '../protocol/event.ts';
import type { LiveInteraction } from './state.ts';

/** Every event that changes an interaction names it; nothing else changes one. */
export type InteractionEvent = Extract<Event, { type: `interaction.${string}` }>;

export const isInteractionEvent = (event: Event): event is InteractionEvent =>
  event.type.startsWith('interaction.');

/** What an event makes of an interaction. Undefined as long as it was not requested: its first events may lie on a page not read yet. */
export function foldInteraction<Live extends LiveInteraction | undefined>(
  live: Live,
  event: InteractionEvent,
): LiveInteraction | Live {
  if (event.type === 'interaction.requested') return newInteraction(event);
  return live === undefined ? live : { ...live, ...changesBy(live, event), revision: event.seq };
}

function changesBy(
  live: LiveInteraction,
  event: Exclude<InteractionEvent, EventOf<'interaction.requested'>>,
): Partial<LiveInteraction> {
  switch (event.type) {
    case 'interaction.parked':
      return { parked: true };
    case 'interaction.left-open':
      return { leftOpen: event.leftOpen };
    case 'interaction.deferred':
      return { deferred: 'asleep' };
    case 'interaction.raised': {
      const { agentRequestId, processId } = event;
      const ask = { ...live.requested.ask, agentRequestId };
      return { requested: { ...live.requested, processId, ask }, deferred: 'raised' };
    }
    case 'interaction.decided':
      return { decided: event };
    case 'interaction.undelivered':
      return { undelivered: { machine: event.machine, since: event.at } };
    case 'interaction.resolved':
      return { resolved: event };
  }
}

export const newInteraction = (event: EventOf<'interaction.requested'>): LiveInteraction => ({
  requested: event,
  revision: event.seq,
  parked: false,
  leftOpen: null,
  deferred: null,
  decided: null,
  resolved: null,
});
