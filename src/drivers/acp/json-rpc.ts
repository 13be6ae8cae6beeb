import { isObject, type JsonObject, textAt } from '../fields.ts';
import { objectIn } from '../lines.ts';

export type JsonRpcId = string | number | null;

/** One line of an agent, as far as JSON-RPC tells what it is. */
type Incoming =
  | { readonly kind: 'blank' }
  | { readonly kind: 'problem'; readonly problem: 'not-json' | 'not-an-object' | 'no-type' }
  | { readonly kind: 'request'; readonly id: JsonRpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'reply'; readonly id: JsonRpcId; readonly reply: Reply };

export type Reply =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly error: RequestError };

/** A request that was refused, by the agent or by us. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const errorCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Of the Agent Client Protocol: the person must sign in first. */
  authRequired: -32000,
} as const;

export function readLine(line: string): Incoming {
  const read = objectIn(line);
  if (read.kind !== 'object') return read;
  const { message } = read;
  const { jsonrpc, method, params, id } = message;
  if (jsonrpc !== '2.0') return noType;
  if (typeof method === 'string') {
    if (!('id' in message)) return { kind: 'notification', method, params: asObject(params) };
    return isId(id) ? { kind: 'request', id, method, params } : noType;
  }
  const reply = method === undefined ? replyIn(message) : undefined;
  return reply !== undefined && isId(id) ? { kind: 'reply', id, reply } : noType;
}

export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

const noType = { kind: 'problem', problem: 'no-type' } as const;

const isId = (value: unknown): value is JsonRpcId =>
  typeof value === 'string' || typeof value === 'number' || value === null;

function replyIn(message: JsonObject): Reply | undefined {
  if ('result' in message) return { ok: true, result: asObject(message.result) };
  if (!isObject(message.error)) return undefined;
  const { code, message: words, data } = message.error;
  const text = typeof words === 'string' ? words : 'The agent gave no reason';
  return { ok: false, error: new RequestError(typeof code === 'number' ? code : 0, text, data) };
}

/** An error's details often say more than its message, which may be no more than "Internal error". */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = error instanceof RequestError ? detailsIn(error.data) : undefined;
  return details === undefined || error.message.includes(details)
    ? error.message
    : `${error.message}: ${details}`;
}

function detailsIn(data: unknown): string | undefined {
  if (typeof data === 'string') return data || undefined;
  return isObject(data) ? (textAt(data, 'details') ?? textAt(data, 'message')) : undefined;
}
