import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** What a raw log holds, by direction, without the headers and the gaps. */
export async function rawByDirection(log: Readable): Promise<Partial<Record<string, string>>> {
  const found: Partial<Record<string, string>> = {};
  let rest = await text(log.setEncoding('latin1'));
  while (rest !== '') {
    const [header, kind, bytes] = /^== (\w+) \S+ (\d+)\n/.exec(rest) ?? [];
    if (header === undefined || kind === undefined) throw new Error(`No header: ${rest.slice(0, 100)}`);
    const end = header.length + Number(bytes);
    if (kind === 'dropped') rest = rest.slice(header.length);
    else {
      found[kind] = (found[kind] ?? '') + rest.slice(header.length, end);
      rest = rest.slice(end + 1);
    }
  }
  return found;
}
