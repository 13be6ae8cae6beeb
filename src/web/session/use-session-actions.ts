import { useMemo } from 'react';
import type { RoomCalls } from '../../client/calls.ts';
import type { PatchSession } from '../../protocol/command.ts';
import type { Session } from '../../protocol/session.ts';
import { putBackMessage } from '../composer/pasted-texts.ts';
import { useT } from '../i18n/i18n.ts';
import { noteOwnAct } from '../notifications/own-acts.ts';
import { errorText } from '../text/error-text.ts';
import { toast } from '../ui/toast.tsx';
import { canBeInterrupted } from './abilities.logic.ts';

export interface SessionActions {
  readonly canInterrupt: boolean;
  readonly canStop: boolean;
  readonly canResume: boolean;
  interrupt(): void;
  stop(): void;
  resume(): void;
  change(changes: PatchSession): void;
}

/** What can be done to a session as it is now; a refusal is told. */
export function useSessionActions(
  session: Pick<Session, 'id' | 'status' | 'capabilities'>,
  transport: RoomCalls,
): SessionActions {
  const t = useT();
  const { id, status } = session;
  const isInterruptible = canBeInterrupted(session);
  return useMemo(() => {
    const tell = (error: unknown): void => toast('fail', errorText(t, error));
    const isOver = status === 'stopped' || status === 'failed';
    return {
      canInterrupt: isInterruptible && (status === 'running' || status === 'waiting'),
      canStop: !isOver,
      canResume: isOver || status === 'asleep',
      interrupt: () => {
        noteOwnAct(id);
        transport.interrupt(id).catch(tell);
      },
      resume: () => void transport.resume(id).catch(tell),
      change: (changes) => void transport.patch(id, changes).catch(tell),
      stop: () =>
        void transport.stop(id).then((returned) => {
          // What was queued is the person's: it goes back to where it was typed.
          for (const text of returned) putBackMessage(id, text);
        }, tell),
    };
  }, [id, status, isInterruptible, transport, t]);
}
