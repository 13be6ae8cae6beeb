import type { Server } from 'node:http';

/** Keeps count of the requests that are being answered. */
export function watchRequests(server: Server): { settled(graceMs: number): Promise<void> } {
  let open = 0;
  let whenNone: (() => void) | undefined;
  server.on('request', (_request, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
      if (open === 0) whenNone?.();
    });
  });
  return {
    /** Resolves when all are answered, at the latest after the grace. */
    settled(graceMs) {
      if (open === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        whenNone = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
