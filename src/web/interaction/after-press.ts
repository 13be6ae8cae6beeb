let isPressed = false;

const ends = ['pointerup', 'pointercancel'] as const;
document.addEventListener('pointerdown', () => set(true), true);
for (const end of ends) document.addEventListener(end, () => set(false), true);

/**
 * Does something at once, or, while a button is being pressed, right after it was: what makes room for itself in between
 * would move the button away under the pointer, and the press would be lost.
 */
export function afterPress(act: () => void): void {
  if (!isPressed) {
    act();
    return;
  }
  const over = new AbortController();
  const soon = (): void => {
    over.abort();
    setTimeout(act);
  };
  for (const end of ends) document.addEventListener(end, soon, { signal: over.signal });
}

function set(next: boolean): void {
  isPressed = next;
}
