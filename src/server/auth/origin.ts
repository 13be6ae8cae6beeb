import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from '../../protocol/errors.ts';
import { isPublicHost, type PublicUrl } from '../public-url.ts';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Refuses what other web pages can make a browser send: a name of theirs that points at this machine (the Host header gives
 * it away), and requests from pages of another origin. `names` are further hosts this server is reached by: `box.lan` on its
 * own port, `beckon.example.org:443` behind a proxy on that one. Pages of the public address are ours by whatever name the proxy
 * calls this server, and under the public name no others are: not those of the same host over plain http.
 */
export function originCheck(
  names: readonly string[],
  publicUrl: PublicUrl | undefined,
): (request: IncomingMessage) => Refusal | undefined {
  const known = knownHosts(publicUrl === undefined ? names : [...names, publicUrl.host]);
  return (request) => {
    const host = request.headers.host?.toLowerCase();
    if (host === undefined || !isOurs(host, request, known)) return refuse('host_not_allowed').refusal;
    const origin = request.headers.origin?.toLowerCase();
    if (origin === undefined) return undefined;
    if (publicUrl !== undefined && (origin === publicUrl.origin || isPublicHost(publicUrl, host)))
      return origin === publicUrl.origin ? undefined : refuse('origin_not_allowed').refusal;
    if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
    return refuse('origin_not_allowed').refusal;
  };
}

/** A browser's own word that another site, or another port of this machine, had a hand in the request. */
export function isFromElsewhere(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

interface KnownHosts {
  /** Good with the port the request came in on. */
  readonly names: ReadonlySet<string>;
  /** Good as they stand. */
  readonly hosts: ReadonlySet<string>;
}

function knownHosts(given: readonly string[]): KnownHosts {
  const names = new Set(loopbackNames);
  const hosts = new Set<string>();
  for (const each of given.map((name) => bracketed(name.toLowerCase()))) {
    const { name, port } = hostParts(each) ?? {};
    if (name === undefined) continue;
    if (port === undefined) names.add(name);
    else hosts.add(each);
    // Browsers leave a scheme's own port out.
    if (port === 80 || port === 443) hosts.add(name);
  }
  return { names, hosts };
}

function isOurs(host: string, { socket }: IncomingMessage, known: KnownHosts): boolean {
  if (known.hosts.has(host)) return true;
  const parts = hostParts(host);
  if (parts === undefined || (parts.port ?? 80) !== socket.localPort) return false;
  return known.names.has(parts.name) || parts.name === ownAddress(socket.localAddress);
}

function hostParts(host: string): { readonly name: string; readonly port: number | undefined } | undefined {
  const [, name, port] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/.exec(host) ?? [];
  return name === undefined ? undefined : { name, port: port === undefined ? undefined : Number(port) };
}

/** The address the connection came in on: a foreign page gets here by a name, never by the bare address. */
const ownAddress = (address: string | undefined): string | undefined =>
  address === undefined ? undefined : bracketed(address.replace(/^::ffff:(?=\d+\.)/, ''));

const bracketed = (name: string): string => (/^[^[\]]*:[^[\]]*:[^[\]]*$/.test(name) ? `[${name}]` : name);
