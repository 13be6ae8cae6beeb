import { randomId } from './random-id.ts';
import { readStored, writeStored } from './stored.ts';

/** This browser's name for itself, also after a reload: the server notes it with every answer given here. */
export function browserId(): string {
  const known = readStored('browser');
  if (known !== null && /^[\w-]{8,64}$/.test(known)) return known;
  const made = randomId();
  writeStored('browser', made);
  return made;
}
