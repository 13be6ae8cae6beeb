import { useCallback } from 'react';
import { create } from 'zustand';
import { onStoredElsewhere, readStored, writeStored } from './stored.ts';

/** What was typed for a session and not sent yet; kept across reloads and lost connections. */
const useDrafts = create<Record<string, string>>(() => ({}));

onStoredElsewhere('draft.', (sessionId, text) => useDrafts.setState({ [sessionId]: text ?? '' }));

export function useDraft(sessionId: string): readonly [string, (text: string) => void] {
  const text = useDrafts((drafts) => drafts[sessionId] ?? readStored(`draft.${sessionId}`) ?? '');
  const setText = useCallback((next: string) => writeDraft(sessionId, next), [sessionId]);
  return [text, setText];
}

/** Puts a text that came back behind what is typed already: neither is lost. */
export function addToDraft(sessionId: string, text: string): void {
  const typed = (useDrafts.getState()[sessionId] ?? readStored(`draft.${sessionId}`) ?? '').trimEnd();
  writeDraft(sessionId, typed === '' ? text : `${typed}\n\n${text}`);
}

function writeDraft(sessionId: string, text: string): void {
  writeStored(`draft.${sessionId}`, text === '' ? null : text);
  useDrafts.setState({ [sessionId]: text });
}
