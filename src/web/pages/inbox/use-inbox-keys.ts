import { useEffect, useRef } from 'react';
import { isTextField } from '../../frame/global-keys.ts';
import { type InboxCommand, type InboxPress, inboxKeyReader } from './inbox-keys.logic.ts';

/** Keys of the inbox, wherever the focus is on its page, but never while someone types or a dialog or menu is open. */
export function useInboxKeys(run: (command: InboxCommand) => void): void {
  const current = useRef(run);
  useEffect(() => {
    current.current = run;
  });
  useEffect(() => {
    const read = inboxKeyReader();
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open], [role="menu"]') !== null) return;
      const command = read({
        key: event.key,
        hasModifier: event.ctrlKey || event.metaKey || event.altKey,
        isRepeat: event.repeat,
        focus: focusOn(event.target),
        at: event.timeStamp,
      });
      if (command === undefined) return;
      event.preventDefault();
      current.current(command);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}

function focusOn(target: EventTarget | null): InboxPress['focus'] {
  if (!(target instanceof HTMLElement)) return 'else';
  if (isTextField(target)) return 'text';
  // Rows of the list are there to be moved along.
  if (target.closest('[data-row]') !== null) return 'else';
  return target.matches('button, a, input, summary, [tabindex="0"]') ? 'control' : 'else';
}
