import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter, type LineSplitterOptions, type OverlongLine } from '../../src/drivers/lines.ts';
import { processorTime } from '../support/processor-time.ts';

interface Cut {
  lines: string[];
  offsets: number[];
  overlong: OverlongLine[];
}

function cut(chunks: readonly Buffer[], options: Partial<LineSplitterOptions> = {}): Cut {
  const result: Cut = { lines: [], offsets: [], overlong: [] };
  const splitter = new LineSplitter({
    onLine: (line, endOffset) => {
      result.lines.push(line);
      result.offsets.push(endOffset);
    },
    onOverlong: (line) => result.overlong.push(line),
    ...options,
  });
  for (const chunk of chunks) splitter.feed(chunk);
  splitter.end();
  return result;
}

function chop(bytes: Buffer, places: readonly number[]): Buffer[] {
  const borders = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
}

const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('\n'), fc.constant('\r\n'), fc.constant('€')))
    .map((parts) => Buffer.from(parts.join(''))),
);

test('[PEER4] however the bytes are chopped, the lines and their offsets are the same', () => {
  fc.assert(
    fc.property(someBytes, fc.array(fc.nat(), { maxLength: 20 }), (bytes, places) => {
      expect(cut(chop(bytes, places))).toEqual(cut([bytes]));
    }),
  );
});

test('[PEER4] the lines are those between newlines, without a carriage return at their end', () => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      const expected = bytes.toString('latin1').split('\n');
      if (expected.at(-1) === '') expected.pop();
      const lines = expected.map((line) => Buffer.from(line.replace(/\r$/, ''), 'latin1').toString('utf8'));
      expect(cut([bytes]).lines).toEqual(lines);
    }),
  );
});

test('[PEER4] over-long lines are the same however the bytes are chopped', () => {
  fc.assert(
    fc.property(
      someBytes,
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.integer({ min: 0, max: 30 }),
      (bytes, places, max) => {
        const options = { maxLineBytes: max };
        expect(cut(chop(bytes, places), options)).toEqual(cut([bytes], options));
      },
    ),
  );
});

test('[PEER4] a character torn by a chunk border is whole', () => {
  const bytes = Buffer.from('{"text":"naïve 🎉"}\n');
  const single = [...bytes].map((byte) => Buffer.from([byte]));
  expect(cut(single).lines).toEqual(['{"text":"naïve 🎉"}']);
});

test('[PEER4] a last line without a newline is given at the end', () => {
  expect(cut([Buffer.from('one\r\ntwo')]).lines).toEqual(['one', 'two']);
});

test('[PEER4] a line of 32 MB in small chunks is whole, and takes no quadratic time', () => {
  const size = 32 * 1024 * 1024;
  const chunk = Buffer.alloc(16 * 1024, 'é');
  const chunks = Array.from({ length: size / chunk.length }, () => chunk);
  const took = processorTime(() => {
    const { lines, overlong } = cut([...chunks, Buffer.from('\nnext\n')]);
    expect(overlong).toEqual([]);
    expect(lines.map((line) => line.length)).toEqual([size / 2, 4]);
  });
  expect(took).toBeLessThan(3_000);
});

test('[PEER4] a longer line is skipped to its end and reported with its length and beginning', () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const chunks = Array.from({ length: 33 }, () => chunk);
  const { lines, overlong, offsets } = cut([Buffer.from('a\nhead'), ...chunks, Buffer.from('tail\nb\n')]);
  const bytes = 33 * 1024 * 1024 + 8;
  expect(lines).toEqual(['a', 'b']);
  expect(overlong.map((line) => line.bytes)).toEqual([bytes]);
  expect(overlong[0]?.head.toString()).toMatch(/^headx{252}$/);
  expect(offsets).toEqual([2, bytes + 5]);
});

test('[PEER8] once stopped, not even the rest of the chunk is given out', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter({
    onLine(line) {
      lines.push(line);
      splitter.stop();
    },
  });
  splitter.feed(Buffer.from('one\ntwo\nthree'));
  splitter.feed(Buffer.from('\nfour\n'));
  splitter.end();
  expect(lines).toEqual(['one']);
});
