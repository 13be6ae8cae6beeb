import { useMemo } from 'react';
import { patchOf } from '../conversation/patch.logic.ts';
import { PatchView } from '../conversation/patch-view.tsx';
import { ReadBox, tall } from '../interaction/read-box.tsx';
import { cx } from '../ui/class-names.ts';

/** A change as a person reviews it: what goes out and what comes in; a new text with the numbers of its lines. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const hunks = useMemo(() => {
    const input = before === '' ? { content: after } : { old_string: before, new_string: after };
    return patchOf({ input, result: null }) ?? [];
  }, [before, after]);
  return (
    <ReadBox className={cx(tall, 'rounded-tight border border-line bg-surface')}>
      <PatchView hunks={hunks} isWrapped />
    </ReadBox>
  );
}
