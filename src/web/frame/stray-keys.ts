import { endsTyping } from '../ui/keys.ts';
import { isTextField } from './use-keys.ts';

/** Whoever goes on typing without having seen that the field is gone makes no longer pause than this. */
const pauseMs = 1500;

/**
 * A field may leave the page while someone types in it, because what it was for has ended. The next letters were meant for
 * it, and would be taken for keys that decide, or that lead elsewhere: they do nothing until there is a pause, or something
 * is pressed.
 */
export function ignoreStrayKeys(): void {
  let field: Element | null = null;
  let latest = Number.NEGATIVE_INFINITY;
  const pressed = (event: KeyboardEvent): void => {
    const { target, timeStamp } = event;
    const isPause = timeStamp - latest >= pauseMs;
    latest = timeStamp;
    if (endsTyping(event)) field = null;
    else if (target instanceof Element && isTextField(target)) field = target;
    else if (field?.isConnected === false && !isPause && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else field = null;
  };
  const forget = (): void => {
    field = null;
  };
  window.addEventListener('keydown', pressed, true);
  window.addEventListener('pointerdown', forget, true);
}
