import type { Language } from './language.logic.ts';
import type { HighlightReply, HighlightRequest, Line } from './pieces.ts';

/** Longer code is shown as it is. */
const longestCode = 60_000;
const mostRemembered = 400;

const remembered = new Map<string, readonly Line[] | null>();
const asked = new Map<number, (lines: readonly Line[] | null) => void>();
let worker: Worker | null | undefined;
let lastId = 0;

/** What is known of this code already, without asking; undefined if it has to be asked for. */
export const known = (code: string, language: Language): readonly Line[] | null | undefined =>
  code.length > longestCode ? null : remembered.get(nameOf(code, language));

/** The code in pieces; null when it cannot be taken apart. `isPassing` code will soon be longer, and is not remembered. */
export async function highlight(
  code: string,
  language: Language,
  isPassing: boolean,
): Promise<readonly Line[] | null> {
  const before = known(code, language);
  if (before !== undefined) return before;
  const lines = await ask(code, language);
  if (!isPassing) remember(nameOf(code, language), lines);
  return lines;
}

function ask(code: string, language: Language): Promise<readonly Line[] | null> {
  worker ??= start();
  if (worker === null) return Promise.resolve(null);
  lastId += 1;
  const request: HighlightRequest = { id: lastId, code, language };
  const { promise, resolve } = Promise.withResolvers<readonly Line[] | null>();
  asked.set(request.id, resolve);
  worker.postMessage(request);
  return promise;
}

function start(): Worker | null {
  if (typeof Worker === 'undefined') return null;
  const started = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'highlight' });
  started.addEventListener('message', ({ data: { id, lines } }: MessageEvent<HighlightReply>) => {
    asked.get(id)?.(lines);
    asked.delete(id);
  });
  started.addEventListener('error', () => {
    // It could not be loaded: code stays as it is.
    worker = null;
    for (const resolve of asked.values()) resolve(null);
    asked.clear();
  });
  return started;
}

const nameOf = (code: string, language: Language): string => `${language}\n${code}`;

function remember(name: string, lines: readonly Line[] | null): void {
  remembered.set(name, lines);
  const [oldest] = remembered.keys();
  if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
}
