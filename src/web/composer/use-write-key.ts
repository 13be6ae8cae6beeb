import { type RefObject, useEffect } from 'react';
import { useOpenDialog } from '../frame/dialogs.ts';
import { isTextField } from '../frame/global-keys.ts';

/** `m` leads to where messages are written, as it does from a monitor. */
export function useWriteKey(field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== 'm' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
      if (useOpenDialog.getState().dialog !== null || isTextField(event.target)) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [field]);
}
