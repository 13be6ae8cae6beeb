import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** Draws the app's icons, the same eye as in the page, and writes them where the page is built from. Run it after a change here. */
const folder = resolve(import.meta.dirname, '../src/web/public/icons');

type Colour = readonly [red: number, green: number, blue: number];
interface Drawing {
  readonly name: string;
  readonly size: number;
  /** Of the square's corners, as a part of its side; null where there is no square: systems tint what is left. */
  readonly corner: number | null;
  /** How large the eye is, as a part of the side. */
  readonly eye: number;
}

const ground: Colour = [0x15, 0x18, 0x1d];
const ink: Colour = [0xe8, 0xea, 0xed];

const drawings: readonly Drawing[] = [
  { name: 'app-192.png', size: 192, corner: 0.24, eye: 0.58 },
  { name: 'app-512.png', size: 512, corner: 0.24, eye: 0.58 },
  // Systems cut these to a shape of their own; a circle of four fifths is always left.
  { name: 'maskable-192.png', size: 192, corner: 0, eye: 0.48 },
  { name: 'maskable-512.png', size: 512, corner: 0, eye: 0.48 },
  { name: 'apple-180.png', size: 180, corner: 0, eye: 0.54 },
  { name: 'badge-96.png', size: 96, corner: null, eye: 0.86 },
];

await mkdir(folder, { recursive: true });
for (const drawing of drawings)
  await writeFile(join(folder, drawing.name), png(drawing.size, pixelsOf(drawing)));

/** Each pixel by how far it lies from the edges of the square, the ring and the pupil. */
function pixelsOf({ size, corner, eye }: Drawing): Buffer {
  const pixels = Buffer.alloc(size * size * 4);
  const middle = size / 2;
  const outer = (eye * size) / 2;
  const stroke = outer * 0.25;
  const pupil = outer * 0.34;
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const [dx, dy] = [x + 0.5 - middle, y + 0.5 - middle];
      const fromMiddle = Math.hypot(dx, dy);
      const onRing = covered(Math.abs(fromMiddle - (outer - stroke / 2)) - stroke / 2);
      const onEye = Math.max(onRing, covered(fromMiddle - pupil));
      const onSquare = corner === null ? 0 : covered(outsideSquare(dx, dy, middle, corner * size));
      const colour = corner === null ? ink : mixed(ground, ink, onEye);
      pixels.set([...colour, Math.round(255 * Math.max(onSquare, onEye))], (y * size + x) * 4);
    }
  }
  return pixels;
}

/** How much of a pixel is inside, by the distance of its middle from the edge. */
function covered(distance: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance));
}

function outsideSquare(dx: number, dy: number, half: number, corner: number): number {
  const x = Math.abs(dx) - half + corner;
  const y = Math.abs(dy) - half + corner;
  return Math.hypot(Math.max(x, 0), Math.max(y, 0)) + Math.min(Math.max(x, y), 0) - corner;
}

function mixed(from: Colour, to: Colour, part: number): number[] {
  return from.map((value, index) => Math.round(value + ((to[index] ?? 0) - value) * part));
}

/** Eight bits each of red, green, blue and opacity; no line is predicted from another. */
function png(size: number, pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const lines = Array.from({ length: size }, (_, y) =>
    Buffer.concat([Buffer.of(0), pixels.subarray(y * size * 4, (y + 1) * size * 4)]),
  );
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
