import { useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';

/** Whether something that was pressed is under way, and why the last such thing failed, in words. `onFailure` is told of it as well. */
export function useActing(onFailure?: (text: string) => void) {
  const t = useT();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      const text = errorText(t, failure);
      setError(text);
      onFailure?.(text);
    }
    setBusy(false);
  };
  return { isBusy, error, act };
}
