import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { setPreferences, usePreferences } from '../data/preferences.ts';
import { openDialog, useOpenDialog } from './dialogs.ts';
import { type KeyCommand, keyReader } from './keys.logic.ts';
import { places } from './places.ts';

/** Keys that work everywhere, but never while someone types or a dialog is open. */
export function useGlobalKeys(): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    const read = keyReader();
    const commands: Readonly<Record<KeyCommand, () => void>> = {
      'go-control': () => navigate(places.control.href),
      'go-board': () => navigate(places.board.href),
      'go-inbox': () => navigate(places.inbox.href),
      palette: () => openDialog({ is: 'palette' }),
      help: () => openDialog({ is: 'help' }),
      'new-session': () => openDialog({ is: 'new-session' }),
      'toggle-list': () => setPreferences({ isListOpen: !usePreferences.getState().isListOpen }),
    };
    const pressed = (event: KeyboardEvent): void => {
      if (useOpenDialog.getState().dialog !== null || event.defaultPrevented) return;
      const command = read({
        key: event.key,
        isMod: event.ctrlKey || event.metaKey,
        isAlt: event.altKey,
        isTyping: isTextField(event.target),
        at: event.timeStamp,
      });
      if (command === undefined) return;
      event.preventDefault();
      commands[command]();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [navigate]);
}

/** Whether keys that are pressed there are text. */
export const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=radio], [type=checkbox])'));
