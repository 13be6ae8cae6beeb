import type { Console } from '../console.ts';
import { fitting } from '../render/text-width.ts';
import type { KeyPress } from './key-reader.ts';
import { listenToKeys, suspend } from './terminal-area.ts';

/** The whole terminal, drawn anew at every change; what was on it before comes back at the end. */
export interface FullScreen {
  draw(): void;
  close(): void;
}

export interface FullScreenView {
  /** At most `height` rows; what is wider than `width` is cut. */
  rows(width: number, height: number): readonly string[];
  /** Where a person types, in these rows; undefined where they only press keys. */
  cursor?(): { readonly row: number; readonly column: number } | undefined;
  press(press: KeyPress): void;
}

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';

export function openFullScreen(console: Console, view: FullScreenView): FullScreen {
  const { stdout } = console;
  let isOpen = false;
  let stopListening = () => {};
  const restore = () => void stdout.write(leave);
  open();
  stdout.on('resize', draw);
  return { draw, close };

  function open(): void {
    isOpen = true;
    stdout.write(enter);
    process.once('exit', restore);
    stopListening = listenToKeys(console, press);
    draw();
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    stdout.off('resize', draw);
    stopListening();
    process.off('exit', restore);
    restore();
  }

  function press(key: KeyPress): void {
    if (key.type === 'key' && key.key === 'Ctrl+Z') {
      close();
      suspend(() => {
        stdout.on('resize', draw);
        open();
      });
    } else if (key.type === 'key' && key.key === 'Ctrl+L') {
      stdout.write('\u001b[2J');
      draw();
    } else view.press(key);
  }

  function draw(): void {
    if (!isOpen) return;
    const [width, height] = [stdout.columns || 80, stdout.rows || 24];
    const rows = view.rows(width, height).slice(0, height);
    const cursor = view.cursor?.();
    stdout.write(
      [
        '\u001b[?25l\u001b[H',
        rows.map((row) => `${fitting(row, width - 1)}\u001b[K`).join('\r\n'),
        '\u001b[J',
        cursor === undefined ? '' : `\u001b[${cursor.row + 1};${cursor.column + 1}H\u001b[?25h`,
      ].join(''),
    );
  }
}
