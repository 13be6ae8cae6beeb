const name = 'beckon';
const maxAgeSeconds = 400 * 24 * 60 * 60;

export function secretOf(cookieHeader: string | undefined): string | undefined {
  if (cookieHeader === undefined) return undefined;
  for (const part of cookieHeader.split(';')) {
    const [key, value] = part.split('=', 2);
    if (key?.trim() === name && value !== undefined) return value.trim();
  }
  return undefined;
}

/** `path` is where the page is: empty at the root. */
export const cookieFor = (secret: string, secure: boolean, path: string): string =>
  cookie(secret, maxAgeSeconds, secure, path);

export const endedCookie = (secure: boolean, path: string): string => cookie('', 0, secure, path);

const cookie = (value: string, maxAge: number, secure: boolean, path: string): string =>
  `${name}=${value}; Path=${path || '/'}; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure ? '; Secure' : ''}`;
