import { lazy, Suspense } from 'react';
import { PopOut } from '../dock/pop-out.tsx';
import { closeDialog, useOpenDialog } from './dialogs.ts';
// Not loaded on demand: whoever opens it is already typing.
import { Palette } from './palette.tsx';

const NewSessionDialog = lazy(async () => ({
  default: (await import('../session/new-session-dialog.tsx')).NewSessionDialog,
}));
const DeleteDialog = lazy(async () => ({
  default: (await import('../session/delete-dialog.tsx')).DeleteDialog,
}));
const Help = lazy(async () => ({ default: (await import('./help.tsx')).Help }));

export function Dialogs() {
  const { dialog } = useOpenDialog();
  switch (dialog?.is) {
    case undefined:
      return null;
    case 'new-session':
      return (
        <Suspense>
          <NewSessionDialog agent={dialog.agent} onClose={closeDialog} />
        </Suspense>
      );
    case 'interaction':
      return <PopOut key={dialog.interactionId} {...dialog} onClose={closeDialog} />;
    case 'delete':
      return (
        <Suspense>
          <DeleteDialog sessionId={dialog.sessionId} onClose={closeDialog} />
        </Suspense>
      );
    case 'palette':
      return <Palette onClose={closeDialog} />;
    case 'help':
      return (
        <Suspense>
          <Help onClose={closeDialog} />
        </Suspense>
      );
  }
}
