import type { Session } from '../../protocol/session.ts';

type Able = Pick<Session, 'capabilities'> | undefined;

/** What an agent has said that it cannot do is not offered; one that has not spoken yet is taken to be able. */
export const canBeInterrupted = (session: Able): boolean => session?.capabilities?.interrupt !== false;

/** One that cannot be given another input would run what it asked for. */
export const canEditInput = (session: Able): boolean => session?.capabilities?.editInput !== false;

/** Also one that sleeps: it would, if it were woken. */
export const endsWithServer = (session: Able): boolean => session?.capabilities?.outlivesServer === false;

export const hearsReasons = (session: Able): boolean => session?.capabilities?.denyReason !== false;
