import type { Paint } from '../render/paint.ts';
import { oneLine, stripEscapes } from '../render/safe-text.ts';
import { fitting, textWidth } from '../render/text-width.ts';
import {
  type Edit,
  type Editing,
  type EditWord,
  edit,
  emptyEditing,
  layOut,
  rowBeside,
} from './edit-text.ts';
import type { History } from './history.ts';
import type { KeyPress } from './key-reader.ts';

/** What may stand in the text from `from` up to the cursor. */
export interface Completion {
  readonly from: number;
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  readonly text: string;
  readonly hint?: string | undefined;
}

export type Completer = (text: string, at: number) => Promise<Completion | undefined>;

/** What a key press means beyond the text itself. */
export type EditorSignal =
  | { readonly is: 'nothing' }
  | { readonly is: 'changed' }
  | { readonly is: 'submit'; readonly text: string }
  | { readonly is: 'interrupt' | 'leave' | 'escape' | 'clear-screen' | 'suspend' };

export interface LineEditorOptions {
  readonly paint: Paint;
  readonly history: History;
  readonly complete?: Completer | undefined;
  /** A line feed submits, too: what was typed before the terminal was ours came with its returns made into line feeds. */
  readonly isOneLine?: boolean | undefined;
  /** Something came later and is to be drawn: candidates. */
  readonly redraw: () => void;
}

export interface EditorView {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

interface Candidates extends Completion {
  /** What was typed of it, to go back to. */
  readonly typed: Editing;
  readonly chosen: number;
}

const mostCandidates = 8;

/** The text that a person types, with its history and what can be completed in it. It draws nothing by itself. */
export class LineEditor {
  readonly #options: LineEditorOptions;
  #editing = emptyEditing;
  #candidates: Candidates | undefined;
  /** How far back in the history, and what was typed before. */
  #past: { readonly at: number; readonly typed: string } | undefined;
  #column: number | undefined;
  #width = 80;
  prompt = '› ';
  isSecret = false;

  constructor(options: LineEditorOptions) {
    this.#options = options;
  }

  get text(): string {
    return this.#editing.text;
  }

  set text(text: string) {
    this.#editing = { ...emptyEditing, cut: this.#editing.cut, text, at: text.length };
    this.#candidates = undefined;
    this.#past = undefined;
  }

  /** As if it had been cut: it can be put back. */
  keepAside(text: string): void {
    this.#editing = { ...this.#editing, cut: text };
  }

  press(press: KeyPress): EditorSignal {
    const column = this.#column;
    this.#column = undefined;
    if (press.type === 'key' && (press.key === 'Tab' || press.key === 'Shift+Tab')) {
      return this.#complete(press.key === 'Tab' ? 1 : -1);
    }
    const candidates = this.#candidates;
    this.#candidates = undefined;
    switch (press.type) {
      case 'text':
        return this.#edit({ do: 'type', text: press.text });
      case 'paste':
        return this.#edit({ do: 'put', text: press.text });
      case 'key':
        return this.#key(press.key, candidates, column);
    }
  }

  /** As rows of at most this width; of more than `height`, those around the cursor. */
  view(width: number, height: number): EditorView {
    this.#width = width;
    const { rows, row, column } = this.#layout(height);
    const below = this.#candidateRows(width);
    const most = Math.max(1, height - below.length);
    const from = Math.max(0, Math.min(row - Math.floor(most / 2), rows.length - most));
    const shown = rows.slice(from, from + most).map((each) => each.shown);
    return { rows: [...shown, ...below], row: row - from, column };
  }

  #layout(around: number) {
    const { prompt, isSecret } = this;
    return layOut(this.#editing, { width: this.#width, prompt, isSecret, around });
  }

  #key(key: string, candidates: Candidates | undefined, column: number | undefined): EditorSignal {
    const word = editKeys[key];
    if (word !== undefined) return this.#edit({ do: word });
    switch (key) {
      case 'Enter':
        // The first one takes what was chosen of the list.
        return candidates !== undefined && candidates.chosen >= 0 ? changed : this.#enter();
      case 'Ctrl+J':
        if (this.#options.isOneLine) return this.#enter();
        return this.#edit({ do: 'put', text: '\n' });
      case 'Alt+Enter':
      case 'Shift+Enter':
        return this.#edit({ do: 'put', text: '\n' });
      case 'ArrowUp':
        return this.#vertical(-1, column);
      case 'ArrowDown':
        return this.#vertical(1, column);
      case 'Ctrl+P':
        return this.#goBack(-1);
      case 'Ctrl+N':
        return this.#goBack(1);
      case 'Ctrl+C':
        if (this.text === '') return { is: 'interrupt' };
        this.#past = undefined;
        return this.#edit({ do: 'clear' });
      case 'Ctrl+D':
        return this.text === '' ? { is: 'leave' } : this.#edit({ do: 'delete-right' });
      case 'Ctrl+L':
        return { is: 'clear-screen' };
      case 'Ctrl+Z':
        return { is: 'suspend' };
      case 'Escape':
        if (candidates === undefined) return { is: 'escape' };
        this.#editing = candidates.typed;
        return changed;
      default:
        return candidates === undefined ? { is: 'nothing' } : changed;
    }
  }

