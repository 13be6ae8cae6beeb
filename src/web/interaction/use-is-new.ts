import { useEffect, useState } from 'react';
import { quietMs } from './stillness.ts';

/** Whether a value changed so short a time ago that a press is not meant for it yet. */
export function useIsNew<T>(value: T): boolean {
  const [known, setKnown] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setKnown(value), quietMs);
    return () => clearTimeout(timer);
  }, [value]);
  return value !== known;
}
