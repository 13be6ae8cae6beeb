import { type InspectOptions, inspect } from 'node:util';
import { authorAtFault } from './fault.ts';

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
