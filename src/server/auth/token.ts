import { timingSafeEqual } from 'node:crypto';

/** Says whether what a caller presented is the token, in a time that tells nothing of it but its length, which is no secret. */
export function tokenCheck(token: string): (presented: string) => boolean {
  const expected = Buffer.from(token);
  return (presented) => {
    const given = Buffer.from(presented);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}

export function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}
