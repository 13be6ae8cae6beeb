import { Ellipsis, FileDown, Undo2 } from 'lucide-react';
import { type ComponentType, Suspense, useState } from 'react';
import type { SessionChanges } from '../../protocol/changes.ts';
import type { Session } from '../../protocol/session.ts';
import { type MessageKey, useT } from '../i18n/i18n.ts';
import { IconButton, type IconButtonProps } from '../ui/icon-button.tsx';
import { lazyDialog } from '../ui/lazy-part.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';

/** What an action is about. */
export interface ActionContext {
  readonly session: Session;
  readonly changes: SessionChanges;
}

/** Something that can be done with changes as they are shown. */
export interface ChangesAction {
  readonly key: string;
  readonly label: MessageKey;
  readonly icon: IconButtonProps['icon'];
  /** Those of a group stand together. */
  readonly group: 'patch' | 'undo' | 'land';
  readonly isDanger?: boolean;
  isOffered?(context: ActionContext): boolean;
  /** Opened when it is chosen; fetched then (`lazyDialog`). */
  readonly Dialog: ComponentType<ActionContext & { readonly onClose: () => void }>;
}

/** In the order of the menu. */
const actions: readonly ChangesAction[] = [
  {
    key: 'patch',
    label: 'patch.menu',
    icon: FileDown,
    group: 'patch',
    isOffered: ({ changes }) => changes.files.length > 0,
    Dialog: lazyDialog(async () => (await import('../undo/patch-dialog.tsx')).PatchDialog),
  },
  {
    key: 'undo',
    label: 'undo.menu',
    icon: Undo2,
    group: 'undo',
    // Of a turn that is over alone: what else is shown here may be more than anyone did at once.
    isOffered: ({ changes: { since, files, isLive, turns, turnId } }) =>
      since === 'turn' && files.length > 0 && !(isLive && turns[0]?.turnId === turnId),
    Dialog: lazyDialog(async () => (await import('../undo/undo-dialog.tsx')).UndoShownTurn),
  },
];

const groups = ['patch', 'undo', 'land'] as const satisfies readonly ChangesAction['group'][];

/** The menu of what can be done with the changes, after how they are shown. */
export function ChangesMenu({
  session,
  changes,
  view,
}: {
  readonly session: Session;
  readonly changes: SessionChanges | null;
  readonly view: readonly MenuItem[];
}) {
  const t = useT();
  const [chosen, setChosen] = useState<ChangesAction>();
  const offered =
    changes === null ? [] : actions.filter(({ isOffered }) => isOffered?.({ session, changes }) !== false);
  return (
    <>
      <Menu
        trigger={<IconButton icon={Ellipsis} label={t('changes.more')} />}
        groups={[
          view,
          ...groups.map((group) =>
            offered
              .filter((action) => action.group === group)
              .map((action) => ({
                key: action.key,
                label: t(action.label),
                icon: action.icon,
                isDanger: action.isDanger === true,
                onSelect: () => setChosen(action),
              })),
          ),
        ]}
      />
      {chosen !== undefined && changes !== null && (
        <Suspense>
          <chosen.Dialog session={session} changes={changes} onClose={() => setChosen(undefined)} />
        </Suspense>
      )}
    </>
  );
}
