import { useState } from 'react';
import { setPreferences } from '../data/preferences.ts';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';

export interface Answering {
  readonly isEnabled: boolean;
  readonly isChanging: boolean;
  readonly error: string | null;
  change(isEnabled: boolean): Promise<void>;
}

/** Whether this browser answers, and the switch for it: switched when the server knows, not before. */
export function useAnswering(): Answering {
  const t = useT();
  const room = useControlRoom();
  const isEnabled = useRoom((state) => state.interaction === 'enabled');
  const [isChanging, setChanging] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const change = async (wanted: boolean): Promise<void> => {
    const interaction = wanted ? 'enabled' : 'disabled';
    setChanging(true);
    setError(null);
    try {
      await room.setInteraction(interaction);
      setPreferences({ interaction });
    } catch (failure) {
      setError(errorText(t, failure));
    }
    setChanging(false);
  };
  return { isEnabled, isChanging, error, change };
}
