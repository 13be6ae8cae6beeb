import type { Interaction } from '../protocol/interaction.ts';
import {
  type GivenTo,
  type Lent,
  type OperationDefinition,
  operations,
  type ParamOf,
  paramsIn,
  type ReplyOf,
} from '../protocol/operation.ts';

/**
 * The methods that a table of operations gives a client: each takes the names in the path, one after the other, then the query or
 * the body, and gives the part of the reply that the table says.
 */
export type CallsOf<Table> = Flat<
  Joined<
    {
      [Name in keyof Table]: Table[Name] extends { readonly calls: infer Calls }
        ? { [Call in keyof Calls]: Method<Table[Name], Calls[Call]> }
        : never;
    }[keyof Table]
  >
>;

type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Flat<T> = { [Key in keyof T]: T[Key] };

type Method<D, Gives> = Gives extends null
  ? (...args: [...NamesIn<D>, ...Fields<D>]) => Promise<void>
  : (...args: [...NamesIn<D>, ...Fields<D>]) => Promise<Given<ReplyOf<D>, Gives>>;
type NamesIn<D> = D extends { readonly path: infer Path } ? NamesOf<Path> : [];
type NamesOf<Path> = Path extends `${string}:${string}/${infer Rest}`
  ? [name: string, ...NamesOf<`/${Rest}`>]
  : [ParamOf<Path>] extends [never]
    ? []
    : [name: string];
type Fields<D> = D extends { readonly body: unknown }
  ? [fields: GivenTo<D>]
  : D extends { readonly query: unknown }
    ? Record<never, never> extends GivenTo<D>
      ? [query?: GivenTo<D>]
      : [query: GivenTo<D>]
    : [];
type Given<Reply, Gives> = Reply extends { readonly body: infer Body }
  ? Gives extends '*'
    ? Body
    : Lent<Body[Gives & keyof Body]>
  : never;

export type Send = (
  operation: OperationDefinition,
  call: {
    readonly name: string;
    readonly params: Readonly<Record<string, string>>;
    readonly fields: object | undefined;
  },
) => Promise<unknown>;

export function callsOf<Table extends Readonly<Record<string, OperationDefinition>>>(
  table: Table,
  send: Send,
): CallsOf<Table> {
  const calls: Record<string, (...args: unknown[]) => Promise<unknown>> = {};
  for (const [name, operation] of Object.entries<OperationDefinition>(table)) {
    const names = paramsIn(operation.path);
    for (const [call, gives] of Object.entries(operation.calls ?? {})) {
      calls[call] = async (...args) => {
        const params = Object.fromEntries(names.map((param, index) => [param, String(args[index])]));
        const reply = await send(operation, {
          name,
          params,
          fields: args[names.length] as object | undefined,
        });
        if (gives === null) return undefined;
        return gives === '*' ? reply : (reply as Record<string, unknown>)[gives];
      };
    }
  }
  return calls as CallsOf<Table>;
}

export interface RoomCalls extends CallsOf<typeof operations> {
  /** Open interactions, oldest first; of all sessions when none is named. */
  pending(session?: string): Promise<readonly Interaction[]>;
}

/** Has the methods of the operations' table; how a call gets there is the transport's own. */
export const RoomCalls = class {
  constructor(send: Send) {
    const pending = async (session?: string): Promise<readonly Interaction[]> => {
      const name = session === undefined ? 'listPending' : 'listPendingOfSession';
      const params: Record<string, string> = session === undefined ? {} : { session };
      const reply = await send(operations[name], { name, params, fields: undefined });
      return (reply as { pending: readonly Interaction[] }).pending;
    };
    Object.assign(this, callsOf(operations, send), { pending });
  }
} as new (
  send: Send,
) => RoomCalls;

/** What stands behind the `?` of an address; as there, what was not given is not there, and lists have commas between. */
export function queryOf(fields: object = {}): Record<string, string> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
