import { useEffect, useState } from 'react';
import type { Interaction } from '../../protocol/interaction.ts';
import { useTransport } from '../data/room-context.tsx';

export type PatternPreview =
  | { readonly is: 'asking' | 'known'; readonly matches: readonly Interaction[] }
  | { readonly is: 'failed'; readonly error: unknown };

/** The server is asked when the typing pauses, not with every key. */
const pauseMs = 200;

/** Which earlier asks a pattern would have let through; while it is asked, what was known before. */
export function usePatternPreview(toolName: string, pattern: string): PatternPreview {
  const transport = useTransport();
  const [preview, setPreview] = useState<PatternPreview>({ is: 'asking', matches: [] });
  useEffect(() => {
    let isCurrent = true;
    setPreview((before) => ({ is: 'asking', matches: before.is === 'failed' ? [] : before.matches }));
    const timer = setTimeout(() => {
      const asked =
        pattern.trim() === '' ? Promise.resolve([]) : transport.previewGrant({ toolName, pattern });
      asked.then(
        (matches) => isCurrent && setPreview({ is: 'known', matches }),
        (error: unknown) => isCurrent && setPreview({ is: 'failed', error }),
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [transport, toolName, pattern]);
  return preview;
}
