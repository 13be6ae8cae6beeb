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
} as const;

/** The session that an address names; as it stands where it is no escaped text. */
export function sessionIn(pathname: string): string {
  const name = pathname.replace(/^\/s\//, '');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
