import { create } from 'zustand';

const useSaid = create<{ readonly text: string; readonly count: number }>(() => ({ text: '', count: 0 }));

/** Says something to those who listen to the page rather than look at it. */
export const announce = (text: string): void => useSaid.setState(({ count }) => ({ text, count: count + 1 }));

export function Announcer() {
  const { text, count } = useSaid();
  return (
    <div aria-live="polite" role="status" className="sr-only">
      {/* The same words twice are news the second time, too. */}
      <span key={count}>{text}</span>
    </div>
  );
}
