export interface FrameBatch<T> {
  push(item: T): void;
  close(): void;
}

/** Gathers what comes within one frame of the screen; in a hidden tab, which draws none, within a moment. */
export function createFrameBatch<T>(apply: (items: readonly T[]) => void): FrameBatch<T> {
  let items: T[] = [];
  let cancel: (() => void) | undefined;

  const flush = (): void => {
    cancel = undefined;
    const now = items;
    items = [];
    if (now.length > 0) apply(now);
  };

  return {
    push(item) {
      items.push(item);
      cancel ??= schedule(flush);
    },
    close() {
      cancel?.();
      items = [];
    },
  };
}

const hiddenMs = 250;

function schedule(flush: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(flush, hiddenMs);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(run);
  // A tab that is hidden between now and the next frame would otherwise keep what came until it is shown again.
  const timer = setTimeout(run, hiddenMs);
  const cancel = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  return cancel;

  function run(): void {
    cancel();
    flush();
  }
}
