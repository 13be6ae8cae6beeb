import { create } from 'zustand';

export type OpenDialog =
  | { readonly is: 'new-session'; readonly agent?: string }
  /** An interaction with more room than its place has; `field` is what one wants to write in. */
  | { readonly is: 'interaction'; readonly interactionId: string; readonly field?: string }
  | { readonly is: 'delete' | 'export' | 'land'; readonly sessionId: string }
  | { readonly is: 'trust'; readonly sessionId: string }
  | { readonly is: 'palette' }
  | { readonly is: 'help' };

/** The dialog that is open, if any: one at a time. */
export const useOpenDialog = create<{ readonly dialog: OpenDialog | null }>(() => ({ dialog: null }));

export const openDialog = (dialog: OpenDialog): void => useOpenDialog.setState({ dialog });
export const closeDialog = (): void => useOpenDialog.setState({ dialog: null });
