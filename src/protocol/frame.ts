import { z } from 'zod';
import { inputSchema } from './check.ts';
import { SessionId } from './ids.ts';
import { type GivenTo, type OperationDefinition, type OperationName, operations } from './operation.ts';

const frame = { id: z.union([z.string(), z.number()]).optional() };
/** `stageId` is another system's word for a session's key. */
const session = { sessionId: z.string().min(1).optional(), stageId: z.string().min(1).optional() };

/** What a WebSocket client may say of its connection. */
const ConnectionFrame = z.discriminatedUnion('type', [
  z.strictObject({
    ...frame,
    type: z.literal('hello'),
    client: z.unknown().optional(),
    key: z.string().max(200).optional(),
    interaction: z.strictObject({ supported: z.boolean(), enabled: z.boolean() }).optional(),
  }),
  z.strictObject({ ...frame, type: z.literal('set_interaction_mode'), enabled: z.boolean() }),
  z.strictObject({
    ...frame,
    ...session,
    type: z.literal('subscribe'),
    after: z.number().int().min(0).optional(),
  }),
  z.strictObject({ ...frame, ...session, type: z.literal('unsubscribe') }),
  /** A person looks at this session (its id), at all of them, or at none: for a page that is visible and in front. */
  z.strictObject({
    ...frame,
    type: z.literal('looking'),
    at: z.union([z.literal('all'), SessionId]).nullable(),
  }),
  z.strictObject({ ...frame, type: z.literal('ping') }),
]);
export type ConnectionFrame = z.infer<typeof ConnectionFrame>;

type Framed = { [Name in OperationName]: (typeof operations)[Name] extends { frame: string } ? Name : never };
type FramedName = Framed[OperationName];

/** A frame that asks for an operation has the fields of its body, and names the session. */
export type OperationFrame = {
  [Name in FramedName]: {
    type: (typeof operations)[Name]['frame'];
    id?: string | number | undefined;
    sessionId?: string | undefined;
    stageId?: string | undefined;
  } & NonNullable<GivenTo<(typeof operations)[Name]>>;
}[FramedName];

/** The operations that a frame can ask for, by the frame's type. */
export const operationOfFrame: ReadonlyMap<string, OperationName> = new Map(
  Object.entries(operations as Readonly<Record<string, OperationDefinition>>).flatMap(
    ([name, { frame: type }]) => (type === undefined ? [] : [[type, name as OperationName]]),
  ),
);

/** What a WebSocket client may say. */
export type ClientFrame = ConnectionFrame | OperationFrame;
export const ClientFrame = z.discriminatedUnion('type', [
  ...ConnectionFrame.options,
  ...[...operationOfFrame].map(([type, name]) =>
    inputSchema(operations[name]).extend({ ...frame, ...session, type: z.literal(type) }),
  ),
]);
