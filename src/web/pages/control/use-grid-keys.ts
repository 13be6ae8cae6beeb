import { type KeyboardEvent, type RefObject, useCallback } from 'react';

/** Arrow keys, and j and k, move between monitors; Enter opens one, m speaks to it. */
export function useGridKeys(grid: RefObject<HTMLElement | null>): (event: KeyboardEvent) => void {
  return useCallback(
    (event) => {
      const { target, key } = event;
      if (!(target instanceof HTMLElement) || target.dataset.flip === undefined) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const monitors = [...(grid.current?.children ?? [])].filter((each) => each instanceof HTMLElement);
      const at = monitors.indexOf(target);
      const next = monitors[at + stepOf(key, columnsIn(monitors))];
      if (key === 'Enter') target.querySelector('a')?.click();
      else if (key === 'm') target.querySelector<HTMLElement>('[data-composer] textarea')?.focus();
      else if (next !== undefined && next !== target) {
        next.focus();
        next.scrollIntoView({ block: 'nearest' });
      } else return;
      event.preventDefault();
    },
    [grid],
  );
}

function stepOf(key: string, columns: number): number {
  switch (key) {
    case 'ArrowRight':
    case 'j':
      return 1;
    case 'ArrowLeft':
    case 'k':
      return -1;
    case 'ArrowDown':
      return columns;
    case 'ArrowUp':
      return -columns;
    default:
      return 0;
  }
}

const columnsIn = (monitors: readonly HTMLElement[]): number =>
  monitors.filter(({ offsetTop }) => offsetTop === monitors[0]?.offsetTop).length;
