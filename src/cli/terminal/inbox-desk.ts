import { BeckonError } from '../../client/beckon-error.ts';
import type { Transport } from '../../client/transport.ts';
import { type InboxKey, inboxKeys } from '../../model/inbox-keys.ts';
import { STILL_BEFORE_PRESS_MS } from '../../model/limits.ts';
import { shownDigest } from '../../model/shown-digest.ts';
import { saysNothing } from '../../model/tool-call.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { interactionView } from '../render/interaction-view.ts';
import { pendingList } from '../render/listing.ts';
import { counted } from '../render/measures.ts';
import type { Paint } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { cutToWidth, wrapped } from '../render/text-width.ts';
import { sendReply } from './answer-desk.ts';
import { type Dialog, type DialogReply, type DialogStep, dialogAbout, inputDialog } from './dialog.ts';
import { historyInMemory } from './history.ts';
import type { KeyPress } from './key-reader.ts';
import { LineEditor } from './line-editor.ts';

export interface InboxDeskOptions {
  readonly transport: Pick<Transport, 'approve' | 'answer' | 'respond'>;
  readonly paint: Paint;
  /** Only goes forward, in milliseconds. */
  readonly now: () => number;
  readonly redraw: () => void;
  readonly open: (interaction: Interaction) => void;
  readonly leave: () => void;
}

interface Conversation {
  readonly dialog: Dialog;
  readonly about: Interaction;
  readonly says: string;
  /** What it was about has ended: what is still typed does nothing. */
  readonly isOver?: boolean;
}

/** Everything that waits for a person, one on the screen at a time, answered by the keys of the page's inbox. */
export class InboxDesk {
  readonly #options: InboxDeskOptions;
  #pending: readonly Interaction[] = [];
  #sessions: readonly Session[] = [];
  #current: Interaction | undefined;
  /** Since when it is shown as it is now; long ago where the person went there. */
  #since: number;
  #settling: NodeJS.Timeout | undefined;
  #scrolled = 0;
  #room = 1;
  #length = 0;
  /** Names of what was on the screen to its end. */
  readonly #seen = new Set<string>();
  /** Those to be allowed together, by what was shown of them. */
  readonly #marked = new Map<string, string>();
  #dialog: Conversation | undefined;
  #editor: LineEditor;
  #cursor: { readonly row: number; readonly column: number } | undefined;
  #notice = '';

  constructor(options: InboxDeskOptions) {
    this.#options = options;
    this.#since = options.now();
    this.#editor = this.#freshEditor();
  }

