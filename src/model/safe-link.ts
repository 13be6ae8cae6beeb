export interface SafeLink {
  readonly href: string;
  /** Where it leads; empty for a mail address. */
  readonly host: string;
}

const followed: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** A link that may be followed; undefined for what would run something, or leads nowhere from here. */
export function safeLink(href: string): SafeLink | undefined {
  // Browsers leave these out before they look at the scheme: `java\nscript:` runs.
  const address = href.replace(/\p{Cc}/gu, '').trim();
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return followed.has(url.protocol) ? { href: url.href, host: url.host } : undefined;
}
