import { type ClipboardEvent, type KeyboardEvent, useMemo, useRef } from 'react';
import { create } from 'zustand';
import { lineCount, messageParts } from '../../model/pasted-text.ts';
import { addToDraft } from '../data/drafts.ts';
import { randomId } from '../data/random-id.ts';
import { onStoredElsewhere, storedUnder, writeStored } from '../data/stored.ts';
import { isKey } from '../ui/keys.ts';

/** A long text that was pasted and goes with a draft, apart from what is typed. */
export interface PastedText {
  readonly id: string;
  readonly text: string;
}

const mostTypedLines = 20;
const mostTypedCharacters = 2000;

/** Whether a text is too long to be read in the field: it would push away what is being written. */
const isLong = (text: string): boolean =>
  text.length > mostTypedCharacters || lineCount(text) > mostTypedLines;

const storedAs = 'pasted.';
const none: readonly PastedText[] = [];
const usePasted = create<Readonly<Record<string, readonly PastedText[]>>>(() =>
  Object.fromEntries([...storedUnder(storedAs)].map(([name, stored]) => [name, read(stored)])),
);
onStoredElsewhere(storedAs, (name, stored) => usePasted.setState({ [name]: read(stored) }));

export interface PastedTexts {
  readonly texts: readonly PastedText[];
  add(text: string): PastedText;
  change(id: string, text: string): void;
  remove(id: string): void;
  clear(): void;
}

/** The long texts of a draft, by the draft's name. They are kept as the draft is, in every tab. */
export function usePastedTexts(name: string): PastedTexts {
  const texts = usePasted((pasted) => pasted[name] ?? none);
  return useMemo(
    () => ({
      texts,
      add: (text) => {
        const pasted = { id: randomId(), text };
        write(name, (before) => [...before, pasted]);
        return pasted;
      },
      change: (id, text) =>
        write(name, (before) => before.map((each) => (each.id === id ? { id, text } : each))),
      remove: (id) => write(name, (before) => before.filter((each) => each.id !== id)),
      clear: () => write(name, () => none),
    }),
    [name, texts],
  );
}

/** A message that was not sent is a draft again: what was typed, and what was pasted. */
export function putBackMessage(name: string, message: string): void {
  const { typed, pasted } = messageParts(message);
  if (typed !== '') addToDraft(name, typed);
  write(name, (before) => [...before, ...pasted.map((text) => ({ id: randomId(), text }))]);
}

interface PasteInto {
  readonly pasted: Pick<PastedTexts, 'texts' | 'add' | 'remove'>;
  readonly draft: string;
  setDraft(text: string): void;
}

/** For a field: a long paste is set apart, and undone at once it is text in the field. Both say whether they did something. */
export function useLongPaste({ pasted, draft, setDraft }: PasteInto) {
  const latest = useRef<{ readonly id: string; readonly left: string; readonly at: number }>(undefined);
  return {
    paste(event: ClipboardEvent<HTMLTextAreaElement>): boolean {
      const text = event.clipboardData.getData('text/plain').replace(/\r\n?/g, '\n').trimEnd();
      if (!isLong(text)) return false;
      event.preventDefault();
      const { selectionStart: at, selectionEnd } = event.currentTarget;
      const left = draft.slice(0, at) + draft.slice(selectionEnd);
      if (left !== draft) setDraft(left);
      latest.current = { id: pasted.add(text).id, left, at };
      return true;
    },
    undo(event: KeyboardEvent): boolean {
      if (!isKey('composer.undo-paste', event) || event.shiftKey) return false;
      const { id, left, at } = latest.current ?? {};
      const undone = pasted.texts.find((each) => each.id === id);
      if (undone === undefined || draft !== left) return false;
      event.preventDefault();
      pasted.remove(undone.id);
      setDraft(draft.slice(0, at) + undone.text + draft.slice(at));
      return true;
    },
  };
}

function write(name: string, change: (before: readonly PastedText[]) => readonly PastedText[]): void {
  const texts = change(usePasted.getState()[name] ?? none);
  usePasted.setState({ [name]: texts });
  writeStored(storedAs + name, texts.length === 0 ? null : JSON.stringify(texts));
}

function read(stored: string | null): readonly PastedText[] {
  try {
    return JSON.parse(stored ?? '[]') as readonly PastedText[];
  } catch {
    return none;
  }
}
