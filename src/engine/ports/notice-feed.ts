import type { Notice } from '../../model/notice.ts';
import type { InteractionId, SessionId } from '../../protocol/ids.ts';
import type { Session } from '../../protocol/session.ts';

/** What deserves to be told outside of the page, read from the log by a cursor that outlives the server. */
export interface NoticeFeed {
  /** Behind all that is stored. */
  cursor(): string;
  /** The notices of so many stored events behind a cursor. Undefined for a cursor of another log, or of what was lost. */
  after(cursor: string, events: number): NoticePage | undefined;
  /** Calls the listener whenever there may be a new notice, or one that has become needless. */
  onMore(listener: () => void): () => void;
  /** Whether nobody and nothing has answered it, nor ended it. */
  isOpen(sessionId: SessionId, interactionId: InteractionId): boolean;
  session(sessionId: SessionId): Session | undefined;
}

export interface NoticePage {
  readonly notices: readonly { readonly notice: Notice; readonly cursor: string }[];
  /** Behind this page, also when nothing on it deserved a notice. */
  readonly cursor: string;
  readonly isAll: boolean;
}
