import { BlockList, isIP } from 'node:net';

const longestEndpoint = 2_048;

/**
 * Whether messages may be sent there: https, at a public address. A page gives the endpoint, and the server calls it; without
 * this, whoever gives it could have the server call machines that only the server reaches.
 * `allowLoopback` is for a stand-in push service on this machine, over http as well.
 */
export function isPushEndpoint(
  endpoint: string,
  { allowLoopback }: { readonly allowLoopback: boolean },
): boolean {
  if (endpoint.length > longestEndpoint || !URL.canParse(endpoint)) return false;
  const { protocol, hostname, username, password } = new URL(endpoint);
  if (username !== '' || password !== '') return false;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (allowLoopback && (protocol === 'http:' || protocol === 'https:') && isLoopback(host)) return true;
  if (protocol !== 'https:') return false;
  // A name is looked at when it is connected to: what it stands for may change.
  return isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host);
}

const isPublicName = (host: string): boolean =>
  host.includes('.') && !/\.(?:localhost|local|internal|home\.arpa|lan)\.?$/i.test(host);

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  if (family === 4) return !closed.check(address, 'ipv4');
  // Of version 6 only one eighth is given out; what maps to version 4 lies outside of it.
  return global.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

const closed = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  closed.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  // Tunnels that carry addresses of version 4, and what is for documents.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  closed.addSubnet(network, prefix, 'ipv6');

const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');
