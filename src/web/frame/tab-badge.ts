import { useEffect } from 'react';
import { basePath } from '../data/base-path.ts';
import { useRoom } from '../data/room-context.tsx';

/** The tab's title and icon carry the count of what waits, and so does the app's icon, for those who look elsewhere. */
export function useTabBadge(): void {
  const count = useRoom((room) => room.pending.length);
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Beckon` : 'Beckon';
    document.querySelector('link[rel="icon"]')?.setAttribute('href', iconWith(count));
    // Only some browsers have one, and only for a page from this machine or over HTTPS.
    void navigator.setAppBadge?.(count).catch(() => {});
  }, [count]);
}

function iconWith(count: number): string {
  if (count === 0) return `${basePath}/favicon.svg`;
  const text = count > 9 ? '9+' : String(count);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#f0ac35"/><text x="16" y="23" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="${count > 9 ? 16 : 20}" fill="#1c1200">${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
