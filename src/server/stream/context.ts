import type { ControlRoom } from '../../engine/ports/control-room.ts';
import type { Unlock } from '../../protocol/unlock.ts';
import type { Broadcast } from './broadcast.ts';
import type { Connections } from './connections.ts';
import type { StreamLimits } from './limits.ts';

/** What every stream shares. */
export interface StreamContext {
  readonly room: ControlRoom;
  readonly broadcast: Broadcast;
  readonly connections: Connections;
  readonly limits: StreamLimits;
  /** The terminals that decide, or want to. */
  readonly unlocks: () => readonly Unlock[];
  readonly onError: (error: unknown) => void;
}
