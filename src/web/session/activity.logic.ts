import type { CallVerb } from '../../model/tool-call.ts';
import type { Session } from '../../protocol/session.ts';
import type { Conversation } from '../conversation/conversation.logic.ts';
import { toolLine, toolName } from '../conversation/tool-call.logic.ts';

/** What a session is doing, for one line: a phrase, and what it is about where that is known. */
export type Activity =
  | { readonly is: 'phrase'; readonly phrase: ActivityPhrase }
  | { readonly is: 'tool'; readonly verb: CallVerb; readonly subject: string };

type ActivityPhrase =
  | 'waiting'
  | 'held'
  | 'interrupting'
  | 'thinking'
  | 'writing'
  | 'starting'
  | 'idle'
  | 'asleep'
  | 'stopped'
  | 'failed';

/** The conversation, if it is followed, knows more than the session: the command, not only the tool's name. */
export function activityOf(session: Session, conversation: Conversation | undefined): Activity {
  if (session.interrupting !== null) return phrase('interrupting');
  if (session.held !== undefined) return phrase('held');
  if (session.status !== 'running') return phrase(session.status);
  const { waitingOn, awaited } = session;
  if (waitingOn !== 'tool' && waitingOn !== 'sub-agent')
    return phrase(isWriting(conversation) ? 'writing' : 'thinking');
  const call = awaited === null ? undefined : conversation?.tool(awaited.id);
  if (call !== undefined) {
    const { verb, subject } = toolLine(call, session.cwd);
    return { is: 'tool', verb, subject };
  }
  return {
    is: 'tool',
    verb: waitingOn === 'tool' ? 'fields' : 'agent',
    subject: toolName(awaited?.what ?? ''),
  };
}

function isWriting(conversation: Conversation | undefined): boolean {
  const last = conversation?.rows.at(-1)?.item;
  return last?.kind === 'text' && last.isLive;
}

const phrase = (word: ActivityPhrase): Activity => ({ is: 'phrase', phrase: word });

/** A directory in few words: its last two names. */
export function shortDirectory(cwd: string): string {
  const parts = cwd.split('/').filter((part) => part !== '');
  return parts.length <= 2 ? cwd : `…/${parts.slice(-2).join('/')}`;
}

/** What a project is called: the last name of its directory. */
export const projectOf = (cwd: string): string => cwd.split('/').findLast((part) => part !== '') ?? cwd;

export const titleOf = (session: Pick<Session, 'title' | 'cwd'>): string =>
  session.title.trim() === '' ? shortDirectory(session.cwd) : session.title;
