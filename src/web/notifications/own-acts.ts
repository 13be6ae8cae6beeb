const acts = new Map<string, number>();
const memoryMs = 5000;

/** Remembers that the person ended a turn or a session here: they need not be told that it ended. */
export const noteOwnAct = (sessionId: string): void => void acts.set(sessionId, performance.now());

export const isOwnAct = (sessionId: string): boolean =>
  performance.now() - (acts.get(sessionId) ?? Number.NEGATIVE_INFINITY) < memoryMs;
