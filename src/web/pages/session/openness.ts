import { useCallback, useMemo, useState } from 'react';
import { defaultOpenness, type Openness } from '../../conversation/entries.logic.ts';

export interface OpennessControl {
  readonly openness: Openness;
  toggle(key: string, isOpen: boolean): void;
  open(keys: readonly string[]): void;
  /** Opens or closes the details of all tool calls, and forgets what was chosen one by one. */
  toggleDetails(): void;
}

/** What is open in a conversation, for as long as its page is. */
export function useOpenness(): OpennessControl {
  const [openness, setOpenness] = useState(defaultOpenness);
  const toggle = useCallback(
    (key: string, isOpen: boolean) =>
      setOpenness((before) => ({ ...before, chosen: new Map([...before.chosen, [key, isOpen]]) })),
    [],
  );
  const open = useCallback(
    (keys: readonly string[]) =>
      setOpenness((before) => ({
        ...before,
        chosen: new Map([...before.chosen, ...keys.map((key) => [key, true] as const)]),
      })),
    [],
  );
  const toggleDetails = useCallback(
    () => setOpenness(({ areDetailsOpen }) => ({ chosen: new Map(), areDetailsOpen: !areDetailsOpen })),
    [],
  );
  return useMemo(() => ({ openness, toggle, open, toggleDetails }), [openness, toggle, open, toggleDetails]);
}
