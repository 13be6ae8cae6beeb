import { type OperationDefinition, pathTo } from '../protocol/operation.ts';
import { serverOperations } from '../protocol/server-operation.ts';
import { BeckonError, errorOfReply, unreachable } from './beckon-error.ts';
import { type CallsOf, callsOf, queryOf, RoomCalls, type Send } from './calls.ts';

export interface HttpCallsOptions {
  /** `http://127.0.0.1:4590`; empty in a page that the server itself delivered. */
  readonly baseUrl?: string;
  /** Not needed in a page: it has a cookie, and a key. */
  readonly token?: string;
  /** In a page: the key that its cookie works with. Read for every request, for another tab may have been paired anew. */
  readonly key?: () => string | undefined;
  /** Named with every request, so that what was done from here can be told from what others did; also after a restart. */
  readonly clientId?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** After so long without a reply a call fails as unreachable. */
  readonly timeoutMs?: number;
}

/** Beside the control room's calls those for pairing, devices and unlocks, which only a server has. */
const ServerCalls = RoomCalls as new (send: Send) => RoomCalls & CallsOf<typeof serverOperations>;

/** What a caller can do, one request a call. */
export class HttpCalls extends ServerCalls {
  readonly #options: HttpCallsOptions;
  readonly #baseUrl: string;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: HttpCallsOptions = {}) {
    const send: Send = (operation, call) => this.#call(operation, call);
    super(send);
    Object.assign(this, callsOf(serverOperations, send));
    this.#options = options;
    this.#baseUrl = (options.baseUrl ?? '').replace(/\/+$/, '');
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** Sends a request as who this is; rejects only when there is no reply. */
  protected async request(
    path: string,
    init: RequestInit & { headers: Record<string, string> },
  ): Promise<Response> {
    const { token, clientId } = this.#options;
    const key = this.#options.key?.();
    const headers = {
      ...init.headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { 'x-beckon-key': key }),
      ...(clientId === undefined ? {} : { 'x-beckon-client': clientId }),
    };
    try {
      return await this.#fetch(this.#baseUrl + path, { ...init, headers });
    } catch (error) {
      throw unreachable(this.#baseUrl, error);
    }
  }

  async #call(operation: OperationDefinition, { params, fields }: Parameters<Send>[1]): Promise<unknown> {
    const { method, query } = operation;
    const body = query === undefined ? (fields ?? {}) : {};
    const response = await this.request(addressOf(operation, params, fields), {
      method,
      signal: AbortSignal.timeout(this.#options.timeoutMs ?? 60_000),
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
      headers: method === 'GET' ? {} : { 'content-type': 'application/json' },
    });
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(this.#baseUrl, error);
    });
    if (!response.ok) throw errorOfReply(response.status, text);
    return parse(text);
  }
}

/** Where an operation is, relative to the control room's address. */
export function addressOf(
  { path, query }: OperationDefinition,
  params: Readonly<Record<string, string>>,
  fields: object | undefined,
): string {
  const search = new URLSearchParams(query === undefined ? {} : queryOf(fields));
  return pathTo(path, params) + (search.size === 0 ? '' : `?${search}`);
}

/** The server's own words are trusted for their shape: it made them from the same types. */
export function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new BeckonError('unexpected_reply', 0, 'The reply is no JSON: is this a Beckon server?', {}, error);
  }
}
