import { AsyncLocalStorage } from 'node:async_hooks';

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
