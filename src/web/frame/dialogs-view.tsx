import { Suspense } from 'react';
import { lazyDialog } from '../ui/lazy-part.tsx';
import { closeDialog, type OpenDialog, useOpenDialog } from './dialogs.ts';
// Not loaded on demand: whoever opens it is already typing.
import { Palette } from './palette.tsx';

const PopOut = lazyDialog(async () => (await import('../dock/pop-out.tsx')).PopOut);
const NewSessionDialog = lazyDialog(
  async () => (await import('../session/new-session-dialog.tsx')).NewSessionDialog,
);
const SessionDialog = lazyDialog(async () => (await import('../session/session-dialog.tsx')).SessionDialog);
const TrustDialog = lazyDialog(async () => (await import('../session/trust-dialog.tsx')).TrustDialog);
const Help = lazyDialog(async () => (await import('./help.tsx')).Help);

export function Dialogs() {
  const { dialog } = useOpenDialog();
  return <Suspense>{dialog !== null && <OpenDialogView dialog={dialog} />}</Suspense>;
}

function OpenDialogView({ dialog }: { readonly dialog: OpenDialog }) {
  switch (dialog.is) {
    case 'new-session':
      return <NewSessionDialog agent={dialog.agent} onClose={closeDialog} />;
    case 'interaction':
      return <PopOut key={dialog.interactionId} {...dialog} onClose={closeDialog} />;
    case 'delete':
    case 'export':
    case 'land':
      return <SessionDialog {...dialog} onClose={closeDialog} />;
    case 'trust':
      return <TrustDialog sessionId={dialog.sessionId} onClose={closeDialog} />;
    case 'palette':
      return <Palette onClose={closeDialog} />;
    case 'help':
      return <Help onClose={closeDialog} />;
  }
}
