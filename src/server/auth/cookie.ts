import type { Place } from '../public-url.ts';

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

/** `place` is where the page is. */
export const cookieFor = (secret: string, place: Place): string => cookie(secret, maxAgeSeconds, place);

export const endedCookie = (place: Place): string => cookie('', 0, place);

const cookie = (value: string, maxAge: number, { path, isHttps }: Place): string =>
  `${name}=${value}; Path=${path || '/'}; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${isHttps ? '; Secure' : ''}`;
