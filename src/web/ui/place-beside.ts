export type Side = 'top' | 'right' | 'bottom' | 'left';

const opposite: Readonly<Record<Side, Side>> = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' };
/** Between it and the edge of the window. */
const margin = 8;

/** Puts a floating box beside an element: on the side that is wanted, or the opposite one where there is more room, and never outside the window. */
export function placeBeside(
  box: HTMLElement,
  anchor: Element,
  {
    side,
    align,
    gap,
  }: { readonly side: Side; readonly align: 'start' | 'center' | 'end'; readonly gap: number },
): void {
  box.style.maxHeight = '';
  const { top, right, bottom, left } = anchor.getBoundingClientRect();
  const { innerWidth: width, innerHeight: height } = window;
  const { offsetWidth, offsetHeight } = box;
  const isUpright = side === 'top' || side === 'bottom';
  const room = { top, bottom: height - bottom, left, right: width - right };
  const needed = (isUpright ? offsetHeight : offsetWidth) + gap + margin;
  const taken = room[side] < needed && room[opposite[side]] > room[side] ? opposite[side] : side;
  if (isUpright) box.style.maxHeight = `${Math.max(0, room[taken] - gap - margin)}px`;
  const boxHeight = isUpright ? Math.min(offsetHeight, room[taken] - gap - margin) : offsetHeight;
  const along = (from: number, to: number, size: number): number =>
    align === 'start' ? from : align === 'end' ? to - size : (from + to - size) / 2;
  const x = isUpright
    ? along(left, right, offsetWidth)
    : taken === 'right'
      ? right + gap
      : left - gap - offsetWidth;
  const y = isUpright
    ? taken === 'bottom'
      ? bottom + gap
      : top - gap - boxHeight
    : along(top, bottom, boxHeight);
  box.style.left = `${Math.max(margin, Math.min(x, width - offsetWidth - margin))}px`;
  box.style.top = `${Math.max(margin, Math.min(y, height - boxHeight - margin))}px`;
}
