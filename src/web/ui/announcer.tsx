import { useState } from 'react';
import { create } from 'zustand';

interface Said {
  readonly id: number;
  readonly text: string;
}

const mostKept = 20;
const useSaid = create<readonly Said[]>(() => []);
let lastId = 0;

/** Says something to those who listen to the page rather than look at it. */
export function announce(text: string): void {
  lastId += 1;
  const said = { id: lastId, text };
  useSaid.setState((before) => [...before.slice(1 - mostKept), said], true);
}

/** Each announcement is a part of its own: what is said at once is heard one after the other, and the same words twice as well. */
export function Announcer() {
  const said = useSaid();
  // What was heard before this region was there is not said again.
  const [heard] = useState(lastId);
  return (
    <div aria-live="polite" role="status" aria-atomic={false} className="sr-only">
      {said
        .filter(({ id }) => id > heard)
        .map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
    </div>
  );
}
