import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf } from '../protocol/errors.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Buffer;
}

export interface PostLimits {
  readonly signal: AbortSignal;
  readonly patienceMs?: number;
  /** Whether this address may be connected to. */
  readonly isAllowed: (address: string) => boolean;
  /** Why not, of a name or an address. */
  readonly notAllowed: (host: string) => string;
}

export type PostAnswer =
  | { readonly is: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly is: 'failed'; readonly reason: string };

const timeoutMs = 15_000;

/**
 * Posts something to an address that somebody gave. What it stands for is looked at when it is connected to, redirects are not
 * followed, and what comes back beside the status is not read: it must not be a way to have the server look into its network.
 */
export async function httpPost({ url, headers, body }: Post, limits: PostLimits): Promise<PostAnswer> {
  const { signal, patienceMs = timeoutMs, isAllowed, notAllowed } = limits;
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  // An address is connected to without being looked up.
  if (isIP(host) !== 0 && !isAllowed(host)) return { is: 'failed', reason: notAllowed(host) };
  // Not before something is posted: to import these loads all of Node's fetch, a tenth of what the start of a server costs.
  const { request: send } = protocol === 'http:' ? await import('node:http') : await import('node:https');
  return new Promise((resolve) => {
    const sent = send(
      url,
      {
        method: 'POST',
        // A connection that is kept open would not be looked up again.
        agent: false,
        signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
        lookup: lookupAllowed(limits),
        headers: { 'user-agent': 'beckon', ...headers, 'content-length': Buffer.byteLength(body) },
      },
      (reply) => {
        const { statusCode = 0, headers: told } = reply;
        reply.destroy();
        resolve({ is: 'answered', status: statusCode, retryAfter: told['retry-after'] });
      },
    );
    sent.on('error', (error) => resolve({ is: 'failed', reason: wordsFor(error) }));
    sent.end(body);
  });
}

/** In place of the system's: addresses that are not allowed are as if they were not there. */
export const lookupAllowed =
  ({ isAllowed, notAllowed }: Pick<PostLimits, 'isAllowed' | 'notAllowed'>): LookupFunction =>
  (hostname, options, done) => {
    systemLookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = error === null ? found.filter(({ address }) => isAllowed(address)) : [];
      const [first] = addresses;
      if (error !== null) done(error, '', 0);
      else if (first === undefined) done(new Error(notAllowed(hostname)), '', 0);
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };

const wordsFor = (error: Error): string =>
  error.name === 'TimeoutError' || error.name === 'AbortError'
    ? 'It did not answer in time.'
    : `It cannot be reached: ${messageOf(error) || ('code' in error ? String(error.code) : error.name)}`;