  #enter(): EditorSignal {
    const { text, at } = this.#editing;
    // A backslash at the end goes on in the next line, as in a shell.
    if (at === text.length && /(?:^|[^\\])(?:\\\\)*\\$/.test(text) && !this.isSecret) {
      this.#edit({ do: 'delete-left' });
      return this.#edit({ do: 'put', text: '\n' });
    }
    return { is: 'submit', text };
  }

  #edit(wanted: Edit): EditorSignal {
    this.#editing = edit(this.#editing, wanted);
    return changed;
  }

  /** A row up or down; beyond the first and the last, through what was said before. */
  #vertical(step: -1 | 1, column: number | undefined): EditorSignal {
    const layout = this.#layout(1);
    const at = rowBeside(layout, step, column);
    if (at === undefined) return this.#goBack(step);
    this.#column = column ?? layout.column;
    this.#editing = { ...this.#editing, at, last: 'other' };
    return changed;
  }

  #goBack(step: -1 | 1): EditorSignal {
    if (this.isSecret) return { is: 'nothing' };
    const said = this.#options.history.entries;
    const { at, typed } = this.#past ?? { at: said.length, typed: this.text };
    const next = at + step;
    if (next < 0 || next > said.length) return { is: 'nothing' };
    this.text = next === said.length ? typed : (said[next] ?? '');
    this.#past = next === said.length ? undefined : { at: next, typed };
    return changed;
  }

  #complete(step: 1 | -1): EditorSignal {
    const { complete, redraw } = this.#options;
    if (this.#candidates !== undefined) return this.#choose(this.#candidates, step);
    if (complete === undefined || this.isSecret) return { is: 'nothing' };
    const asked = this.#editing;
    void complete(asked.text, asked.at).then(
      (completion) => {
        // What was typed on meanwhile is worth more.
        if (completion === undefined || this.#editing !== asked) return;
        this.#offer(completion);
        redraw();
      },
      () => {},
    );
    return { is: 'nothing' };
  }

  #offer({ from, candidates: found }: Completion): void {
    // A file's name may hold what controls a terminal, or a line break: no text that is typed does.
    const candidates = found.filter(({ text }) => stripEscapes(text) === text && !text.includes('\n'));
    const [only, ...others] = candidates;
    if (only === undefined) return;
    const typed = this.#editing;
    this.#replace(
      from,
      typed,
      others.length === 0 ? only.text : sharedBeginning(candidates, typed.text.slice(from, typed.at)),
    );
    if (others.length > 0) this.#candidates = { from, candidates, typed: this.#editing, chosen: -1 };
  }

  #choose(candidates: Candidates, step: 1 | -1): EditorSignal {
    const count = candidates.candidates.length;
    const chosen =
      candidates.chosen === -1 && step === -1 ? count - 1 : (candidates.chosen + step + count) % count;
    this.#candidates = { ...candidates, chosen };
    this.#replace(candidates.from, candidates.typed, candidates.candidates[chosen]?.text ?? '');
    return changed;
  }

  #replace(from: number, typed: Editing, text: string): void {
    const { text: whole, at } = typed;
    if (whole.slice(from, at) === text) return;
    const draft = { text: whole.slice(0, from) + text + whole.slice(at), at: from + text.length };
    this.#editing = { ...typed, ...draft, before: [...typed.before, { text: whole, at }], last: 'other' };
  }

  #candidateRows(width: number): string[] {
    if (this.#candidates === undefined) return [];
    const { paint } = this.#options;
    const { candidates, chosen } = this.#candidates;
    const from = Math.max(0, Math.min(chosen - mostCandidates + 1, candidates.length - mostCandidates));
    const rows = candidates.slice(from, from + mostCandidates).map(({ text, hint = '' }, index) => {
      const name = fitting(oneLine(text), width - 4);
      const room = width - 6 - textWidth(name);
      const more = room > 8 && hint !== '' ? paint('dim', `  ${fitting(oneLine(hint), room)}`) : '';
      return from + index === chosen ? `${paint('cyan', `❯ ${name}`)}${more}` : `  ${name}${more}`;
    });
    const rest = candidates.length - from - rows.length;
    return rest > 0 ? [...rows, paint('dim', `  ${rest} more`)] : rows;
  }
}

const changed: EditorSignal = { is: 'changed' };

const editKeys: Readonly<Record<string, EditWord>> = {
  ArrowLeft: 'left',
  'Ctrl+B': 'left',
  ArrowRight: 'right',
  'Ctrl+F': 'right',
  'Alt+b': 'word-left',
  'Alt+ArrowLeft': 'word-left',
  'Ctrl+ArrowLeft': 'word-left',
  'Alt+f': 'word-right',
  'Alt+ArrowRight': 'word-right',
  'Ctrl+ArrowRight': 'word-right',
  Home: 'line-start',
  'Ctrl+A': 'line-start',
  End: 'line-end',
  'Ctrl+E': 'line-end',
  Backspace: 'delete-left',
  Delete: 'delete-right',
  'Ctrl+W': 'cut-word-left',
  'Alt+Backspace': 'cut-word-left',
  'Alt+d': 'cut-word-right',
  'Ctrl+U': 'cut-line-start',
  'Ctrl+K': 'cut-line-end',
  'Ctrl+Y': 'put-back',
  'Ctrl+_': 'undo',
};

/** What all of them begin with, but never less than what is typed. */
function sharedBeginning(candidates: readonly Candidate[], typed: string): string {
  const [first = '', ...others] = candidates.map(({ text }) => text);
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return length > typed.length ? first.slice(0, length) : typed;
}
