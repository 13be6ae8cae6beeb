import { useEffect, useState } from 'react';
import type { GrantPreview } from '../../protocol/grant.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { useTransport } from '../data/room-context.tsx';

export type PatternPreview =
  | { readonly is: 'asking' | 'known'; readonly preview: GrantPreview }
  | { readonly is: 'failed'; readonly error: unknown };

const nothing: GrantPreview = { matches: [], reach: { also: [], not: [] }, warnings: [], offers: [] };

/** The server is asked when the typing pauses, not with every key. */
const pauseMs = 200;

/** What a pattern would have let through, and would from now on; while it is asked, what was known before. */
export function usePatternPreview(
  { toolName, sessionId, interactionId }: Interaction,
  pattern: string,
): PatternPreview {
  const transport = useTransport();
  const [shown, setShown] = useState<PatternPreview>({ is: 'asking', preview: nothing });
  useEffect(() => {
    let isCurrent = true;
    setShown((before) => ({ is: 'asking', preview: before.is === 'failed' ? nothing : before.preview }));
    const timer = setTimeout(() => {
      const asked =
        pattern.trim() === ''
          ? Promise.resolve(nothing)
          : transport.previewPattern({ toolName, pattern, sessionId, interactionId });
      asked.then(
        (preview) => isCurrent && setShown({ is: 'known', preview }),
        (error: unknown) => isCurrent && setShown({ is: 'failed', error }),
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [transport, toolName, sessionId, interactionId, pattern]);
  return shown;
}
