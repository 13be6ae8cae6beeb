import { createContext, useContext } from 'react';
import type { Session } from '../../protocol/session.ts';
import type { Conversation } from './conversation.logic.ts';

/** What the parts of a conversation need to know of the whole. */
export interface ConversationPlace {
  readonly sessionId: Session['id'];
  readonly cwd: string;
  readonly conversation: Conversation;
  /** Opens what is closed, and closes what is open. */
  toggle(key: string, isOpen: boolean): void;
  /** Shows where something was asked. */
  toAsk(interactionId: string): void;
}

const Place = createContext<ConversationPlace | null>(null);

export const ConversationProvider = Place.Provider;

export function useConversationPlace(): ConversationPlace {
  const place = useContext(Place);
  if (place === null) throw new Error('There is no ConversationProvider around this part of the page.');
  return place;
}
