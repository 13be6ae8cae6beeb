import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { keyIn } from '../ui/keys.ts';
import type { LineRange, Row, Side } from './diff-rows.logic.ts';

interface Place {
  readonly path: string;
  readonly side: Side;
  readonly number: number;
}

/**
 * Picks lines by their numbers: a press takes one, a press with Shift or a drag takes all up to there, with the pointer or a finger.
 * With the keys the arrows go from number to number, and Enter presses.
 */
export function usePicking(
  rows: readonly Row[],
  onPick: ((range: LineRange, quote: string) => void) | undefined,
) {
  const [range, setRange] = useState<LineRange | null>(null);
  const first = useRef<Place | null>(null);
  const now = useRef({ rows, onPick, range });
  useEffect(() => {
    now.current = { rows, onPick, range };
  });
  const handlers = useMemo(() => {
    const upTo = (place: Place): LineRange => {
      const { path, side } = place;
      const other = first.current;
      const start = other?.path === path && other.side === side ? other.number : place.number;
      return { path, side, from: Math.min(start, place.number), to: Math.max(start, place.number) };
    };
    const take = (picked: LineRange): void => {
      setRange(null);
      now.current.onPick?.(picked, quoteOf(now.current.rows, picked));
    };
    const begin = (place: Place, isMore: boolean): LineRange => {
      if (!isMore) first.current = place;
      return upTo(place);
    };
    return {
      onPointerDown(event: PointerEvent<HTMLElement>): void {
        const place = placeAt(event.target, now.current.rows);
        if (place === null || event.button !== 0) return;
        let picked = begin(place, event.shiftKey);
        setRange(picked);
        const over = new AbortController();
        const { signal } = over;
        window.addEventListener(
          'pointermove',
          ({ clientX, clientY }) => {
            const under = rowUnder(clientX, clientY, now.current.rows, place.side);
            if (under === null || under.path !== place.path) return;
            picked = upTo(under);
            setRange(picked);
          },
          { signal },
        );
        window.addEventListener(
          'pointerup',
          () => {
            over.abort();
            take(picked);
          },
          { signal },
        );
        window.addEventListener(
          'pointercancel',
          () => {
            over.abort();
            setRange(null);
          },
          { signal },
        );
      },
      // By a key; a pointer was heard already.
      onClick(event: MouseEvent<HTMLElement>): void {
        const place = event.detail === 0 ? placeAt(event.target, now.current.rows) : null;
        if (place !== null) take(now.current.range ?? begin(place, event.shiftKey));
      },
      onKeyDown(event: KeyboardEvent<HTMLElement>): void {
        const number = numberAt(event.target);
        const key = keyIn('lines', event);
        if (number === null || (key !== 'next' && key !== 'previous')) return;
        const step = key === 'next' ? 1 : -1;
        // Side by side one stays on a side; line by line one goes through both.
        const isSplit = number.closest('[data-split]') !== null;
        const all = [
          ...event.currentTarget.querySelectorAll<HTMLElement>(
            isSplit ? `[data-side="${number.dataset.side}"]` : '[data-number]',
          ),
        ];
        const next = all[all.indexOf(number) + step];
        if (next === undefined) return;
        event.preventDefault();
        next.focus();
        const [from, place] = [placeAt(number, now.current.rows), placeAt(next, now.current.rows)];
        if (!event.shiftKey || from === null || place === null) {
          first.current = place;
          setRange(null);
          return;
        }
        first.current ??= from;
        if (place.path === first.current.path && place.side === first.current.side) setRange(upTo(place));
      },
    };
  }, []);
  return { range, handlers: onPick === undefined ? {} : handlers };
}

const numberAt = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-number]') : null;

function placeAt(target: EventTarget | null, rows: readonly Row[]): Place | null {
  const number = numberAt(target);
  const path = rowAt(number, rows)?.file.path;
  const side = number?.dataset.side;
  if (number === null || path === undefined || (side !== 'before' && side !== 'after')) return null;
  return { path, side, number: Number(number.dataset.number) };
}

/** The line under the pointer, on a side; null where that side has none there. */
function rowUnder(x: number, y: number, rows: readonly Row[], side: Side): Place | null {
  const row = rowAt(document.elementFromPoint(x, y), rows);
  if (row?.is !== 'line' && row?.is !== 'pair') return null;
  const at = row.is === 'line' ? row.at : row.pair[side === 'before' ? 0 : 1];
  const line = row.patch.lines[at];
  const number = side === 'before' ? line?.before : line?.after;
  return typeof number === 'number' ? { path: row.file.path, side, number } : null;
}

const rowAt = (element: Element | null, rows: readonly Row[]): Row | undefined => {
  const index = element?.closest('[data-index]')?.getAttribute('data-index');
  return index === null || index === undefined ? undefined : rows[Number(index)];
};

/** What the picked lines hold. */
function quoteOf(rows: readonly Row[], { path, side, from, to }: LineRange): string {
  const row = rows.find((each) => each.file.path === path && (each.is === 'line' || each.is === 'pair'));
  if (row?.is !== 'line' && row?.is !== 'pair') return '';
  return row.patch.lines
    .filter((line) => {
      const number = side === 'before' ? line.before : line.after;
      return number !== null && number >= from && number <= to;
    })
    .map(({ text }) => text)
    .join('\n');
}
