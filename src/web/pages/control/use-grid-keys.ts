import { type KeyboardEvent, type RefObject, useCallback } from 'react';
import { type KeyIn, keyIn } from '../../ui/keys.ts';

/** The keys of a monitor that has the focus. */
export function useGridKeys(grid: RefObject<HTMLElement | null>): (event: KeyboardEvent) => void {
  return useCallback(
    (event) => {
      const { target } = event;
      if (!(target instanceof HTMLElement) || target.dataset.flip === undefined) return;
      const key = keyIn('control', event);
      if (key === undefined) return;
      const monitors = [...(grid.current?.children ?? [])].filter((each) => each instanceof HTMLElement);
      const next = monitors[monitors.indexOf(target) + stepOf(key, columnsIn(monitors))];
      if (key === 'open') target.querySelector('a')?.click();
      else if (key === 'message') target.querySelector<HTMLElement>('[data-composer] textarea')?.focus();
      else if (next !== undefined) {
        next.focus();
        next.scrollIntoView({ block: 'nearest' });
      } else return;
      event.preventDefault();
    },
    [grid],
  );
}

function stepOf(key: KeyIn<'control'>, columns: number): number {
  switch (key) {
    case 'right':
      return 1;
    case 'left':
      return -1;
    case 'down':
      return columns;
    case 'up':
      return -columns;
    default:
      return 0;
  }
}

const columnsIn = (monitors: readonly HTMLElement[]): number =>
  monitors.filter(({ offsetTop }) => offsetTop === monitors[0]?.offsetTop).length;
