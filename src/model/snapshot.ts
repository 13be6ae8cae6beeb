import { entriesOf, mapOf, type OrderedMap } from './ordered-map.ts';
import type { SessionState } from './state.ts';

/** A state as it is stored: its maps are lists of their entries. */
export type StoredState = {
  readonly [K in keyof SessionState]: SessionState[K] extends OrderedMap<infer T>
    ? readonly (readonly [string, T])[]
    : SessionState[K];
};

export const storedState = (state: SessionState): StoredState => ({
  ...state,
  interactions: entriesOf(state.interactions),
  requests: entriesOf(state.requests),
  tools: entriesOf(state.tools),
  tasks: entriesOf(state.tasks),
});

export const stateFrom = (stored: StoredState): SessionState => ({
  ...stored,
  interactions: mapOf(stored.interactions),
  requests: mapOf(stored.requests),
  tools: mapOf(stored.tools),
  tasks: mapOf(stored.tasks),
});
