import { Failure } from '../failure.ts';

/** A file in an archive. Links, devices and other kinds are neither written nor taken. */
export interface TarEntry {
  /** With slashes, relative. */
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly modifiedAt: Date;
}

const block = 512;

/** The bytes in front of a file's content, in the format that POSIX calls ustar. */
export function tarHeader({ path, size, mode, modifiedAt }: TarEntry): Buffer {
  const header = Buffer.alloc(block);
  const { name, prefix } = splitPath(path);
  header.write(name, 0);
  header.write(octal(mode & 0o777, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  writeSize(header, size);
  header.write(octal(Math.floor(modifiedAt.getTime() / 1000), 12), 136);
  header.write('0', 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  header.write(prefix, 345);
  header.write(octal(checksum(header), 7), 148);
  header.write(' ', 155);
  return header;
}

/** What stands behind a content of this size, so that the next header begins at a block. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);

export const tarEnd = Buffer.alloc(2 * block);

/** A file of an archive that is being read; its content is to be read to its end before the next is asked for. */
export interface TarFile extends TarEntry {
  readonly content: AsyncIterable<Buffer>;
}

/** Reads an archive as it comes, from a file or a pipe. Throws `Failure` where it is cut short, or no archive. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const bytes = new ByteReader(source);
  for (;;) {
    const header = await bytes.exactly(block);
    if (header.every((byte) => byte === 0)) return;
    const entry = entryOf(header);
    yield { ...entry, content: bytes.some(entry.size) };
    await bytes.exactly(tarPadding(entry.size).length);
  }
}

function entryOf(header: Buffer): TarEntry {
  const isWhole = Number.parseInt(text(header, 148, 8), 8) === checksum(header);
  if (!isWhole || text(header, 257, 6) !== 'ustar') throw new Failure('this is no archive');
  const kind = text(header, 156, 1);
  const prefix = text(header, 345, 155);
  const path = `${prefix === '' ? '' : `${prefix}/`}${text(header, 0, 100)}`;
  if (kind !== '0' && kind !== '') throw new Failure(`"${path}" in the archive is no plain file`);
  return {
    path,
    size: readSize(header),
    mode: Number.parseInt(text(header, 100, 8), 8) || 0,
    modifiedAt: new Date(Number.parseInt(text(header, 136, 12), 8) * 1000 || 0),
  };
}

/** A path of more than 100 bytes is put into two fields, parted at a slash. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { name, prefix };
  }
  throw new Failure(`the name "${path}" is too long for an archive`);
}

/** Eleven octal digits end at 8 GB; from there on the bytes of the number are written, marked by the first bit. */
function writeSize(header: Buffer, size: number): void {
  if (size < 8 ** 11) {
    header.write(octal(size, 12), 124);
    return;
  }
  header.writeUInt8(0x80, 124);
  header.writeBigUInt64BE(BigInt(size), 128);
}

function readSize(header: Buffer): number {
  const size =
    header.readUInt8(124) === 0x80
      ? Number(header.readBigUInt64BE(128))
      : Number.parseInt(text(header, 124, 12), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Failure('this is no archive');
  return size;
}

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

/** Of all bytes, with those of the sum itself taken as spaces. */
const checksum = (header: Buffer): number =>
  header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);

const text = (header: Buffer, from: number, length: number): string =>
  header
    .toString('utf8', from, from + length)
    .split('\0', 1)[0]
    ?.trim() ?? '';

/** Hands out bytes of a stream in the pieces that are asked for. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async exactly(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.some(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async *some(count: number): AsyncGenerator<Buffer> {
    let left = count;
    while (left > 0) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) throw new Failure('the archive is cut short');
        this.#rest = value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
}
