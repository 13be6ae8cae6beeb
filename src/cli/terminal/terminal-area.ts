import type { Console } from '../console.ts';
import { textWidth } from '../render/text-width.ts';
import { type KeyPress, KeyReader, pasteMarks } from './key-reader.ts';

/** The rows at the bottom of a terminal that are drawn anew while everything else scrolls up above them. */
export class TerminalArea {
  readonly #stdout: NodeJS.WriteStream;
  #drawn: readonly string[] = [];
  #row = 0;
  #column = 0;

  constructor(stdout: NodeJS.WriteStream) {
    this.#stdout = stdout;
  }

  get width(): number {
    return this.#stdout.columns || 80;
  }

  get height(): number {
    return this.#stdout.rows || 24;
  }

  /** Puts whole lines above the rows, and the rows anew, in one write: nothing in between can be seen. */
  draw(
    above: string,
    rows: readonly string[],
    cursor: { readonly row: number; readonly column: number },
  ): void {
    const up = rows.length - 1 - cursor.row;
    this.#stdout.write(
      [
        this.#erased(),
        above === '' || above.endsWith('\n') ? above : `${above}\n`,
        rows.join('\n'),
        up > 0 ? `\u001b[${up}A` : '',
        `\r${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}`,
      ].join(''),
    );
    this.#drawn = rows;
    this.#row = cursor.row;
    this.#column = cursor.column;
  }

  clear(): void {
    this.#stdout.write(this.#erased());
    this.#drawn = [];
    this.#row = 0;
    this.#column = 0;
  }

  /** The screen was wiped: there is nothing to erase. */
  forget(): void {
    this.#drawn = [];
    this.#row = 0;
    this.#column = 0;
  }

  /** From wherever the cursor is, up to the first row. A terminal that became narrower has broken the rows in two. */
  #erased(): string {
    if (this.#drawn.length === 0) return '';
    const rowsOf = (width: number): number => Math.max(1, Math.ceil(width / this.width));
    const above = this.#drawn.slice(0, this.#row).reduce((sum, row) => sum + rowsOf(textWidth(row)), 0);
    const up = above + Math.floor(this.#column / this.width);
    return `${up > 0 ? `\u001b[${up}A` : ''}\r\u001b[J`;
  }
}

/** A lone escape is a key only if nothing follows it so soon. */
const escapeMs = 50;

/** Tells every key until the returned function is called. The terminal is as it was before, then, and when the program ends. */
export function listenToKeys(
  { stdin, stdout }: Pick<Console, 'stdin' | 'stdout'>,
  onPress: (press: KeyPress) => void,
): () => void {
  const reader = new KeyReader();
  let alone: NodeJS.Timeout | undefined;
  let isOver = false;
  const tell = (presses: readonly KeyPress[]) => {
    for (const press of presses) if (!isOver) onPress(press);
  };
  const onData = (chunk: Buffer) => {
    clearTimeout(alone);
    tell(reader.push(chunk, performance.now()));
    if (reader.isWaiting) alone = setTimeout(() => tell(reader.flush()), escapeMs);
  };
  const restore = () => void stdout.write(pasteMarks.off);
  stdin.setRawMode(true);
  stdin.on('data', onData);
  stdin.resume();
  stdout.write(pasteMarks.on);
  process.once('exit', restore);
  return () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(alone);
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
    process.off('exit', restore);
    restore();
  };
}

/** As a shell expects it of Ctrl-Z; `resumed` is called when the program is brought back. */
export function suspend(resumed: () => void): void {
  process.once('SIGCONT', resumed);
  process.kill(process.pid, 'SIGTSTP');
}
