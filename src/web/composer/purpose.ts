import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { create, useStore } from 'zustand';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { faceOf } from '../interaction/answers-to.ts';
import { cardsOf, draftIn } from '../interaction/cards.ts';
import { quietMs, useIsNew } from '../interaction/stillness.ts';
import { currentQuestion, draftedText, type OpenQuestion, type Standing } from './composer.logic.ts';

/** For one question of a session: whether what is typed there answers it. */
interface Choice extends Standing {
  readonly isAnswer: boolean;
}

/** Kept outside of the composers: a draft goes with its session from one page to another, and so does what it is for. */
const useChoices = create<Readonly<Record<string, Choice>>>(() => ({}));

export interface Purpose {
  /** The question that what is typed could answer. */
  readonly question: OpenQuestion | null;
  /** Whether what is typed answers the question. */
  readonly isAnswer: boolean;
  /** What was typed was for a question that has just gone: Enter does nothing until a person can have seen that. */
  readonly isSettling: boolean;
  choose(isAnswer: boolean): void;
  /** Answers another of the questions that are open. */
  goTo(question: OpenQuestion): void;
  /** A key or the pointer goes down in the field, or something is dragged over it: what comes of it is meant for what could be seen now. */
  begin(): void;
  /** Something is put into the field: it, and what follows, is for the question only if that could be seen when this was begun. */
  written(): void;
}

/**
 * A draft that was there before the question stays a message, and so does one that was begun before a person can have seen
 * the question. What is begun later answers it. Either can be changed by choosing.
 */
export function usePurpose(
  sessionId: string,
  questions: readonly OpenQuestion[],
  hasDraft: boolean,
): Purpose {
  const cards = cardsOf(useControlRoom());
  const chosen = useChoices((choices) => choices[sessionId]);
  const question = useStore(
    cards.drafts,
    useCallback(
      (drafts) => currentQuestion(questions, chosen, (of) => draftIn(drafts, of), hasDraft) ?? null,
      [questions, chosen, hasDraft],
    ),
  );
  const face = question === null ? null : faceOf(question.interaction);
  const isAsOpened = useRoom((room) => room.isAsOpened);
  const isNew = useIsNew(face);
  // By the clock, and not by what was drawn last: a drawing that comes late must not make an answer a message.
  const shown = useRef({ face, since: Number.NEGATIVE_INFINITY });
  useLayoutEffect(() => {
    if (shown.current.face !== face) shown.current = { face, since: performance.now() };
  }, [face]);
  const seen = (): string | null =>
    isAsOpened || performance.now() - shown.current.since >= quietMs ? shown.current.face : null;
  const seenAtBegin = useRef<string | null>(undefined);
  const isOpen = chosen?.face !== face;
  const isAnswer = face !== null && (isOpen ? !hasDraft : chosen.isAnswer);
  const [latest, setLatest] = useState({ face, wasAnswer: false, at: 0 });
  if (latest.face !== face) {
    const at = performance.now();
    const wasForIt = chosen?.face === latest.face && chosen?.isAnswer === true;
    // Between one question that goes and one that comes there may be a moment without any.
    const isStillFor = latest.wasAnswer && at - latest.at < quietMs;
    setLatest({ face, wasAnswer: hasDraft && (wasForIt || isStillFor), at });
  }
  const stand = (at: OpenQuestion | null, next: boolean): void => {
    if (at === null) return;
    const { interaction } = at;
    const drafted = draftedText(at, cards.draftOf(interaction));
    useChoices.setState({
      [sessionId]: { face: faceOf(interaction), at: at.at, drafted, isAnswer: next },
    });
  };
  return {
    question,
    isAnswer,
    isSettling: isNew && latest.wasAnswer && hasDraft && !isAnswer,
    choose: (next) => stand(question, next),
    goTo: (next) => stand(next, true),
    begin: () => {
      seenAtBegin.current = seen();
    },
    written: () => {
      const couldSee = seenAtBegin.current === undefined ? seen() : seenAtBegin.current;
      if (isOpen) stand(question, isAnswer && couldSee === face);
      else if (!hasDraft) stand(question, isAnswer);
    },
  };
}
