import { isRecord } from '../../model/json-pointer.ts';
import { check } from '../../protocol/check.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { ClientFrame, type OperationFrame, operationOfFrame } from '../../protocol/frame.ts';
import type { OperationName } from '../../protocol/operation.ts';
import { parseObject } from '../json.ts';

type Hello = Extract<ClientFrame, { type: 'hello' }>;

/** What a frame asks for, in our words. */
export type Request =
  | {
      readonly do: 'hello';
      readonly name: string | undefined;
      readonly key: string | undefined;
      readonly interaction: Hello['interaction'];
    }
  | { readonly do: 'set-enabled'; readonly enabled: boolean }
  | { readonly do: 'subscribe'; readonly session: string; readonly after: number | undefined }
  | { readonly do: 'unsubscribe'; readonly session: string }
  | { readonly do: 'look'; readonly at: Extract<ClientFrame, { type: 'looking' }>['at'] }
  | { readonly do: 'ping' }
  | {
      readonly do: 'dispatch';
      readonly operation: OperationName;
      readonly input: Readonly<Record<string, unknown>>;
    };

export type FrameId = string | number | undefined;

/** Reads what a client sent. The id is told also of a frame that is wrong, so that the client learns which one it was. */
export function readFrame(text: string): { readonly id: FrameId; readonly request: Result<Request> } {
  const object = parseObject(text);
  if (!object.ok) return { id: undefined, request: object };
  const { id: given } = object.value;
  const id = typeof given === 'string' || typeof given === 'number' ? given : undefined;
  const { type } = object.value;
  if (!frameTypes.has(type)) {
    const refused = refuse('malformed_request', 'A frame needs a type that is known.', { field: 'type' });
    return { id, request: refused };
  }
  const frame = check(ClientFrame, object.value);
  return { id, request: frame.ok ? requestOf(frame.value as ClientFrame) : frame };
}

const frameTypes: ReadonlySet<unknown> = new Set(
  ClientFrame.options.map((option) => option.shape.type.value),
);

function requestOf(frame: ClientFrame): Result<Request> {
  switch (frame.type) {
    case 'hello':
      return accept({
        do: 'hello',
        name: nameOf(frame.client),
        key: frame.key,
        interaction: frame.interaction,
      });
    case 'set_interaction_mode':
      return accept({ do: 'set-enabled', enabled: frame.enabled });
    case 'subscribe': {
      const { after } = frame;
      return withSession(frame, (session) => ({ do: 'subscribe', session, after }));
    }
    case 'unsubscribe':
      return withSession(frame, (session) => ({ do: 'unsubscribe', session }));
    case 'looking':
      return accept({ do: 'look', at: frame.at });
    case 'ping':
      return accept({ do: 'ping' });
    default:
      return dispatching(frame);
  }
}

interface NamesSession {
  readonly sessionId?: string | undefined;
  readonly stageId?: string | undefined;
}

function withSession(frame: NamesSession, then: (session: string) => Request): Result<Request> {
  const session = frame.sessionId ?? frame.stageId;
  if (session === undefined)
    return refuse('malformed_request', 'The field sessionId is missing.', { field: 'sessionId' });
  return accept(then(session));
}

function dispatching(frame: OperationFrame): Result<Request> {
  const { id: _id, type, sessionId: _sessionId, stageId: _stageId, ...fields } = frame;
  const operation = operationOfFrame.get(type);
  if (operation === undefined) throw new Error(`No operation has the frame ${type}`);
  return withSession(frame, (session) => ({ do: 'dispatch', operation, input: { ...fields, session } }));
}

/** A client may say who it is as a word or as a record with a name. */
function nameOf(client: unknown): string | undefined {
  const name = isRecord(client) ? client.name : client;
  return typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 100) : undefined;
}
