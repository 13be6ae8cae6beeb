import { Writable } from 'node:stream';
import { writeFrame } from '../../../src/drivers/keeper/frames.ts';

/** A frame as it goes over the socket. */
export function frameBytes(head: object, body?: Buffer): Buffer {
  const parts: Buffer[] = [];
  const keep = (chunk: Buffer) => parts.push(chunk);
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      keep(chunk);
      done();
    },
    writev(chunks, done) {
      for (const { chunk } of chunks) keep(chunk);
      done();
    },
  });
  writeFrame(sink, head, body);
  return Buffer.concat(parts);
}
