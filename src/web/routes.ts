/** The page's own addresses. */
export const routes = {
  control: '/',
  board: '/board',
  inbox: '/inbox',
  sessions: '/sessions',
  settings: '/settings',
  session: (sessionId: string): string => `/s/${encodeURIComponent(sessionId)}`,
} as const;
