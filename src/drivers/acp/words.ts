import { isObject, textAt } from '../fields.ts';
import { RequestError } from './json-rpc.ts';

/** An error's details often say more than its message, which may be no more than "Internal error". */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details =
    error instanceof RequestError && isObject(error.data) ? textAt(error.data, 'details') : undefined;
  return details === undefined || error.message.includes(details)
    ? error.message
    : `${error.message}: ${details}`;
}
