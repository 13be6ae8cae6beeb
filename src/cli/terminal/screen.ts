import { createInterface, type Interface } from 'node:readline';
import type { Console } from '../console.ts';

/** Output and, when someone is there to type, lines of input; the two do not run into each other. */
export interface Screen {
  write(text: string): void;
  /** The words before the place to type. */
  setPrompt(prompt: string): void;
  close(): void;
}

export interface ScreenListener {
  /** What a line would be for if it were begun now. */
  purpose(): string | undefined;
  /** `purpose` is that of the moment in which the line was begun: things may have changed while it was typed. */
  onLine(line: string, purpose: string | undefined): void;
  onInterrupt(): void;
  /** The person has closed the input. A pipe that ended is no wish to leave. */
  onLeave(): void;
}

/** For output alone. */
export function plainScreen({ stdout }: Console): Screen {
  return { write: (text) => void (text !== '' && stdout.write(text)), setPrompt() {}, close() {} };
}

export function interactiveScreen(console: Console, listener: ScreenListener): Screen {
  const { stdin, stdout } = console;
  const isTerminal = Boolean(stdin.isTTY && stdout.isTTY);
  const lines = createInterface({ input: stdin, output: stdout, terminal: isTerminal, prompt: '› ' });
  let isAtLineStart = true;
  let isPromptShown = false;
  let heldBack = '';
  let begun: { readonly purpose: string | undefined } | undefined;
  lines.on('line', (line) => {
    isPromptShown = false;
    isAtLineStart = true;
    const { purpose } = begun ?? { purpose: listener.purpose() };
    begun = undefined;
    listener.onLine(line, purpose);
    if (isTerminal) release();
  });
  lines.on('SIGINT', () => listener.onInterrupt());
  lines.on('close', () => isTerminal && listener.onLeave());
  if (!isTerminal) {
    const interrupt = () => listener.onInterrupt();
    process.on('SIGINT', interrupt);
    const close = () => {
      process.off('SIGINT', interrupt);
      lines.close();
      stdin.unref?.();
    };
    return { ...plainScreen(console), close };
  }

  stdin.on('keypress', noticeTyping);
  return {
    write(text) {
      heldBack += text;
      release();
    },
    setPrompt(prompt) {
      eraseInput();
      lines.setPrompt(prompt);
      showPrompt();
    },
    close() {
      stdin.off('keypress', noticeTyping);
      eraseInput();
      lines.close();
    },
  };

  /** While someone types, only whole lines are written, above what was typed. */
  function release(): void {
    const ready = isTyping(lines) ? heldBack.slice(0, heldBack.lastIndexOf('\n') + 1) : heldBack;
    if (ready !== '') {
      heldBack = heldBack.slice(ready.length);
      eraseInput();
      stdout.write(ready);
      isAtLineStart = ready.endsWith('\n');
    }
    showPrompt();
  }

  /** Text that streams leaves no place for the prompt; it comes back with the next line's start. */
  function showPrompt(): void {
    if (!isAtLineStart || isPromptShown) return;
    lines.prompt(true);
    isPromptShown = true;
  }

  function eraseInput(): void {
    if (!isPromptShown) return;
    const { rows } = lines.getCursorPos();
    if (rows > 0) stdout.moveCursor(0, -rows);
    stdout.cursorTo(0);
    stdout.clearScreenDown();
    isPromptShown = false;
  }

  function noticeTyping(): void {
    begun = isTyping(lines) ? (begun ?? { purpose: listener.purpose() }) : undefined;
    if (isPromptShown || !isTyping(lines)) return;
    // The first key pressed in the middle of a streamed line was echoed there: it moves to a line of its own.
    stdout.write('\b\u001b[K\n');
    isAtLineStart = true;
    showPrompt();
  }
}

const isTyping = (lines: Interface): boolean => lines.line !== '';
