import { AsyncLocalStorage } from 'node:async_hooks';
import { type InspectOptions, inspect } from 'node:util';

/** Whose code runs: a tool's call, or a file while it is loaded. It follows timers and promises. */
const author = new AsyncLocalStorage<string>();

/** Runs code of a tool author, so that what it throws later, where nobody catches it, is known to be its own. */
export const asAuthor = <T>(name: string, code: () => T): T => author.run(name, code);

/**
 * The tool or file in whose code something came up, or undefined when it is the server's own. What the server does on behalf of a tool
 * counts as the tool's: ask only about what the server itself does not do, like an error that nobody caught. A forgotten `await` in a
 * tool must not end the agents of everyone.
 */
export const authorAtFault = (): string | undefined => author.getStore();

let isKept = false;

/**
 * What a tool's author writes with `console` goes where the log goes. Whoever starts the server reads from its stdout when and where it
 * can be reached, and must not find a tool's words there.
 */
export function keepAuthorsOffStdout(): void {
  if (isKept) return;
  isKept = true;
  for (const method of ['log', 'info', 'debug', 'dirxml'] as const) {
    const ours = console[method].bind(console);
    console[method] = (...words: unknown[]): void =>
      authorAtFault() === undefined ? ours(...words) : console.error(...words);
  }
  const ours = console.dir.bind(console);
  console.dir = (value: unknown, options?: InspectOptions): void =>
    authorAtFault() === undefined ? ours(value, options) : console.error(inspect(value, options));
}
