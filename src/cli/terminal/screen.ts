import { createInterface } from 'node:readline';
import type { Console } from '../console.ts';
import { type Paint, plain } from '../render/paint.ts';
import { fitting } from '../render/text-width.ts';
import { type History, historyInMemory } from './history.ts';
import type { KeyPress } from './key-reader.ts';
import { type Completer, LineEditor } from './line-editor.ts';
import { listenToKeys, suspend, TerminalArea } from './terminal-area.ts';

/** Output and, when someone is there to type, lines of input; the two do not run into each other. */
export interface Screen {
  /** `live` is what is still being said, shown under all that was written until the next one takes its place; only at a terminal. */
  write(text: string, live?: string): void;
  /** Something that the prompt depends on has changed. */
  update(): void;
  close(): void;
}

export interface ScreenListener {
  /** What a line would be for if it were begun now. */
  purpose(): string | undefined;
  /** The words before the place to type, for a line of this purpose, and whether what is typed there is to be hidden. */
  promptFor?(purpose: string | undefined): { readonly prompt: string; readonly isSecret?: boolean };
  /**
   * `purpose` is that of the moment in which the line was begun: things may have changed while it was typed. A line that is "dropped"
   * can be put back by Ctrl-Y.
   */
  onLine(line: string, purpose: string | undefined): 'taken' | 'dropped';
  onInterrupt(): void;
  /** The person has closed the input. A pipe that ended is no wish to leave. */
  onLeave(): void;
  /** Escape was pressed where nothing is typed. */
  onEscape?(): void;
}

export interface TypingOptions {
  readonly paint?: Paint;
  readonly history?: History | undefined;
  readonly complete?: Completer | undefined;
  readonly isOneLine?: boolean;
}

/** For output alone. */
export function plainScreen({ stdout }: Console): Screen {
  return {
    write: (text) => void (text !== '' && stdout.write(text)),
    update() {},
    close() {},
  };
}

export const isTerminal = ({ stdin, stdout }: Console): boolean => Boolean(stdin.isTTY && stdout.isTTY);

export function interactiveScreen(
  console: Console,
  listener: ScreenListener,
  options: TypingOptions = {},
): Screen {
  return isTerminal(console) ? typedScreen(console, listener, options) : pipedScreen(console, listener);
}

/** Lines from a pipe, as they are. */
function pipedScreen(console: Console, listener: ScreenListener): Screen {
  const { stdin } = console;
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on('line', (line) => void listener.onLine(line, listener.purpose()));
  const interrupt = () => listener.onInterrupt();
  process.on('SIGINT', interrupt);
  return {
    ...plainScreen(console),
    close() {
      process.off('SIGINT', interrupt);
      lines.close();
      stdin.unref?.();
    },
  };
}

function typedScreen(
  console: Console,
  listener: ScreenListener,
  { paint = plain, history = historyInMemory(), complete, isOneLine }: TypingOptions,
): Screen {
  const { stdout } = console;
  const area = new TerminalArea(stdout);
  const editor = new LineEditor({ paint, history, complete, isOneLine, redraw: () => draw() });
  let live: readonly string[] = [];
  /** The purpose of the line that is being typed. */
  let begun: { readonly purpose: string | undefined } | undefined;
  let isClosed = false;
  let stopListening = listenToKeys(console, press);
  stdout.on('resize', redraw);
  draw();

  return {
    write(text, now) {
      const before = live;
      if (now !== undefined) live = now === '' ? [] : now.split('\n');
      if (text !== '' || live.join('\n') !== before.join('\n')) draw(text);
    },
    update: () => draw(),
    close() {
      if (isClosed) return;
      stdout.off('resize', redraw);
      area.clear();
      isClosed = true;
      stopListening();
    },
  };

  function press(key: KeyPress): void {
    const signal = editor.press(key);
    if (editor.text === '') begun = undefined;
    else begun ??= { purpose: listener.purpose() };
    switch (signal.is) {
      case 'nothing':
        break;
      case 'changed':
        draw();
        break;
      case 'submit':
        submit(signal.text);
        break;
      case 'interrupt':
        listener.onInterrupt();
        break;
      case 'leave':
        listener.onLeave();
        break;
      case 'escape':
        if (editor.text === '') listener.onEscape?.();
        break;
      case 'clear-screen':
        stdout.write('\u001b[2J\u001b[H');
        area.forget();
        draw();
        break;
      case 'suspend':
        sleep();
        break;
    }
  }

  function submit(text: string): void {
    const { purpose } = begun ?? { purpose: listener.purpose() };
    const { rows } = typedRows(Number.POSITIVE_INFINITY);
    begun = undefined;
    editor.text = '';
    draw(`${rows.join('\n')}\n`);
    const isSecret = editor.isSecret;
    if (listener.onLine(text, purpose) === 'dropped' && !isSecret) editor.keepAside(text);
  }

  function sleep(): void {
    area.clear();
    stopListening();
    suspend(() => {
      stopListening = listenToKeys(console, press);
      draw();
    });
  }

  function redraw(): void {
    draw();
  }

  function draw(above = ''): void {
    if (isClosed) return;
    const typed = typedRows(Math.max(3, area.height - 4));
    // What is being said scrolls through what room is left; whole, it comes when it is said.
    const room = Math.max(0, area.height - typed.rows.length - 1);
    const shown = room === 0 ? [] : live.slice(-room).map((row) => fitting(row, area.width - 1));
    area.draw(above, [...shown, ...typed.rows], { row: shown.length + typed.row, column: typed.column });
  }

  function typedRows(height: number) {
    const purpose = begun === undefined ? listener.purpose() : begun.purpose;
    const { prompt, isSecret = false } = listener.promptFor?.(purpose) ?? { prompt: '› ' };
    editor.prompt = prompt;
    editor.isSecret = isSecret;
    return editor.view(area.width, height);
  }
}

export interface LineWish extends TypingOptions {
  readonly prompt: string;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/** One line that a person types at a terminal; undefined if they leave instead. */
export async function readLine(console: Console, wish: LineWish): Promise<string | undefined> {
  let line: string | undefined;
  const take = (typed: string): boolean => {
    line = typed;
    return true;
  };
  return (await readLines(console, { ...wish, prompt: () => wish.prompt, take })) ? line : undefined;
}

export interface LinesWish extends Omit<LineWish, 'prompt'> {
  /** The words before the next line. */
  prompt(): string;
  /** Whether this was the last line. */
  take(line: string): boolean;
}

/** Lines that a person types one after the other: what is typed ahead is for the next one. False if they leave instead. */
export function readLines(
  console: Console,
  { prompt, take, signal, ...options }: LinesWish,
): Promise<boolean> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = (isDone: boolean): void => {
      isOver = true;
      // What was typed stays on the screen: the line is written before the place to type goes.
      queueMicrotask(() => {
        screen.close();
        resolve(isDone);
      });
    };
    const screen = interactiveScreen(
      console,
      {
        purpose: () => undefined,
        promptFor: () => ({ prompt: prompt() }),
        onLine(line) {
          if (!isOver && take(line)) end(true);
          else screen.update();
          return 'taken';
        },
        onInterrupt: () => end(false),
        onLeave: () => end(false),
      },
      { ...options, isOneLine: true },
    );
    if (signal?.aborted) end(false);
    else signal?.addEventListener('abort', () => end(false), { once: true });
  });
}
