import { showInvisible } from '../../model/suspicious-text.ts';
import type { ChangedFile } from '../../protocol/changes.ts';
import { useT } from '../i18n/i18n.ts';
import { wholeCount } from '../session/figures.logic.ts';
import { cx } from '../ui/class-names.ts';

const signs: Readonly<Record<ChangedFile['kind'], string>> = {
  added: 'A',
  deleted: 'D',
  modified: 'M',
  moved: 'R',
  mode: 'X',
  type: 'T',
};
const tones: Readonly<Partial<Record<ChangedFile['kind'], string>>> = {
  added: 'text-done-ink',
  deleted: 'text-fail-ink',
};

/** What happened to a file: a letter as git has it, a word for those who hear it or hover. */
export function KindSign({ file: { kind, movedFrom } }: { readonly file: ChangedFile }) {
  const t = useT();
  const word =
    movedFrom === undefined
      ? t(`changes.kind.${kind}`)
      : t('changes.movedFrom', { path: showInvisible(movedFrom) });
  return (
    <span
      title={word}
      className={cx('w-3 shrink-0 text-center font-mono text-xs', tones[kind] ?? 'text-soft')}
    >
      <span aria-hidden>{signs[kind]}</span>
      <span className="sr-only">{word}</span>
    </span>
  );
}

/** Lines that came and went. */
export function ChangeCount({
  file: { added, removed },
}: {
  readonly file: Pick<ChangedFile, 'added' | 'removed'>;
}) {
  const t = useT();
  if (added === null || removed === null || added + removed === 0) return null;
  const number = (count: number): string => wholeCount(count, t.language);
  return (
    <span className="flex shrink-0 gap-1.5 font-mono text-xs">
      {added > 0 && <span className="text-done-ink">+{number(added)}</span>}
      {removed > 0 && <span className="text-fail-ink">−{number(removed)}</span>}
    </span>
  );
}
