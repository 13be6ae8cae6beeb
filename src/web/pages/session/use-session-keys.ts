import { useEffect } from 'react';
import { useOpenDialog } from '../../frame/dialogs.ts';
import { isTextField } from '../../frame/global-keys.ts';

/** Keys that work in a session while nobody types: End to the latest, t for the details of tool calls, Alt+↑ ↓ to one's own messages. */
export function useSessionKeys({
  toLatest,
  toggleDetails,
  toOwnMessage,
}: {
  readonly toLatest: () => void;
  readonly toggleDetails: () => void;
  readonly toOwnMessage: (step: -1 | 1) => void;
}): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
      if (useOpenDialog.getState().dialog !== null || isTextField(event.target)) return;
      if (event.altKey && event.key === 'ArrowUp') toOwnMessage(-1);
      else if (event.altKey && event.key === 'ArrowDown') toOwnMessage(1);
      else if (event.altKey) return;
      else if (event.key === 'End') toLatest();
      else if (event.key === 't') toggleDetails();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [toLatest, toggleDetails, toOwnMessage]);
}
