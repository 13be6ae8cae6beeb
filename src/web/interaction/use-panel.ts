import { type RefObject, useEffect, useRef } from 'react';
import type { Panel } from './draft.logic.ts';
import type { Card } from './use-card.ts';

/** The part of a card that is open; what was opened from a button gives the focus back to it. */
export function usePanel(card: Card): {
  readonly area: RefObject<HTMLDivElement | null>;
  readonly panel: Panel | null;
  close(): void;
} {
  const area = useRef<HTMLDivElement>(null);
  const closed = useRef<Panel | null>(null);
  const { panel } = card.draft;
  useEffect(() => {
    if (panel !== null || closed.current === null) return;
    area.current?.querySelector<HTMLElement>(`[data-opens="${closed.current}"]`)?.focus();
    closed.current = null;
  }, [panel]);
  return {
    area,
    panel,
    close: () => {
      closed.current = panel;
      card.setDraft({ panel: null });
    },
  };
}
