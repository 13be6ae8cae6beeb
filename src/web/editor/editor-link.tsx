import { SquareArrowOutUpRight } from 'lucide-react';
import type { Session } from '../../protocol/session.ts';
import { usePreferences } from '../data/preferences.ts';
import { useT } from '../i18n/i18n.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { editorAddress, type FilePlace } from './editor.logic.ts';

/** Opens a file in the person's own editor, where they have chosen one and it can be reached from here. */
export function EditorLink({
  session,
  place,
}: {
  readonly session: Pick<Session, 'machine'>;
  readonly place: FilePlace;
}) {
  const t = useT();
  const editor = usePreferences((preferences) => preferences.editor);
  const address = editorAddress(editor, place, session, location.hostname);
  if (address === undefined) return null;
  const label = t('editor.open');
  return (
    <Tooltip text={label} shortcut={undefined}>
      <a
        href={address}
        aria-label={label}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-ui text-faint transition-colors duration-150 hover:bg-hover hover:text-ink pointer-coarse:size-11"
      >
        <SquareArrowOutUpRight aria-hidden className="size-3.5" />
      </a>
    </Tooltip>
  );
}
