import { useCallback, useMemo, useState } from 'react';
import type { ChangedFile } from '../../protocol/changes.ts';
import { foldReason } from './diff-rows.logic.ts';
import type { Unchanged } from './patch-lines.logic.ts';

/** Which files are folded, and which of their unchanged lines are not. */
export interface FileFolds {
  isFolded(file: ChangedFile): boolean;
  fold(file: ChangedFile, isFolded: boolean): void;
  foldAll(files: readonly ChangedFile[], isFolded: boolean): void;
  openedIn(path: string): readonly Unchanged[];
  open(path: string, lines: Unchanged): void;
}

const none: readonly Unchanged[] = [];

/** Kept for as long as the files are compared with the same. */
export function useFileFolds(): FileFolds {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [opened, setOpened] = useState<ReadonlyMap<string, readonly Unchanged[]>>(new Map());
  const foldAll = useCallback(
    (files: readonly ChangedFile[], isFolded: boolean) =>
      setChosen((before) => new Map([...before, ...files.map(({ path }) => [path, isFolded] as const)])),
    [],
  );
  const fold = useCallback((file: ChangedFile, isFolded: boolean) => foldAll([file], isFolded), [foldAll]);
  const open = useCallback(
    (path: string, lines: Unchanged) =>
      setOpened((before) => new Map([...before, [path, [...(before.get(path) ?? none), lines]]])),
    [],
  );
  return useMemo(
    () => ({
      isFolded: (file) => chosen.get(file.path) ?? foldReason(file) !== null,
      openedIn: (path) => opened.get(path) ?? none,
      fold,
      foldAll,
      open,
    }),
    [chosen, opened, fold, foldAll, open],
  );
}
