import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { setPreferences, usePreferences } from '../data/preferences.ts';
import { isForControl, type KeyIn, type KeyScope, keyReader } from '../ui/keys.ts';
import { openDialog } from './dialogs.ts';
import { places } from './places.ts';

/** Keys that work wherever the focus is on the page, but never while someone types or a dialog or menu is open. */
export function useKeys<Scope extends KeyScope>(
  scope: Scope,
  commands: Readonly<Partial<Record<KeyIn<Scope>, () => void>>> | ((name: KeyIn<Scope>) => void),
): void {
  const current = useRef(commands);
  useEffect(() => {
    current.current = commands;
  });
  useEffect(() => {
    const read = keyReader(scope);
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open], [role="menu"]') !== null) return;
      const name = read(event, isTextField(event.target));
      if (name === undefined || (isControl(event.target) && isForControl(event))) return;
      const { current: all } = current;
      const command = typeof all === 'function' ? () => all(name) : all[name];
      if (command === undefined) return;
      event.preventDefault();
      command();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [scope]);
}

export function useGlobalKeys(): void {
  const [, navigate] = useLocation();
  useKeys('everywhere', {
    'go-control': () => navigate(places.control.href),
    'go-board': () => navigate(places.board.href),
    'go-inbox': () => navigate(places.inbox.href),
    palette: () => openDialog({ is: 'palette' }),
    help: () => openDialog({ is: 'help' }),
    'new-session': () => openDialog({ is: 'new-session' }),
    'toggle-list': () => setPreferences({ isListOpen: !usePreferences.getState().isListOpen }),
  });
}

/** Whether keys that are pressed there are text. */
export const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=radio], [type=checkbox])'));

/** Whether it takes Enter and the arrows for itself. Rows of a list are there to be moved along. */
const isControl = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('[data-row]') === null &&
  target.matches('button, a, input, summary, [tabindex="0"]');
