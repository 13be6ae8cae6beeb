import type { DiagnosticKind } from '../diagnostics.ts';
import { isObject, type JsonObject } from '../fields.ts';
import { objectIn } from '../lines.ts';

export type TypedMessage = JsonObject & { readonly type: string };

export interface IncomingRequest {
  readonly requestId: string;
  readonly subtype: string;
  readonly request: JsonObject;
}

export type Reply =
  | { readonly ok: true; readonly response: JsonObject }
  | { readonly ok: false; readonly code: 'refused' | 'timed-out' | 'closed'; readonly message: string };

export type Incoming =
  | { readonly kind: 'blank' }
  | { readonly kind: 'message'; readonly message: TypedMessage }
  | ({ readonly kind: 'request' } & IncomingRequest)
  | { readonly kind: 'cancel'; readonly requestId: string }
  | { readonly kind: 'response'; readonly requestId: string; readonly reply: Reply }
  /** With a request id the agent waits for a reply, although it was not understood. */
  | { readonly kind: 'problem'; readonly problem: DiagnosticKind; readonly requestId?: string };

/** What a line of the agent is to the protocol; whatever comes, it does not throw. */
export function readLine(line: string): Incoming {
  const read = objectIn(line);
  if (read.kind !== 'object') return read;
  const { message } = read;
  if (!hasType(message)) return { kind: 'problem', problem: 'no-type' };
  switch (message.type) {
    case 'control_request':
      return readRequest(message);
    case 'control_cancel_request':
      return readCancel(message);
    case 'control_response':
      return readResponse(message);
    default:
      return { kind: 'message', message };
  }
}

function hasType(message: JsonObject): message is TypedMessage {
  return typeof message.type === 'string';
}

function readRequest({ request_id: requestId, request }: JsonObject): Incoming {
  if (typeof requestId !== 'string') return { kind: 'problem', problem: 'malformed-request' };
  if (!isObject(request) || typeof request.subtype !== 'string') {
    return { kind: 'problem', problem: 'malformed-request', requestId };
  }
  return { kind: 'request', requestId, subtype: request.subtype, request };
}

function readCancel({ request_id: requestId }: JsonObject): Incoming {
  return typeof requestId === 'string'
    ? { kind: 'cancel', requestId }
    : { kind: 'problem', problem: 'malformed-request' };
}

function readResponse({ response }: JsonObject): Incoming {
  if (!isObject(response) || typeof response.request_id !== 'string') {
    return { kind: 'problem', problem: 'malformed-response' };
  }
  return { kind: 'response', requestId: response.request_id, reply: toReply(response) };
}

function toReply(response: JsonObject): Reply {
  if (response.subtype === 'success') {
    return { ok: true, response: isObject(response.response) ? response.response : {} };
  }
  const message = typeof response.error === 'string' ? response.error : 'The agent gave no reason';
  return { ok: false, code: 'refused', message };
}
