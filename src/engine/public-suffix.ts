import type { IsPublicSuffix } from '../model/grant-advice.ts';

/** Read when it is first needed: the list is long, and a start need not wait for it. */
export async function publicSuffixes(): Promise<IsPublicSuffix> {
  const { getPublicSuffix } = await import('tldts');
  return (domain) => getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}
