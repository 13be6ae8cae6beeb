import { useEffect } from 'react';
import { useOpenDialog } from '../../frame/dialogs.ts';
import { isTextField } from '../../frame/global-keys.ts';

/** Keys that work in a session while nobody types: End to the latest, t for the details of tool calls. */
export function useSessionKeys({
  toLatest,
  toggleDetails,
}: {
  readonly toLatest: () => void;
  readonly toggleDetails: () => void;
}): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (useOpenDialog.getState().dialog !== null || isTextField(event.target)) return;
      if (event.key === 'End') toLatest();
      else if (event.key === 't') toggleDetails();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [toLatest, toggleDetails]);
}
