const measures = new Set<() => boolean>();
let observer: MutationObserver | undefined;
let frame = 0;
/** An animation may begin so slowly that its first frame moves nothing. */
const stillFrames = 3;

/** Measures whenever the page may be laid out anew, frame by frame for as long as anything moves. `measure` tells whether it did. */
export function watchLayout(measure: () => boolean): () => void {
  measures.add(measure);
  if (observer === undefined) {
    observer = new MutationObserver(measureSoon);
    observer.observe(document.documentElement, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    addEventListener('resize', measureSoon);
  }
  return () => {
    measures.delete(measure);
    if (measures.size > 0) return;
    observer?.disconnect();
    observer = undefined;
    removeEventListener('resize', measureSoon);
    cancelAnimationFrame(frame);
    frame = 0;
  };
}

function measureSoon(): void {
  if (frame === 0) frame = requestAnimationFrame(() => measureAll(stillFrames));
}

function measureAll(framesLeft: number): void {
  const hasMoved = [...measures].filter((measure) => measure()).length > 0;
  const left = hasMoved ? stillFrames : framesLeft - 1;
  frame = left > 0 ? requestAnimationFrame(() => measureAll(left)) : 0;
}
