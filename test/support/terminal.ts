import { EventEmitter, once } from 'node:events';
import { resolve } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { patienceMs } from './patience.ts';

const program = resolve(import.meta.dirname, '../../src/cli/main.ts');

/** A person at a terminal: a real pseudo-terminal, and a screen that understands what is written to it. */
export interface Terminal {
  type(keys: string): void;
  /** As a terminal sends what is pasted, where the program asked for the marks. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves when these words were written, after those that were waited for before. */
  seen(words: string): Promise<void>;
  /** Resolves with what is on the screen, row by row, as soon as it is as wanted. */
  shows(wanted: string | ((rows: readonly string[]) => boolean)): Promise<readonly string[]>;
  /** What is on the screen, with all that has scrolled out of it. */
  all(): readonly string[];
  /** Where the cursor is, counted in the rows of `shows`. */
  cursor(): { readonly row: number; readonly column: number };
  /** All bytes that were written. */
  raw(): string;
  readonly exited: Promise<number>;
}

const running = new Set<IPty>();
const { FORCE_COLOR: _, ...withoutColours } = process.env;

export async function endTerminals(): Promise<void> {
  for (const pty of running) pty.kill('SIGKILL');
  running.clear();
}

export function openTerminal(
  args: readonly string[],
  options: {
    readonly dataDir: string;
    readonly columns?: number;
    readonly rows?: number;
    readonly env?: Readonly<Record<string, string>>;
  },
): Terminal {
  const { columns: cols = 80, rows = 24 } = options;
  const pty = spawn(process.execPath, [program, ...args], {
    name: 'xterm-256color',
    cols,
    rows,
    env: { ...withoutColours, BECKON_DATA_DIR: options.dataDir, NO_COLOR: '1', ...options.env },
  });
  running.add(pty);
  const screen = new xterm.Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true });
  const news = new EventEmitter().setMaxListeners(0);
  let raw = '';
  let from = 0;
  pty.onData((text) => {
    raw += text;
    screen.write(text, () => news.emit('drawn'));
  });
  const exited = new Promise<number>((end) => {
    pty.onExit(({ exitCode }) => {
      running.delete(pty);
      end(exitCode);
    });
  });
  const rowsFrom = (first: number): string[] =>
    Array.from({ length: screen.buffer.active.length - first }, (_, index) =>
      (screen.buffer.active.getLine(first + index)?.translateToString(true) ?? '').trimEnd(),
    );
  const visible = () => rowsFrom(screen.buffer.active.baseY);
  const until = async (isThere: () => boolean, told: () => string): Promise<void> => {
    const limit = AbortSignal.timeout(patienceMs);
    while (!isThere()) {
      await once(news, 'drawn', { signal: limit }).catch(() => {
        throw new Error(`${told()}\n${rowsFrom(0).join('\n')}`);
      });
    }
  };
  return {
    exited,
    raw: () => raw,
    all: () => rowsFrom(0),
    type: (keys) => pty.write(keys),
    paste: (text) => pty.write(`\u001b[200~${text}\u001b[201~`),
    resize(columns, height) {
      screen.resize(columns, height);
      pty.resize(columns, height);
    },
    cursor: () => ({ row: screen.buffer.active.cursorY, column: screen.buffer.active.cursorX }),
    async seen(words) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the movements of the cursor are no words
      const text = () => raw.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '');
      await until(
        () => text().indexOf(words, from) !== -1,
        () => `"${words}" did not come`,
      );
      from = text().indexOf(words, from) + words.length;
    },
    async shows(wanted) {
      const isThere = () =>
        typeof wanted === 'string' ? visible().join('\n').includes(wanted) : wanted(visible());
      await until(isThere, () => `the screen did not become as wanted: ${wanted}`);
      return visible();
    },
  };
}
