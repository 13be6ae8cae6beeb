import { showInvisible } from '../../../model/suspicious-text.ts';
import type { ChangedFile } from '../../../protocol/changes.ts';
import { useT } from '../../i18n/i18n.ts';
import { spokenKeys } from '../../ui/keys.ts';

/** Whether somebody has seen a file as it is. */
export function SeenBox({
  file,
  isSeen,
  onMark,
}: {
  readonly file: ChangedFile;
  readonly isSeen: boolean;
  readonly onMark: (file: ChangedFile, isSeen: boolean) => void;
}) {
  const t = useT();
  return (
    <label
      title={t('seen.mark')}
      className="flex size-7 shrink-0 cursor-pointer items-center justify-center rounded-ui hover:bg-hover pointer-coarse:size-11"
    >
      <input
        type="checkbox"
        checked={isSeen}
        aria-label={t('seen.markFile', { path: showInvisible(file.path) })}
        aria-keyshortcuts={spokenKeys('changes.seen')}
        onChange={({ target }) => onMark(file, target.checked)}
        className="size-3.5 accent-(--done)"
      />
    </label>
  );
}
