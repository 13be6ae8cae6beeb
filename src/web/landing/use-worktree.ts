import { useCallback, useEffect, useState } from 'react';
import type { WorktreeState } from '../../protocol/landing.ts';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';

export interface WorktreeReading {
  /** As it was when it was last looked at; it changes only when somebody looks again. */
  readonly state: WorktreeState | undefined;
  readonly error: unknown;
  readonly isReading: boolean;
  readonly look: () => Promise<void>;
}

/** What commit and landing are given alike. */
export interface FormParts {
  readonly session: Session;
  readonly state: WorktreeState;
  readonly look: () => Promise<void>;
  readonly title: string;
  readonly onClose: () => void;
}

export function useWorktree(sessionId: string): WorktreeReading {
  const transport = useTransport();
  const [state, setState] = useState<WorktreeState>();
  const [error, setError] = useState<unknown>();
  const [isReading, setReading] = useState(true);
  const look = useCallback(async (): Promise<void> => {
    setReading(true);
    setError(undefined);
    await transport.worktree(sessionId, {}).then(setState, setError);
    setReading(false);
  }, [transport, sessionId]);
  useEffect(() => {
    void look();
  }, [look]);
  return { state, error, isReading, look };
}
