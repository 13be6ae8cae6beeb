/** The page's own addresses. */
export const routes = {
  control: '/',
  board: '/board',
  inbox: '/inbox',
  sessions: '/sessions',
  settings: '/settings',
  session: (sessionId: string): string => `/s/${encodeURIComponent(sessionId)}`,
  /** A session, at the place where an event is told. */
  place: (sessionId: string, seq: number): string => `/s/${encodeURIComponent(sessionId)}?at=${seq}`,
} as const;
