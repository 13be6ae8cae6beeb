import type { HttpTransport } from '../../client/http-transport.ts';
import type { Session } from '../../protocol/session.ts';
import type { Console } from '../console.ts';
import { sessionList } from '../render/listing.ts';
import { type Paint, paintFor } from '../render/paint.ts';
import { openFullScreen } from './full-screen.ts';
import { historyInMemory } from './history.ts';
import type { KeyPress } from './key-reader.ts';
import { LineEditor } from './line-editor.ts';
import { watchRoom } from './room-watch.ts';

/** Shows all sessions as they are, and resolves with the one that is chosen, or with nothing when the person leaves. */
export function chooseSession(transport: HttpTransport, console: Console): Promise<Session | undefined> {
  return new Promise((resolve, reject) => {
    const list = new SessionChoice(paintFor(console), () => screen.draw());
    const room = watchRoom(transport, {
      onChange() {
        list.update(room.sessions());
        screen.draw();
      },
      onFailure: (error) => end(() => reject(error)),
    });
    const screen = openFullScreen(console, {
      rows: (width, height) => (room.isConnected() ? list.rows(width, height) : ['Connecting …']),
      cursor: () => (room.isConnected() ? list.cursor : undefined),
      press(press) {
        const choice = list.press(press);
        if (choice === 'leave') end(() => resolve(undefined));
        else if (choice !== undefined) end(() => resolve(choice));
        else screen.draw();
      },
    });

    function end(settle: () => void): void {
      room.close();
      screen.close();
      settle();
    }
  });
}

/** A list that is narrowed by typing. What is chosen stays chosen, wherever it moves. */
class SessionChoice {
  readonly #paint: Paint;
  readonly #words: LineEditor;
  #sessions: readonly Session[] = [];
  #chosen: string | undefined;
  cursor = { row: 0, column: 0 };

  constructor(paint: Paint, redraw: () => void) {
    this.#paint = paint;
    this.#words = new LineEditor({ paint, redraw, history: historyInMemory() });
    this.#words.prompt = 'Sessions › ';
  }

  update(sessions: readonly Session[]): void {
    this.#sessions = sessions.filter(({ archived }) => archived !== true);
  }

  press(press: KeyPress): Session | 'leave' | undefined {
    const shown = this.#shown();
    const at = this.#at(shown);
    const key = press.type === 'key' ? press.key : '';
    switch (key) {
      case 'ArrowUp':
      case 'ArrowDown':
      case 'PageUp':
      case 'PageDown': {
        const step = (key.endsWith('Up') ? -1 : 1) * (key.startsWith('Page') ? 10 : 1);
        this.#chosen = shown[Math.max(0, Math.min(at + step, shown.length - 1))]?.id;
        return undefined;
      }
      case 'Enter':
        return shown[at];
    }
    const signal = this.#words.press(press);
    if (signal.is === 'leave' || signal.is === 'interrupt') return 'leave';
    if (signal.is === 'escape') {
      if (this.#words.text === '') return 'leave';
      this.#words.text = '';
    }
    return undefined;
  }

  rows(width: number, height: number): string[] {
    const shown = this.#shown();
    const at = this.#at(shown);
    this.#chosen ??= shown[at]?.id;
    const typed = this.#words.view(width, 1);
    this.cursor = { row: typed.row, column: typed.column };
    const most = Math.max(1, height - 3);
    const from = Math.max(0, Math.min(at - Math.floor(most / 2), shown.length - most));
    const lines = shown.length === 0 ? [] : sessionList(shown, Date.now(), this.#paint);
    const list = lines
      .slice(from, from + most)
      .map((line, index) => (from + index === at ? `${this.#paint('cyan', '❯')} ${line}` : `  ${line}`));
    const none = this.#sessions.length === 0 ? 'No sessions yet.' : 'No session has these words.';
    const keys = `${shown.length} of ${this.#sessions.length} · arrows move · typing narrows · Enter opens · Escape leaves`;
    return [...typed.rows, ...(list.length === 0 ? [`  ${none}`] : list), '', this.#paint('dim', keys)];
  }

  #at(shown: readonly Session[]): number {
    return Math.max(
      0,
      shown.findIndex(({ id }) => id === this.#chosen),
    );
  }

  #shown(): readonly Session[] {
    const words = this.#words.text.toLowerCase().split(/\s+/);
    return this.#sessions.filter(({ id, title, key, labels, cwd, agent, status }) => {
      const text = [id, title, key ?? '', ...labels, cwd, agent, status].join('\n').toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }
}
