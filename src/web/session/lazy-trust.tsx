import { Suspense } from 'react';
import type { Session } from '../../protocol/session.ts';
import { lazyPart } from '../ui/lazy-part.tsx';

const Mark = lazyPart(async () => (await import('./trust.tsx')).TrustMark);
const Bar = lazyPart(async () => (await import('./trust.tsx')).TrustBar);

/** A time of trust, where there is one: seldom, so that it is fetched when it is first needed. */
export function TrustNote({ session, as }: { readonly session: Session; readonly as: 'mark' | 'bar' }) {
  const { trust } = session;
  if (trust === undefined) return null;
  return (
    <Suspense>{as === 'mark' ? <Mark trust={trust} /> : <Bar session={session} trust={trust} />}</Suspense>
  );
}
