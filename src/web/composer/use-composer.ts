import { useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { withPastedTexts } from '../../model/pasted-text.ts';
import type { Disposition, Session, WhileBusy } from '../../protocol/session.ts';
import { longestText } from '../../protocol/text-limit.ts';
import { addToDraft, useDraft } from '../data/drafts.ts';
import { useControlRoom, useRoom, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { answerWith, submitValues } from '../interaction/answers-to.ts';
import { cardsOf, draftIn } from '../interaction/cards.ts';
import {
  type AnswerDraft,
  answersOf,
  type CardDraft,
  emptyDraft,
  questionsOf,
  withAnswer,
} from '../interaction/draft.logic.ts';
import { errorText } from '../text/error-text.ts';
import { announce } from '../ui/announcer.tsx';
import {
  answerOf,
  type Became,
  type Blocked,
  becameOf,
  blockedBy,
  draftedText,
  type Offer,
  type OpenQuestion,
  offerOf,
  openBeside,
  openQuestionsOf,
  questionText,
  textFieldOf,
} from './composer.logic.ts';
import { dispatch, type Outgoing, retry } from './outbox.ts';
import { type PastedTexts, putBackMessage, usePastedTexts } from './pasted-texts.ts';
import { clearDraftPictures, type Picture, useDraftPictures } from './pictures.ts';
import { usePurpose } from './purpose.ts';

export interface ComposerModel {
  readonly draft: string;
  setDraft(text: string): void;
  /** Puts a text behind what is typed. */
  addToDraft(text: string): void;
  /** To be told of everything that a person begins in the field, before it does something. */
  begin(): void;
  /** To be told of what is put beside the text. */
  written(): void;
  readonly pasted: PastedTexts;
  readonly pictures: readonly Picture[];
  readonly blocked: Blocked | null;
  /** Nothing is sent to a session that has ended. */
  readonly isEnded: boolean;
  readonly offer: Offer;
  /** The question that the text answers; null where it is a message. */
  readonly answers: OpenQuestion | null;
  /** The question that could be answered, whatever was chosen. */
  readonly question: OpenQuestion | null;
  chooseAnswering(isAnswering: boolean): void;
  /** The place of the question among those that are open. */
  readonly step: { readonly index: number; readonly count: number };
  /** Goes to the question before or after; what is typed stays drafted as the answer to this one. */
  goTo(step: -1 | 1): void;
  /** What is typed, as the answer that it is; null where any text will do. */
  readonly answer: AnswerDraft | null;
  /** More is asked together with it: Enter goes on there, and sends nothing yet. */
  readonly hasMore: boolean;
  readonly isAnswering: boolean;
  /** What the text was for has just gone: it is not sent as something else yet. */
  readonly isSettling: boolean;
  readonly isEmpty: boolean;
  readonly became: Became | null;
  readonly error: string | null;
  forgetNotes(): void;
  /** Sends the draft, or answers with it: as Enter does, unless it is said how. */
  submit(disposition?: Disposition): Promise<void>;
  /** What is set for this session from now on. */
  setWhileBusy(whileBusy: WhileBusy): void;
  retry(outgoing: Outgoing): Promise<void>;
}

/** `areOptionsShown`: a question is shown with its options, which can be named by their numbers then. */
export function useComposer(session: Session, areOptionsShown = false): ComposerModel {
  const t = useT();
  const room = useControlRoom();
  const transport = useTransport();
  const [draft, writeDraft] = useDraft(session.id);
  const pictures = useDraftPictures(session.id);
  const kept = usePastedTexts(session.id);
  const text = withPastedTexts(
    draft.trim(),
    kept.texts.map((each) => each.text),
  );
  const connection = useRoom((room) => room.connection.state);
  const canAnswer = useRoom((room) => room.interaction === 'enabled');
  const pending = useRoom((room) => room.pending);
  const questions = useMemo(
    () => (canAnswer ? openQuestionsOf(pending, session.id) : []),
    [pending, session.id, canAnswer],
  );
  const [isAnswering, setAnswering] = useState(false);
  const [became, setBecame] = useState<Became | null>(null);
  const [error, setError] = useState<string | null>(null);
  const blocked = blockedBy(session, connection);
  const offer = offerOf(
    session,
    useRoom((room) => room.whileBusy),
  );
  const purpose = usePurpose(session.id, questions, text !== '' || pictures.length > 0 || isAnswering);
  const { question } = purpose;
  const answers = purpose.isAnswer ? question : null;
  const index = question === null ? -1 : questions.indexOf(question);
  const cards = cardsOf(room);
  const cardDraft = useStore(cards.drafts, (drafts) =>
    question === null ? emptyDraft : draftIn(drafts, question.interaction),
  );
  const answer = answers?.question ? answerOf(answers.question, text, areOptionsShown) : null;
  const isEmpty = text === '' && (pictures.length === 0 || answers !== null);

  /** What is begun while an answer is on its way belongs to no question. */
  const written = (): void => (isAnswering ? purpose.choose(false) : purpose.written());
  const setDraft = (text: string): void => {
    written();
    writeDraft(text);
  };
  const pasted: PastedTexts = {
    ...kept,
    add: (text) => {
      written();
      return kept.add(text);
    },
  };

  const forgetNotes = (): void => {
    setBecame(null);
    setError(null);
  };

  /** Keeps what is typed as the answer to a question, where its card has it, too. */
  const keepAnswer = ({ interaction, at }: OpenQuestion): CardDraft => {
    const draft = cards.draftOf(interaction);
    if (answer !== null && text !== '')
      cards.setDraft(interaction, withAnswer(draft, questionsOf(interaction), at, answer));
    return cards.draftOf(interaction);
  };

  /** What was drafted for a question is in the field again. */
  const show = (next: OpenQuestion): void => {
    purpose.goTo(next);
    kept.clear();
    writeDraft('');
    putBackMessage(session.id, draftedText(next, cards.draftOf(next.interaction)));
    announce(questionText(next));
  };

  const send = async (asked: OpenQuestion): Promise<void> => {
    const { interaction } = asked;
    const field = textFieldOf(interaction);
    const answers = answersOf(questionsOf(interaction), keepAnswer(asked)) ?? [];
    const next = openBeside(questions, asked, cards.draftOf(interaction));
    if (next !== undefined) return show(next);
    setAnswering(true);
    writeDraft('');
    kept.clear();
    const card = await (field === undefined
      ? cards.press(interaction, 'answer', answerWith(interaction, answers))
      : cards.press(interaction, 'submit', submitValues(interaction, { [field.id]: text })));
    // When another was first, the card says so, and what was typed is there again.
    if (card.is === 'submitted' && card.endedBy === 'us') announce(t('composer.answered'));
    else putBackMessage(session.id, text);
    if (card.is === 'failed') setError(errorText(t, card.error));
    setAnswering(false);
  };

  const told = (wanted: Disposition, receipt: Awaited<ReturnType<typeof dispatch>>): void => {
    if (receipt === undefined) return;
    setBecame(becameOf(wanted, offer.enter, receipt));
    announce(t(receipt.status === 'sent' ? 'composer.sent' : 'composer.queued'));
  };

  const submit = async (
    disposition: Disposition = offer.enter === 'interrupt' ? 'interrupt' : 'auto',
  ): Promise<void> => {
    if (isEmpty || blocked !== null || (isAnswering && answers !== null) || purpose.isSettling) return;
    forgetNotes();
    if (text.length > longestText)
      return setError(t('composer.tooLong', { most: longestText.toLocaleString(t.language) }));
    if (answers !== null) return send(answers);
    // What is sent next may belong to this message: it becomes no answer because the field was empty in between.
    setDraft('');
    kept.clear();
    clearDraftPictures(session.id);
    const pictureIds = pictures.map(({ id }) => id);
    told(disposition, await dispatch(transport, { sessionId: session.id, text, pictureIds, disposition }));
  };

  return {
    draft,
    setDraft,
    addToDraft: (added) => {
      written();
      addToDraft(session.id, added);
    },
    begin: purpose.begin,
    written,
    pasted,
    pictures,
    blocked,
    isEnded: blocked === 'stopped' || blocked === 'failed',
    offer,
    question,
    answers,
    isAnswering,
    isSettling: purpose.isSettling,
    isEmpty,
    became,
    error,
    forgetNotes,
    submit,
    setWhileBusy: (whileBusy) =>
      void transport
        .patch(session.id, { whileBusy })
        .catch((refused: unknown) => setError(errorText(t, refused))),
    chooseAnswering: purpose.choose,
    step: { index, count: questions.length },
    goTo: (step) => {
      const next = questions[index + step];
      if (answers === null || next === undefined || isAnswering) return;
      keepAnswer(answers);
      show(next);
    },
    answer,
    hasMore: answers !== null && openBeside(questions, answers, cardDraft) !== undefined,
    retry: async ({ id, disposition }) => told(disposition, await retry(transport, id)),
  };
}
