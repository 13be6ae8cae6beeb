import { DeleteDialog } from './delete-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';

/** What a session's menu opens. Fetched as one: each part that is fetched by itself is named on the first screen. */
export const SessionDialog = ({
  is,
  ...session
}: {
  readonly is: 'delete' | 'export';
  readonly sessionId: string;
  readonly onClose: () => void;
}) => (is === 'delete' ? <DeleteDialog {...session} /> : <ExportDialog {...session} />);
