import { useMemo } from 'react';
import { hunksBetween } from '../../model/diff-lines.ts';
import { PatchView } from '../conversation/patch-view.tsx';
import { ReadBox, tall } from '../interaction/read-box.tsx';
import { cx } from '../ui/class-names.ts';

/** A change as a person reviews it: what goes out and what comes in; a new text with the numbers of its lines. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const hunks = useMemo(() => hunksBetween(before, after), [before, after]);
  return (
    <ReadBox className={cx(tall, 'rounded-tight border border-line bg-surface')}>
      <PatchView hunks={hunks} isWrapped />
    </ReadBox>
  );
}
