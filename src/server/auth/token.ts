import { createHash, timingSafeEqual } from 'node:crypto';

/** Says whether what a caller presented is the token, in a time that tells nothing about either. */
export function tokenCheck(token: string): (presented: string) => boolean {
  const expected = digest(token);
  return (presented) => timingSafeEqual(digest(presented), expected);
}

export function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
