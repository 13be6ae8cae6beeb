import type { MessageReceipt } from '../../client/transport.ts';
import type { FormField, Interaction, Question } from '../../protocol/interaction.ts';
import type { Applied, Disposition, QueuedMessage, Session, WhileBusy } from '../../protocol/session.ts';
import type { RoomState } from '../data/control-room.ts';
import { faceOf } from '../interaction/answers-to.ts';
import {
  type AnswerDraft,
  answerDraft,
  type CardDraft,
  isAnswered,
  questionsOf,
} from '../interaction/draft.logic.ts';
import { canBeInterrupted } from '../session/abilities.logic.ts';
import { plainText } from '../text/plain-text.ts';

/** Why nothing can be sent right now. */
export type Blocked = 'stopped' | 'failed' | 'disconnected';

export function blockedBy(
  session: Pick<Session, 'status'>,
  connection: RoomState['connection']['state'],
): Blocked | null {
  if (connection === 'lost' || connection === 'refused' || connection === 'signed-out') return 'disconnected';
  return session.status === 'stopped' || session.status === 'failed' ? session.status : null;
}

/** What Enter does, what Ctrl+Enter does where that is something else, and all ways there are to send to an agent at work. */
export interface Offer {
  readonly enter: 'send' | 'wake' | WhileBusy;
  readonly modEnter: WhileBusy | null;
  readonly ways: readonly (WhileBusy | 'steer')[];
}

export function offerOf(
  session: Pick<Session, 'status' | 'capabilities' | 'interrupting' | 'whileBusy'>,
  serverWhileBusy: WhileBusy,
): Offer {
  const { status, capabilities, interrupting, whileBusy = serverWhileBusy } = session;
  switch (status) {
    case 'running':
    case 'waiting': {
      const canInterrupt = canBeInterrupted(session) && interrupting === null;
      const steer = capabilities?.steer === true && interrupting === null ? (['steer'] as const) : [];
      if (!canInterrupt) return { enter: 'queue', modEnter: null, ways: ['queue', ...steer] };
      const modEnter = whileBusy === 'queue' ? 'interrupt' : 'queue';
      return { enter: whileBusy, modEnter, ways: ['queue', 'interrupt', ...steer] };
    }
    case 'starting':
    case 'asleep':
      return { enter: 'wake', modEnter: null, ways: [] };
    case 'idle':
    case 'stopped':
    case 'failed':
      return { enter: 'send', modEnter: null, ways: [] };
  }
}

/** Of what is sent without a word on how; whatever else interrupts says so. */
const expectedOf: Readonly<Record<Offer['enter'], Applied>> = {
  send: 'send',
  wake: 'queue',
  queue: 'queue',
  interrupt: 'queue',
};

/** What a message became, if that is not what its sender was offered. */
export interface Became {
  readonly applied: Applied;
  readonly reason: string | null;
}

export function becameOf(
  wanted: Disposition,
  offer: Offer['enter'],
  { applied, reason }: Pick<MessageReceipt, 'applied' | 'reason'>,
): Became | null {
  const expected = wanted === 'interrupt' || wanted === 'steer' ? wanted : expectedOf[offer];
  return applied === expected ? null : { applied, reason: reason ?? null };
}

/** One thing that a text can answer: a question, or the only field of what a tool waits for. */
export interface OpenQuestion {
  readonly interaction: Interaction;
  /** Its place among those that are asked, and answered, together with it. */
  readonly at: number;
  /** Null where any text will do. */
  readonly question: Question | null;
}

/** All that can be answered in a session by text, in the order in which it is gone through. */
export const openQuestionsOf = (
  pending: readonly Interaction[],
  sessionId: string,
): readonly OpenQuestion[] =>
  pending
    .filter((interaction) => interaction.sessionId === sessionId)
    .flatMap((interaction): OpenQuestion[] => {
      if (interaction.kind === 'question')
        return questionsOf(interaction).map((question, at) => ({ interaction, at, question }));
      return textFieldOf(interaction) === undefined ? [] : [{ interaction, at: 0, question: null }];
    });

