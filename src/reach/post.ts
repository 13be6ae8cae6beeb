import { BlockList, isIP } from 'node:net';
import type { Delivery } from './channel.ts';
import { httpPost, type Post } from './http-post.ts';

const longestRetryMs = 6 * 3_600_000;

/** Sends something to an address of the configuration, which may well be on this machine. */
export async function post(what: Post, signal: AbortSignal, patienceMs?: number): Promise<Delivery> {
  const answer = await httpPost(what, {
    signal,
    ...(patienceMs !== undefined && { patienceMs }),
    isAllowed: (address) => !isForbidden(address),
    notAllowed,
  });
  return answer.is === 'failed' ? later(answer.reason) : meaningOf(answer.status, answer.retryAfter);
}

function meaningOf(status: number, retryAfter: string | undefined): Delivery {
  if (status >= 200 && status < 300) return { is: 'taken' };
  if (status === 410) return { is: 'gone', reason: 'It answered 410: it wants nothing more.' };
  if (status >= 300 && status < 400)
    return later(`It answered ${status}: redirects are not followed, give the address it leads to.`);
  const seconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  const reason = `It answered ${status}.`;
  return seconds === undefined
    ? later(reason)
    : { is: 'later', reason, afterMs: Math.min(seconds * 1000, longestRetryMs) };
}

const later = (reason: string): Delivery => ({ is: 'later', reason });

const notAllowed = (host: string): string =>
  `${host} is an address of the network's own services, where nothing is sent.`;

/** Where machines of a cloud find their credentials; nobody has a receiver of theirs there. */
export function isForbidden(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return forbidden.check(mapped, isIP(mapped) === 6 ? 'ipv6' : 'ipv4');
}

const forbidden = new BlockList();
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addAddress('100.100.100.200', 'ipv4');
forbidden.addAddress('192.0.0.192', 'ipv4');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
