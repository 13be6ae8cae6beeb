import { lookup as systemLookup } from 'node:dns';
import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { messageOf } from '../protocol/errors.ts';
import type { Delivery } from './channel.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const timeoutMs = 15_000;
const longestRetryMs = 6 * 3_600_000;

/**
 * Sends something to an address of the configuration, which may well be on this machine. Redirects are not followed, and what comes
 * back beside the status is not read: it must not be a way to have the server look into its network.
 */
export function post(
  { url, headers, body }: Post,
  signal: AbortSignal,
  patienceMs: number = timeoutMs,
): Promise<Delivery> {
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && isForbidden(host)) return Promise.resolve(later(notAllowed(host)));
  const send = protocol === 'http:' ? requestPlainly : requestSecurely;
  return new Promise((resolve) => {
    const sent = send(
      url,
      {
        method: 'POST',
        // A connection that is kept open would not be looked up again.
        agent: false,
        signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
        lookup,
        headers: { 'user-agent': 'beckon', ...headers, 'content-length': Buffer.byteLength(body) },
      },
      (reply) => {
        const { statusCode = 0, headers: told } = reply;
        reply.destroy();
        resolve(meaningOf(statusCode, told['retry-after']));
      },
    );
    sent.on('error', (error) => resolve(later(wordsFor(error))));
    sent.end(body);
  });
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

const wordsFor = (error: Error): string =>
  error.name === 'TimeoutError' || error.name === 'AbortError'
    ? 'It did not answer in time.'
    : `It cannot be reached: ${messageOf(error) || ('code' in error ? String(error.code) : error.name)}`;

/** In place of the system's: looked at when it is connected to, for what a name stands for may change. */
const lookup: LookupFunction = (hostname, options, done) => {
  systemLookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = error === null ? found.filter(({ address }) => !isForbidden(address)) : [];
    const [first] = addresses;
    if (error !== null) done(error, '', 0);
    else if (first === undefined) done(new Error(notAllowed(hostname)), '', 0);
    else if (options.all === true) done(null, addresses);
    else done(null, first.address, first.family);
  });
};

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
