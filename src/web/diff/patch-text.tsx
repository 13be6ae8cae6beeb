import { useMemo } from 'react';
import { hunksOfPatchText } from '../../model/diff-lines.ts';
import { PatchView } from './diff-view.tsx';

/** A patch as git writes it, from its first `@@` on. */
export function PatchText({ text, path }: { readonly text: string; readonly path: string }) {
  const hunks = useMemo(() => hunksOfPatchText(text), [text]);
  return <PatchView hunks={hunks} path={path} isWrapped />;
}
