import { createContext, useContext } from 'react';

/**
 * Where floating parts are put. A modal dialog lies above the whole document and makes the rest inert,
 * so what floats in a dialog must be inside it.
 */
export const OverlayContainer = createContext<HTMLElement | null>(null);

export const useOverlayContainer = (): HTMLElement | null => useContext(OverlayContainer);