  update(pending: readonly Interaction[], sessions: readonly Session[]): void {
    const place = this.#pending.findIndex(
      ({ interactionId }) => interactionId === this.#current?.interactionId,
    );
    this.#pending = pending;
    this.#sessions = sessions;
    for (const [id, shown] of this.#marked) {
      const marked = this.#find(id);
      if (marked === undefined || shownDigest(marked) !== shown) this.#marked.delete(id);
    }
    const before = this.#current;
    const again = pending.find(({ tool }) => before !== undefined && tool?.replaces === before.interactionId);
    const next =
      this.#find(before?.interactionId) ?? again ?? pending[Math.min(Math.max(0, place), pending.length - 1)];
    const isSame =
      before !== undefined &&
      next !== undefined &&
      before.interactionId === next.interactionId &&
      shownDigest(before) === shownDigest(next);
    this.#current = next;
    if (!isSame) this.#comesUp();
  }

  press(press: KeyPress): void {
    if (this.#dialog !== undefined) this.#type(press, this.#dialog);
    else this.#key(press);
    this.#options.redraw();
  }

  get cursor(): { readonly row: number; readonly column: number } | undefined {
    return this.#cursor;
  }

  rows(width: number, height: number): string[] {
    const { paint } = this.#options;
    const head = paint(
      'bold',
      this.#pending.length === 0 ? 'Inbox' : `Inbox · ${counted(this.#pending.length, 'ask')} open`,
    );
    const current = this.#current;
    if (current === undefined) {
      this.#cursor = undefined;
      return [head, '', 'Nothing waits for you.', '', this.#notice, paint('dim', 'q leaves')];
    }
    const list = this.#listRows(Math.max(1, Math.floor(height / 4)));
    const below = this.#bottomRows(width, Math.max(2, Math.floor(height / 3)));
    this.#room = Math.max(1, height - list.length - below.rows.length - 3);
    const lines = interactionView(current, paint, Number.POSITIVE_INFINITY).flatMap((line) =>
      cutToWidth(line, width - 1),
    );
    this.#length = lines.length;
    this.#scrolled = Math.max(0, Math.min(this.#scrolled, lines.length - this.#room));
    const shown = lines.slice(this.#scrolled, this.#scrolled + this.#room);
    const rest = lines.length - this.#scrolled - shown.length;
    if (rest === 0) this.#seen.add(faceOf(current));
    const rule = paint(
      'dim',
      rest === 0
        ? '─'.repeat(Math.min(width - 1, 40))
        : `── ${counted(rest, 'more line')}: Space shows them ──`,
    );
    const filled = [...shown, ...Array.from({ length: this.#room - shown.length }, () => '')];
    const rows = [head, ...list, '', ...filled, rule, ...below.rows];
    this.#cursor =
      below.cursor === undefined
        ? undefined
        : { row: rows.length - below.rows.length + below.cursor.row, column: below.cursor.column };
    return rows;
  }

  close(): void {
    clearTimeout(this.#settling);
  }

  #find(id: string | undefined): Interaction | undefined {
    return this.#pending.find(({ interactionId }) => interactionId === id);
  }

  /** Something else is on the screen than the person looked at: what they press now was meant for what was there. */
  #comesUp(): void {
    this.#since = this.#options.now();
    this.#scrolled = 0;
    if (this.#dialog !== undefined) {
      const says = 'What this was an answer to has ended meanwhile; nothing is sent. Enter or Escape goes on';
      this.#dialog = { ...this.#dialog, says, isOver: true };
    }
    clearTimeout(this.#settling);
    this.#settle();
  }

  /** Tells when the keys decide again. A timer counts from when its turn of the loop began, and so may be early. */
  #settle(): void {
    const left = STILL_BEFORE_PRESS_MS - (this.#options.now() - this.#since);
    this.#settling = setTimeout(() => (this.#isStill() ? this.#options.redraw() : this.#settle()), left);
  }

  #isStill(): boolean {
    return this.#options.now() - this.#since >= STILL_BEFORE_PRESS_MS;
  }

  #key(press: KeyPress): void {
    const name = press.type === 'key' ? press.key : press.type === 'text' ? press.text : '';
    this.#notice = '';
    switch (name) {
      case 'q':
      case 'Escape':
      case 'Ctrl+C':
      case 'Ctrl+D':
        this.#options.leave();
        return;
      case ' ':
      case 'PageDown':
        this.#scrolled += Math.max(1, this.#room - 1);
        return;
      case 'b':
      case 'PageUp':
        this.#scrolled = Math.max(0, this.#scrolled - Math.max(1, this.#room - 1));
        return;
    }
    const command = commandFor(name);
    const current = this.#current;
    if (command !== undefined && current !== undefined) this.#run(command, current);
  }

  #run(command: InboxKey, current: Interaction): void {
    switch (command) {
      case 'next':
      case 'previous':
        this.#step(command === 'next' ? 1 : -1);
        return;
      case 'open':
        if (this.#isStill()) this.#options.open(current);
        return;
      case 'select':
        this.#mark(current);
        return;
      case 'batch':
        this.#confirmMarked(current);
        return;
      case 'deny':
        if (this.#mayDecide()) this.#begin(current, 'd');
        return;
      case 'allow':
      case 'allow-session':
      case 'edit':
        if (!this.#mayDecide() || !this.#isSeen(current)) return;
        if (command === 'edit') this.#edit(current);
        else this.#begin(current, command === 'allow' ? 'a' : 's');
    }
  }

  /** Where a person goes by themselves they look. */
  #step(step: 1 | -1): void {
    const at = this.#pending.findIndex(({ interactionId }) => interactionId === this.#current?.interactionId);
    const next = this.#pending[at + step];
    if (next === undefined) return;
    // Whoever holds the key down has not read what goes by.
    if (!this.#isStill()) this.#since = this.#options.now();
    else this.#since = Number.NEGATIVE_INFINITY;
    this.#current = next;
    this.#scrolled = 0;
  }

  #mayDecide(): boolean {
    if (this.#isStill()) return true;
    this.#notice = 'This has only just come up; nothing was decided.';
    return false;
  }

  /** Allowing wants all of it to have been on the screen; a press before shows more of it. */
  #isSeen(current: Interaction): boolean {
    if (this.#seen.has(faceOf(current))) return true;
    const below = this.#length - this.#scrolled - this.#room;
    this.#scrolled += Math.max(1, this.#room - 1);
    this.#notice = `${counted(below, 'line')} had not been shown; nothing was decided.`;
    return false;
  }

  #begin(current: Interaction, word: 'a' | 's' | 'd'): void {
    const dialog = dialogAbout(current);
    if (current.kind === 'approval') this.#take(current, dialog, dialog.take(word));
    else if (word === 'a') this.#ask(current, dialog, dialog.opening);
    else if (word === 'd') this.#take(current, dialog, dialog.take('/skip'));
    else this.#notice = 'This is no approval: "a" answers it.';
  }

  #edit(current: Interaction): void {
    const dialog = inputDialog(current);
    if (dialog === undefined) {
      this.#notice = 'This cannot be changed.';
      return;
    }
    this.#ask(current, dialog, dialog.opening);
    this.#editor.text = JSON.stringify(current.input);
  }

  #mark(current: Interaction): void {
    if (this.#marked.delete(current.interactionId)) return;
    if (!canBeMarked(current)) this.#notice = 'This one is answered alone.';
    else if (this.#mayDecide() && this.#isSeen(current)) {
      this.#marked.set(current.interactionId, shownDigest(current));
      this.#step(1);
    }
  }

  #confirmMarked(current: Interaction): void {
    const marked = this.#pending.filter(({ interactionId }) => this.#marked.has(interactionId));
    if (marked.length === 0) {
      this.#notice = '"x" marks what is to be allowed together.';
      return;
    }
    if (!this.#mayDecide()) return;
    const dialog: Dialog = {
      opening: `Allow ${counted(marked.length, 'marked ask')} once? Type "yes"`,
      take: (line) => {
        this.#stopTyping('Not allowed yet.');
        if (/^(y|yes)$/i.test(line.trim())) for (const each of marked) void this.#send(each, allowOnce(each));
        return { type: 'ask', text: '' };
      },
    };
    this.#ask(current, dialog, dialog.opening);
  }

  #ask(about: Interaction, dialog: Dialog, says: string): void {
    this.#dialog = { dialog, about, says };
    this.#editor = this.#freshEditor();
    this.#editor.isSecret = dialog.isSecret?.() ?? false;
  }

  #freshEditor(): LineEditor {
    const { paint, redraw } = this.#options;
    const editor = new LineEditor({ paint, redraw, history: historyInMemory() });
    editor.prompt = '? › ';
    return editor;
  }

  #type(press: KeyPress, { dialog, about, isOver = false }: Conversation): void {
    const signal = this.#editor.press(press);
    switch (signal.is) {
      case 'interrupt':
      case 'leave':
      case 'escape':
        this.#stopTyping('Not answered yet.');
        return;
      case 'submit': {
        if (isOver) {
          this.#stopTyping('');
          return;
        }
        const step = dialog.take(signal.text);
        if (this.#dialog !== undefined) this.#take(about, dialog, step);
        return;
      }
    }
  }

  /** The keys mean something else again: one more of them may be under way. */
  #stopTyping(notice: string): void {
    this.#dialog = undefined;
    this.#notice = notice;
    this.#comesUp();
  }

  #take(about: Interaction, dialog: Dialog, step: DialogStep): void {
    switch (step.type) {
      case 'ask':
        this.#ask(about, dialog, step.text);
        return;
      case 'show-all':
        return;
      case 'reply':
        this.#dialog = undefined;
        void this.#send(about, step.reply, dialog);
    }
  }

  async #send(about: Interaction, reply: DialogReply, dialog?: Dialog): Promise<void> {
    const { transport, redraw } = this.#options;
    const name = oneLine(about.tool?.name ?? about.toolName);
    try {
      const { outcome } = await sendReply(transport, about.sessionId, about, reply);
      this.#marked.delete(about.interactionId);
      this.#notice = `${outcome ?? 'answered'}: ${name}`;
    } catch (error) {
      if (!(error instanceof BeckonError)) throw error;
      this.#notice = `${name}: ${oneLine(error.message)}`;
      const isStillShown = this.#current?.interactionId === about.interactionId && this.#dialog === undefined;
      const says = error.status === 422 && isStillShown ? dialog?.again?.() : undefined;
      if (dialog !== undefined && says !== undefined)
        this.#ask(about, dialog, `${oneLine(error.message)}\n${says}`);
    }
    redraw();
  }

  #listRows(most: number): string[] {
    const { paint } = this.#options;
    const lines = pendingList(this.#pending, this.#sessions, Date.now(), paint);
    const at = this.#pending.findIndex(({ interactionId }) => interactionId === this.#current?.interactionId);
    const from = Math.max(0, Math.min(at - Math.floor(most / 2), lines.length - most));
    return lines.slice(from, from + most).map((line, index) => {
      const id = this.#pending[from + index]?.interactionId ?? '';
      const mark = this.#marked.has(id) ? paint('green', '✓') : ' ';
      return from + index === at ? `${paint('cyan', '❯')}${mark}${line}` : ` ${mark}${line}`;
    });
  }

  #bottomRows(
    width: number,
    most: number,
  ): { rows: readonly string[]; cursor?: { row: number; column: number } } {
    const { paint } = this.#options;
    if (this.#dialog !== undefined) {
      const says = this.#dialog.says.split('\n').flatMap((line) => wrapped(line, width - 1));
      const view = this.#editor.view(width, Math.max(1, most));
      const rows = [...says.map((line) => paint('yellow', line)), ...view.rows];
      return { rows, cursor: { row: says.length + view.row, column: view.column } };
    }
    const keys = this.#isStill() ? keysFor(this.#current, this.#marked.size) : '';
    return { rows: [paint('yellow', this.#notice), paint('dim', keys)] };
  }
}

const faceOf = (interaction: Interaction): string =>
  `${interaction.interactionId} ${shownDigest(interaction)}`;

/** As the page names a key: a capital is its letter with Shift. */
function commandFor(name: string): InboxKey | undefined {
  const key = /^[A-Z]$/.test(name) ? `Shift+${name}` : name;
  const found = Object.entries<readonly string[]>(inboxKeys).find(([, keys]) => keys.includes(key));
  return found?.[0] as InboxKey | undefined;
}

/** What a plain yes answers wholly. */
const canBeMarked = (ask: Interaction): boolean =>
  ask.kind === 'approval' &&
  ask.plan === undefined &&
  ask.ways === undefined &&
  ask.tool === undefined &&
  ask.defaultToNo !== true &&
  !saysNothing(ask);

const allowOnce = ({ interactionId }: Interaction): DialogReply => ({
  via: 'approve',
  body: { requestId: interactionId, decision: 'allow', scope: 'once' },
});

function keysFor(current: Interaction | undefined, marked: number): string {
  const answers =
    current?.kind === 'approval'
      ? 'a allow · s for the session · d deny · e change · x mark'
      : 'a answer · d dismiss';
  const batch = marked > 0 ? ` · A allow ${marked}` : '';
  return `${answers}${batch} · j/k move · Enter opens · q leaves`;
}
