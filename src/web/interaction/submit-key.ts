import type { KeyboardEvent } from 'react';

/** Ctrl or ⌘ with Enter sends an answer from any field; Enter alone never does. */
export const isSubmitKey = ({ key, ctrlKey, metaKey, repeat }: KeyboardEvent): boolean =>
  key === 'Enter' && (ctrlKey || metaKey) && !repeat;
