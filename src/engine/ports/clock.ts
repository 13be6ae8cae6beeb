/** The only clock. Tests pass one that moves when told. */
export interface Clock {
  /** Now, as an ISO time, for the record. It may be set, back or forward, at any moment. */
  now(): string;
  /** Milliseconds since some moment; never goes back. What lasts is held against this, or is armed with `after`. */
  elapsed(): number;
  /** Calls back once after that many milliseconds; the result takes it back. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** A timer's longest reach: Node fires at once for anything above 2^31 - 1 ms, so longer waits go in steps. */
const LONGEST = 2_000_000_000;

export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  elapsed: () => performance.now(),
  after(milliseconds, callback) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer = setTimeout(() => (left > LONGEST ? arm(left - LONGEST) : callback()), Math.min(left, LONGEST));
      timer.unref();
    };
    arm(Math.max(0, milliseconds));
    return () => clearTimeout(timer);
  },
};
