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

export const cookieFor = (secret: string, secure: boolean): string => cookie(secret, maxAgeSeconds, secure);

export const endedCookie = (secure: boolean): string => cookie('', 0, secure);

const cookie = (value: string, maxAge: number, secure: boolean): string =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure ? '; Secure' : ''}`;
