/** The mark: an eye that looks at you. */
export const Mark = () => (
  <svg viewBox="0 0 24 24" className="size-5.5" role="img" aria-label="Beckon">
    <circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" strokeWidth="2.25" />
    <circle cx="12" cy="12" r="3.25" fill="currentColor" />
  </svg>
);
