import { vi } from 'vitest';

type Route = (body: unknown) => { readonly status?: number; readonly body: unknown };

export interface Asked {
  readonly route: string;
  readonly body: unknown;
}

/** Answers the page's own requests, those that are no part of the transport; `DELETE /api/devices/d1` names a route. */
export function answerRequests(routes: Readonly<Record<string, Route>>): readonly Asked[] {
  const asked: Asked[] = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
    const route = `${init.method ?? 'GET'} ${path}`;
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    asked.push({ route, body });
    const answer = routes[route];
    if (answer === undefined) throw new TypeError(`Nobody answers ${route}.`);
    const reply = answer(body);
    return new Response(JSON.stringify(reply.body), { status: reply.status ?? 200 });
  });
  return asked;
}
