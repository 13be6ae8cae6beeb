import { type KeyboardEvent, useMemo, useState } from 'react';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Disposition, Session, WhileBusy } from '../../protocol/session.ts';
import { useDraft } from '../data/drafts.ts';
import { useControlRoom, useRoom, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { answerWith, submitValues } from '../interaction/answers-to.ts';
import { cardsOf } from '../interaction/cards.ts';
import { errorText } from '../text/error-text.ts';
import { announce } from '../ui/announcer.tsx';
import { characterOf } from '../ui/keys.ts';
import {
  answerOf,
  type Became,
  type Blocked,
  becameOf,
  blockedBy,
  type Offer,
  offerOf,
  openQuestionOf,
  textFieldOf,
} from './composer.logic.ts';
import { dispatch, type Outgoing, retry } from './outbox.ts';
import { clearDraftPictures, type Picture, useDraftPictures } from './pictures.ts';
import { usePurpose } from './purpose.ts';

export interface ComposerModel {
  readonly draft: string;
  setDraft(text: string): void;
  /** To be told of every key in the field, before what it does. */
  keyPressed(event: KeyboardEvent): void;
  readonly pictures: readonly Picture[];
  readonly blocked: Blocked | null;
  readonly offer: Offer;
  /** The question that the text answers; null where it is a message. */
  readonly answers: Interaction | null;
  /** A question that could be answered, whatever was chosen. */
  readonly question: Interaction | null;
  chooseAnswering(isAnswering: boolean): void;
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

export function useComposer(session: Session): ComposerModel {
  const t = useT();
  const room = useControlRoom();
  const transport = useTransport();
  const [draft, writeDraft] = useDraft(session.id);
  const pictures = useDraftPictures(session.id);
  const connection = useRoom((room) => room.connection.state);
  const canAnswer = useRoom((room) => room.interaction === 'enabled');
  const pending = useRoom((room) => room.pending);
  const question = useMemo(
    () => (canAnswer ? (openQuestionOf(pending, session.id) ?? null) : null),
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
  const purpose = usePurpose(session.id, question, draft.trim() !== '' || pictures.length > 0);
  const answers = purpose.isAnswer ? question : null;
  const isEmpty = draft.trim() === '' && (pictures.length === 0 || answers !== null);

  const setDraft = (text: string): void => {
    purpose.keep();
    writeDraft(text);
  };

  const forgetNotes = (): void => {
    setBecame(null);
    setError(null);
  };

  const answer = async (asked: Interaction, text: string): Promise<void> => {
    setAnswering(true);
    const field = textFieldOf(asked);
    const card = await (field === undefined
      ? cardsOf(room).press(asked, 'answer', answerWith(asked, [answerOf(asked, text)]))
      : cardsOf(room).press(asked, 'submit', submitValues(asked, { [field.id]: text })));
    // When another was first, the card says so, and what was typed is kept.
    if (card.is === 'submitted' && card.endedBy === 'us') {
      writeDraft('');
      announce(t('composer.answered'));
    } else if (card.is === 'failed') setError(errorText(t, card.error));
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
    const text = draft.trim();
    if (isEmpty || blocked !== null || isAnswering || purpose.isSettling) return;
    forgetNotes();
    if (answers !== null) return answer(answers, text);
    // What is sent next may belong to this message: it becomes no answer because the field was empty in between.
    setDraft('');
    clearDraftPictures(session.id);
    const pictureIds = pictures.map(({ id }) => id);
    told(disposition, await dispatch(transport, { sessionId: session.id, text, pictureIds, disposition }));
  };

  return {
    draft,
    setDraft,
    keyPressed: (event) => {
      if (characterOf(event) !== undefined) purpose.keyPressed();
    },
    pictures,
    blocked,
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
    retry: async ({ id, disposition }) => told(disposition, await retry(transport, id)),
  };
}
