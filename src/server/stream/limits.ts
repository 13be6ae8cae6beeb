/** How much is kept for a client that reads too slowly, and how long it is waited for. */
export interface StreamLimits {
  /** Above this many unsent bytes, deltas are left out. */
  readonly softBytes: number;
  /** Above this many unsent bytes, everything is left out; the client takes a snapshot once it has read what was sent. */
  readonly hardBytes: number;
  /** A client that takes nothing at all for so long is closed. */
  readonly stuckMs: number;
  readonly keepAliveMs: number;
}

export const defaultLimits: StreamLimits = {
  softBytes: 256 * 1024,
  hardBytes: 4 * 1024 * 1024,
  stuckMs: 60_000,
  keepAliveMs: 15_000,
};
