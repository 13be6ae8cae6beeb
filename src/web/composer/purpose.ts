import { useRef, useState } from 'react';
import { create } from 'zustand';
import type { Interaction } from '../../protocol/interaction.ts';
import { useRoom } from '../data/room-context.tsx';
import { faceOf } from '../interaction/answers-to.ts';
import { useIsNew } from '../interaction/stillness.ts';

/** For one question of a session: whether what is typed there answers it. */
interface Choice {
  readonly face: string;
  readonly isAnswer: boolean;
}

/** Kept outside of the composers: a draft goes with its session from one page to another, and so does what it is for. */
const useChoices = create<Readonly<Record<string, Choice>>>(() => ({}));

export interface Purpose {
  /** Whether what is typed answers the question that is open. */
  readonly isAnswer: boolean;
  /** What was typed was for a question that has just gone: Enter does nothing until a person can have seen that. */
  readonly isSettling: boolean;
  choose(isAnswer: boolean): void;
  /** A key or the pointer goes down in the field, or something is dragged over it: what comes of it is meant for what could be seen now. */
  begin(): void;
  /** Something is put into the field: it, and what follows, is for the question only if that could be seen when this was begun. */
  written(): void;
}

/**
 * A draft that was there before the question stays a message, and so does one that was begun before a person can have seen
 * the question. What is begun later answers it. Either can be changed by choosing.
 */
export function usePurpose(sessionId: string, question: Interaction | null, hasDraft: boolean): Purpose {
  const face = question === null ? null : faceOf(question);
  const chosen = useChoices((choices) => choices[sessionId]);
  const isAsOpened = useRoom((room) => room.isAsOpened);
  const isNew = useIsNew(face);
  const seen = isNew && !isAsOpened ? null : face;
  const seenAtBegin = useRef<string | null>(undefined);
  const isOpen = chosen?.face !== face;
  const isAnswer = face !== null && (isOpen ? !hasDraft : chosen.isAnswer);
  const [latest, setLatest] = useState({ face, wasAnswer: false });
  if (latest.face !== face)
    setLatest({ face, wasAnswer: hasDraft && chosen?.face === latest.face && chosen?.isAnswer === true });
  const choose = (next: boolean): void => {
    if (face !== null) useChoices.setState({ [sessionId]: { face, isAnswer: next } });
  };
  return {
    isAnswer,
    isSettling: isNew && latest.wasAnswer && hasDraft && !isAnswer,
    choose,
    begin: () => {
      seenAtBegin.current = seen;
    },
    written: () => {
      const couldSee = seenAtBegin.current === undefined ? seen : seenAtBegin.current;
      if (isOpen) choose(isAnswer && couldSee === face);
    },
  };
}
