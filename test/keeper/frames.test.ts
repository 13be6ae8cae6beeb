import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Frame, FrameReader } from '../../src/drivers/keeper/frames.ts';
import { readToKeeper } from '../../src/drivers/keeper/wire.ts';
import { frameBytes } from './support/frame-bytes.ts';

function framesIn(chunks: readonly Buffer[], trusted = true): Frame[] {
  const frames: Frame[] = [];
  const reader = new FrameReader((frame) => frames.push(frame), { trusted });
  for (const chunk of chunks) reader.feed(chunk);
  return frames;
}

test('frames are read as they were written, wherever the stream is cut', () => {
  const frame = fc.record({
    head: fc.dictionary(fc.string(), fc.string()),
    body: fc.uint8Array({ maxLength: 300 }),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 10 }), fc.array(fc.nat(2_000)), (frames, cuts) => {
      const stream = Buffer.concat(frames.map(({ head, body }) => frameBytes(head, Buffer.from(body))));
      const places = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
      const chunks = places.slice(1).map((to, index) => stream.subarray(places[index], to));
      const read = framesIn(chunks.filter(({ length }) => length > 0));
      expect(read.map(({ head, body }) => ({ head: { ...head }, body: [...body] }))).toEqual(
        frames.map(({ head, body }) => ({ head: { ...head }, body: [...body] })),
      );
    }),
  );
});

test('what is no frame is refused before memory is given to it', () => {
  expect(() => framesIn([Buffer.from('GET / HTTP/1.1\r\n\r\n')])).toThrow('too large');
  expect(() => framesIn([Buffer.from([0, 0, 0, 2, 0, 0, 0, 0, 91, 93])])).toThrow('no object');
  expect(() => framesIn([Buffer.from([0, 0, 0, 2, 0, 0, 0, 0, 120, 121])])).toThrow();
});

test('a stranger is not given room for a large frame', () => {
  const large = frameBytes({ t: 'hello' }, Buffer.alloc(100_000));
  expect(() => framesIn([large], false)).toThrow('too large');
  expect(framesIn([large])).toHaveLength(1);
});

test('messages of a later version are passed over, and broken ones refused', () => {
  expect(readToKeeper({ t: 'dance', id: 1 })).toBeUndefined();
  expect(readToKeeper({ t: 'constructor' })).toBeUndefined();
  expect(readToKeeper({ t: 'stored', id: 'a', offset: 3, later: true })).toMatchObject({ offset: 3 });
  expect(() => readToKeeper({ t: 'stored', id: 'a', offset: '3' })).toThrow('offset');
  expect(() => readToKeeper({ id: 'a' })).toThrow('no type');
});
