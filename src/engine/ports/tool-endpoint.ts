import type { IncomingMessage, ServerResponse } from 'node:http';

/** The interactive tools as an agent reaches them. Whoever serves HTTP passes requests on; what is said in them is not its business. */
export interface ToolEndpoint {
  /** Whether this is the key of that session, compared in constant time. It opens this endpoint and nothing else. */
  opens(sessionId: string, key: string): boolean;
  /** Answers the request, whatever happens. `body` is the parsed JSON, or undefined when there is none. */
  handle(sessionId: string, request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
}
