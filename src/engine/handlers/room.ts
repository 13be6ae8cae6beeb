import type { Result } from '../../protocol/errors.ts';
import type { ToolCatalogue } from '../../protocol/tool.ts';
import type { GrantBook } from '../grant-book.ts';
import type { LiveSession } from '../live-session.ts';
import type { Clock } from '../ports/clock.ts';
import type { Caller, Clients, Reply } from '../ports/control-room.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Ids } from '../ports/ids.ts';
import type { Runner } from '../ports/runner.ts';
import type { SessionEnv } from '../ports/session-env.ts';
import type { SessionRegistry } from '../session-registry.ts';
import type { EngineSettings } from '../settings.ts';

/** What the handlers of operations work with. */
export interface Room {
  readonly log: EventLog;
  readonly env: SessionEnv;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: EngineSettings;
  readonly registry: SessionRegistry;
  readonly book: GrantBook;
  readonly runner: Runner;
  readonly clients: Clients;
  readonly toolCatalogue: () => ToolCatalogue;
  readonly remove: (session: LiveSession) => Promise<Result<undefined>>;
  readonly lifetime: { readonly closing: boolean };
}

/** An operation's input after it was checked: the path's parameters beside query and body. */
export type Handler<Input> = (
  room: Room,
  input: Input & Params,
  caller: Caller,
) => Promise<Result<Reply>> | Result<Reply>;

export interface Params {
  readonly session: string;
  readonly messageId: string;
  readonly interactionId: string;
  readonly grantId: string;
  readonly clientId: string;
}
