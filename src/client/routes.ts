import type { OperationName, operations } from '../protocol/operation.ts';

type Route<K extends OperationName> = `${(typeof operations)[K]['method']} ${(typeof operations)[K]['path']}`;

/**
 * Method and path of every operation. The compiler holds this to the protocol's table, so that a page
 * that only calls need not load the schemas that check.
 */
export const routes: { readonly [K in OperationName]: Route<K> } = {
  listAgents: 'GET /api/agents',
  createSession: 'POST /api/sessions',
  listSessions: 'GET /api/sessions',
  getSession: 'GET /api/sessions/:session',
  patchSession: 'PATCH /api/sessions/:session',
  deleteSession: 'DELETE /api/sessions/:session',
  sendMessage: 'POST /api/sessions/:session/message',
  getQueue: 'GET /api/sessions/:session/queue',
  patchQueued: 'PATCH /api/sessions/:session/queue/:messageId',
  removeQueued: 'DELETE /api/sessions/:session/queue/:messageId',
  listPendingOfSession: 'GET /api/sessions/:session/pending',
  listPending: 'GET /api/pending',
  getInteraction: 'GET /api/sessions/:session/interactions/:interactionId',
  approve: 'POST /api/sessions/:session/approve',
  deny: 'POST /api/sessions/:session/deny',
  answer: 'POST /api/sessions/:session/answer',
  submitAnswers: 'POST /api/sessions/:session/submit-answers',
  respond: 'POST /api/sessions/:session/respond',
  interrupt: 'POST /api/sessions/:session/interrupt',
  stop: 'POST /api/sessions/:session/stop',
  resume: 'POST /api/sessions/:session/resume',
  listEvents: 'GET /api/sessions/:session/events',
  listTools: 'GET /api/tools',
  listGrants: 'GET /api/grants',
  revokeGrant: 'DELETE /api/grants/:grantId',
  previewGrant: 'POST /api/grants/preview',
  switchInteraction: 'POST /api/clients/:clientId/interaction',
  search: 'GET /api/search',
};

export interface Place {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/** The method and the address, relative to the control room's, of one call. */
export function locate(operation: OperationName, place: Place = {}): { method: string; path: string } {
  const [method = '', pattern = ''] = routes[operation].split(' ');
  const path = pattern.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(place.params?.[name] ?? ''),
  );
  return { method, path: path + queryOf(place.query ?? {}) };
}

export function queryOf(query: Readonly<Record<string, string | number | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}
