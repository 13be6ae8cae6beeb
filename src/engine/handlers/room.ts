import type { ChannelState } from '../../protocol/channel.ts';
import { accept, type Result } from '../../protocol/errors.ts';
import type {
  CheckedFor,
  Lent,
  OperationName,
  operations,
  ParamOf,
  ReplyOf,
} from '../../protocol/operation.ts';
import type { ToolCatalogue } from '../../protocol/tool.ts';
import type { AskHistory } from '../ask-history.ts';
import type { ChangedPaths } from '../changed-paths.ts';
import type { GrantBook } from '../grant-book.ts';
import type { LiveSession } from '../live-session.ts';
import type { Machines } from '../machines.ts';
import type { PolicyBook } from '../policy-book.ts';
import type { Clock } from '../ports/clock.ts';
import type { Caller, Clients } from '../ports/control-room.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Ids } from '../ports/ids.ts';
import type { SessionEnv } from '../ports/session-env.ts';
import type { Templates } from '../ports/templates.ts';
import type { SessionRegistry } from '../session-registry.ts';
import type { EngineSettings } from '../settings.ts';
import type { SetupDesk } from '../setup-desk.ts';
import type { UndoDesk } from '../undo-desk.ts';

/** What the handlers of operations work with. */
export interface Room {
  readonly log: EventLog;
  readonly env: SessionEnv;
  readonly templates: Templates;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: EngineSettings;
  readonly registry: SessionRegistry;
  readonly book: GrantBook;
  readonly history: AskHistory;
  readonly machines: Machines;
  readonly policies: PolicyBook;
  readonly setups: SetupDesk;
  readonly clients: Clients;
  readonly undos: UndoDesk;
  readonly changedPaths: ChangedPaths;
  readonly toolCatalogue: () => ToolCatalogue;
  readonly channels: () => readonly ChannelState[];
  readonly remove: (session: LiveSession) => Promise<Result<undefined>>;
  readonly lifetime: { readonly closing: boolean };
}

/**
 * An operation's input after it was checked: the session that the path names, its other names, and query or body. The reply must be
 * one that the table of operations has.
 */
export type Handler<Name extends OperationName> = (
  room: Room,
  input: HandlerInput<Name>,
  caller: Caller,
) => MaybePromise<Result<LentReply<ReplyOf<Definition<Name>>>>>;

export type HandlerInput<Name extends OperationName> = CheckedFor<Definition<Name>> & {
  readonly [Param in ParamOf<Definition<Name>['path']>]: Param extends 'session' ? LiveSession : string;
};

export type Handlers = { readonly [Name in OperationName]: Handler<Name> };

type Definition<Name extends OperationName> = (typeof operations)[Name];
type MaybePromise<T> = T | Promise<T>;
type LentReply<R> = R extends { readonly status: infer Status; readonly body: infer Body }
  ? { readonly status: Status; readonly body: { readonly [Field in keyof Body]: Lent<Body[Field]> } }
  : never;

export const done = accept({ status: 200, body: { status: 'ok' } } as const);
