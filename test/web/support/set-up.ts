import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach } from 'vitest';

/** What a browser has and this document lacks: everything counts as being on the screen. */
class AlwaysOnScreen implements IntersectionObserver {
  readonly root = null;
  readonly rootMargin = '0px';
  readonly scrollMargin = '0px';
  readonly thresholds = [0];
  readonly #tell: IntersectionObserverCallback;

  constructor(tell: IntersectionObserverCallback) {
    this.#tell = tell;
  }
  observe(target: Element): void {
    const entry = { isIntersecting: true, target } as unknown as IntersectionObserverEntry;
    this.#tell([entry], this);
  }
  unobserve(): void {}
  disconnect(): void {}
  takeRecords(): IntersectionObserverEntry[] {
    return [];
  }
}

// On a machine that others use, too, a second is soon over.
configure({ asyncUtilTimeout: 10_000 });

beforeEach(() => {
  globalThis.IntersectionObserver = AlwaysOnScreen;
  // There is no server unless a test stands in for one.
  globalThis.fetch = () => Promise.reject(new TypeError('There is no server.'));
  localStorage.clear();
  history.replaceState(null, '', '/');
});
afterEach(cleanup);
