import type { IncomingMessage } from 'node:http';

/** Where people reach the server from elsewhere: the address of a proxy in front of it. */
export interface PublicUrl {
  /** Without a slash at its end. */
  readonly url: string;
  readonly origin: string;
  /** With the port, also where it is the scheme's own. */
  readonly host: string;
  /** Empty at the root. */
  readonly path: string;
}

/** First parts of paths that the server itself has: below them nobody could tell its own addresses from those of the proxy. */
const ownPaths = ['api', 'assets', 'mcp'];

/** What a person wrote as the address, or why it cannot be one. */
export function parsePublicUrl(text: string): PublicUrl | { readonly problem: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return { problem: 'it is no address such as https://beckon.example.org' };
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text))
    return { problem: 'it must have nothing but a scheme, a host and a path' };
  const path = url.pathname.replace(/\/+$/, '');
  const [, first = ''] = path.split('/');
  if (!/^(\/[\w.~-]+)*$/.test(path)) return { problem: `its path "${path}" must be like "/beckon"` };
  if (ownPaths.includes(first)) return { problem: `its path must not begin with "/${first}"` };
  const { origin, hostname, port } = url;
  const host = `${hostname}:${port || (url.protocol === 'https:' ? 443 : 80)}`;
  return { url: `${origin}${path}`, origin, host, path };
}

/** Whether a Host header names the public address. Browsers leave the port out where it is the scheme's own. */
export const isPublicHost = ({ origin, host }: PublicUrl, given: string | undefined): boolean =>
  given !== undefined && [host, new URL(origin).host].includes(given.toLowerCase());

/** Under which path the page that sent a request, or is to be sent, has its files and its cookie, and whether over https. */
export interface Place {
  readonly path: string;
  readonly isHttps: boolean;
}

/**
 * Tells where a request came in. That a proxy stands in between is known from the configuration alone: by the path it was sent to,
 * or by its Host. Headers in which proxies tell of themselves (Forwarded, X-Forwarded-…) are not read, for anyone can send them.
 */
export class Places {
  readonly #mount: string;
  readonly #publicUrl: PublicUrl | undefined;
  readonly #below = new WeakSet<IncomingMessage>();

  /** `mount` is the path under which a server of somebody else's has this one; empty at the root. */
  constructor(mount: string, publicUrl: PublicUrl | undefined) {
    this.#mount = mount;
    this.#publicUrl = publicUrl;
  }

  /** Makes the address what this server knows it as: proxies take the public path off, or leave it. */
  rewrite(request: IncomingMessage): void {
    const { path = '' } = this.#publicUrl ?? {};
    const below = path === '' ? undefined : addressBelow(path, request.url ?? '/');
    if (below === undefined) return;
    this.#below.add(request);
    request.url = below;
  }

  of(request: IncomingMessage): Place {
    const { headers } = request;
    // Only a page that was loaded over https has such an origin.
    const isHttps = headers.origin?.startsWith('https://') ?? false;
    const isPublic =
      this.#publicUrl && (this.#below.has(request) || isPublicHost(this.#publicUrl, headers.host));
    if (!isPublic || this.#publicUrl === undefined) return { path: this.#mount, isHttps };
    return { path: this.#publicUrl.path, isHttps: isHttps || this.#publicUrl.url.startsWith('https://') };
  }
}

/** An address without the path in front of it; undefined where it does not lie below that. */
export function addressBelow(path: string, address: string): string | undefined {
  if (!address.startsWith(path)) return undefined;
  const below = address.slice(path.length);
  if (below.startsWith('/')) return below;
  return below === '' || /^[?#]/.test(below) ? `/${below}` : undefined;
}