/** The one field of what a tool waits for, where any text will do: then it is a question like another. */
export function textFieldOf({ kind, tool, form, leftOpen }: Interaction): FormField | undefined {
  const [only, ...others] = form?.fields ?? [];
  const isQuestion = kind === 'form' && tool !== undefined && leftOpen === undefined;
  if (!isQuestion || only === undefined || others.length > 0) return undefined;
  return only.type === 'text' || only.type === 'textarea' ? only : undefined;
}

/** Where a person stands among the questions, and what was drafted there when they came. */
export interface Standing {
  readonly face: string;
  readonly at: number;
  readonly drafted: string;
}

/**
 * The question that is answered now: where the person stands, until they have answered it elsewhere; else the first that is not
 * answered. What is being written is never moved to another.
 */
export function currentQuestion(
  questions: readonly OpenQuestion[],
  standing: Standing | undefined,
  draftOf: (interaction: Interaction) => CardDraft,
  hasDraft: boolean,
): OpenQuestion | undefined {
  const here = questions.find(
    ({ interaction, at }) => at === standing?.at && faceOf(interaction) === standing.face,
  );
  if (here !== undefined && (hasDraft || draftedText(here, draftOf(here.interaction)) === standing?.drafted))
    return here;
  const isOpen = ({ interaction, at, question }: OpenQuestion): boolean =>
    question === null || !isAnswered(question, answerDraft(draftOf(interaction), at));
  return questions.find(isOpen) ?? here ?? questions[0];
}

/** Where Enter goes on after a question: to the next that is asked together with it, after the last to one that was left out. */
export function openBeside(
  questions: readonly OpenQuestion[],
  { interaction, at }: OpenQuestion,
  draft: CardDraft,
): OpenQuestion | undefined {
  const together = questions.filter((each) => each.interaction === interaction);
  return (
    together[at + 1] ??
    together.find(
      (each) =>
        each.at !== at && each.question !== null && !isAnswered(each.question, answerDraft(draft, each.at)),
    )
  );
}

export const questionText = ({ question, interaction }: OpenQuestion): string =>
  plainText(question?.question ?? interaction.title);

/** What was answered on the card, as one would type it. */
export function draftedText(
  { question, at }: Pick<OpenQuestion, 'question' | 'at'>,
  draft: CardDraft,
): string {
  const { selected, isOther, other } = answerDraft(draft, at);
  return [...selected, ...(isOther || question?.options.length === 0 ? [other] : [])]
    .filter((part) => part.trim() !== '')
    .join(', ');
}

/** A text as the answer to a question: its options, by what they are called or by the numbers they are shown with, else words of one's own. */
export function answerOf({ options, multiSelect }: Question, text: string, isNumbered: boolean): AnswerDraft {
  const named = (part: string): string | undefined =>
    options.find(({ label }) => label.trim() === part)?.label ??
    options.find(({ label }) => label.trim().toLowerCase() === part.toLowerCase())?.label ??
    (isNumbered && /^[1-9][0-9]?$/.test(part) ? options[Number(part) - 1]?.label : undefined);
  const whole = named(text.trim());
  if (whole !== undefined) return { selected: [whole], isOther: false, other: '' };
  const parts = multiSelect ? text.split(',').map((part) => part.trim()) : [];
  const selected = parts.map(named).filter((label) => label !== undefined);
  const other = selected.length === 0 ? text : parts.filter((part) => named(part) === undefined).join(', ');
  return { selected: [...new Set(selected)], isOther: other !== '', other };
}

/** What can still be changed: not what is being handed to the agent. */
const isOurs = ({ sending }: Pick<QueuedMessage, 'sending'>): boolean => !sending;

/** Where a message goes when it is moved by so many places; undefined when it cannot. */
export function placeAfterMove(
  queue: readonly QueuedMessage[],
  messageId: string,
  step: number,
): number | undefined {
  const at = queue.findIndex((each) => each.messageId === messageId);
  const item = queue[at];
  const target = queue[at + step];
  if (item === undefined || target === undefined || !isOurs(item) || !isOurs(target)) return undefined;
  return target.position;
}

/** The one that ↑ in an empty composer takes up again. */
export const lastEditable = (queue: readonly QueuedMessage[]): QueuedMessage | undefined =>
  queue.findLast(isOurs);
