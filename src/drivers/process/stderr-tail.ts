import { LineSplitter } from '../lines.ts';

const keptLines = 50;
const keptLineBytes = 4_096;

/** The last lines a process wrote to stderr; what it takes in memory is bounded. */
export class StderrTail {
  readonly #lines: string[] = [];
  readonly #splitter = new LineSplitter({
    maxLineBytes: keptLineBytes,
    onLine: (line) => this.#add(line),
    onOverlong: ({ head, bytes }) => this.#add(`${head.toString('utf8')}… (${bytes} bytes)`),
  });

  /** What was written before there was anyone to listen. */
  begin(lines: readonly string[]): void {
    this.#lines.push(...lines);
  }

  feed(chunk: Buffer): void {
    this.#splitter.feed(chunk);
  }

  end(): void {
    this.#splitter.end();
  }

  lines(): readonly string[] {
    return [...this.#lines];
  }

  #add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > keptLines) this.#lines.shift();
  }
}
