/** The page's own addresses. */
export const routes = {
  control: '/',
  board: '/board',
  inbox: '/inbox',
  sessions: '/sessions',
  settings: '/settings',
  insights: '/insights',
  session: (sessionId: string): string => `/s/${encodeURIComponent(sessionId)}`,
  /** A session, at the place where an event is told. */
  place: (sessionId: string, seq: number): string => `/s/${encodeURIComponent(sessionId)}?at=${seq}`,
  /** Behind a session's own: what changed in its files. It may name a `turn`, what it is `since`, and a `file`. */
  changesIn: '/changes',
} as const;

/** A session's page; beside its conversation or in its place, what changed in its files. */
export const sessionPattern = /^\/s\/(?<id>[^/]+)(\/changes)?$/;

/** The page that an address belongs to: showing changes is still the same one. */
export const pageOf = (pathname: string): string => pathname.replace(/(?<=^\/s\/[^/]+)\/changes$/, '');

/** The session that an address names; as it stands where it is no escaped text. */
export function sessionIn(pathname: string): string {
  const name = pageOf(pathname).replace(/^\/s\//, '');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
