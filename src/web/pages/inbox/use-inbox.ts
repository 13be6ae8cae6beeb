import { type RefObject, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { Interaction } from '../../../protocol/interaction.ts';
import { placeOf } from '../../data/interactions.ts';
import { useControlRoom, useRoom } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { faceOf } from '../../interaction/answers-to.ts';
import { cardsOf } from '../../interaction/cards.ts';
import { quietMs } from '../../interaction/stillness.ts';
import { routes } from '../../routes.ts';
import { announce } from '../../ui/announcer.tsx';
import type { KeyIn } from '../../ui/keys.ts';
import {
  currentIn,
  type InboxFilter,
  type InboxItem,
  idsOf,
  inboxItems,
  isBatchable,
  likeOnes,
  nextOpen,
  noFilter,
  stepFrom,
} from './inbox.logic.ts';
import { canAnswer, decide } from './inbox-commands.ts';

export interface InboxView {
  readonly list: RefObject<HTMLUListElement | null>;
  readonly pending: readonly Interaction[];
  readonly items: readonly InboxItem[];
  readonly currentId: string | null;
  readonly current: Interaction | undefined;
  /** The place of the current one: it stays the same when a tool asks again. */
  readonly place: string | null;
  readonly filter: InboxFilter;
  /** Those ticked, to be allowed together. */
  readonly selected: readonly Interaction[];
  /** The asks in the dialog that allows several at once; null while it is closed. */
  readonly batch: readonly Interaction[] | null;
  setFilter(filter: InboxFilter): void;
  choose(interactionId: string | null): void;
  toggle(interactionId: string): void;
  clear(): void;
  openBatch(): void;
  closeBatch(): void;
  /** The current one was answered here: on to the next that waits. */
  goOn(): void;
  run(command: KeyIn<'inbox'>): void;
}

export function useInbox(): InboxView {
  const t = useT();
  const room = useControlRoom();
  const [, navigate] = useLocation();
  const pending = useRoom((state) => state.pending);
  const leaving = useRoom((state) => state.leaving);
  const known = useRoom((state) => state.known);
  const [filter, setFilter] = useState<InboxFilter>(noFilter);
  const [chosen, setChosen] = useState<string | null>(null);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [batch, setBatch] = useState<readonly Interaction[] | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const before = useRef<readonly string[]>([]);
  /** The one whose row takes the focus when it is the current one. */
  const focusNext = useRef<string | null>(null);
  const isAsOpened = useRoom((state) => state.isAsOpened);
  /** What a person went to, or was led to, last. */
  const goneTo = useRef<string | null>(null);
  /** Where the list goes on to because of an answer given here. */
  const ledTo = useRef<string | null>(null);
  /** When the list last moved on without being told to, and whether that followed an answer given here. */
  const moved = useRef({ at: Number.NEGATIVE_INFINITY, isAfterAnswer: false });

  const items = inboxItems({ known, pending, leaving }, filter);
  const currentId = currentIn(items, chosen, before.current);
  const current = items.find(({ interaction }) => interaction.interactionId === currentId)?.interaction;
  const selected = pending.filter(({ interactionId }) => marked.has(interactionId));

  const face = current === undefined ? null : faceOf(current);
  const isFirst = useRef(true);
  useEffect(() => {
    const isAfterAnswer = ledTo.current !== null && ledTo.current === currentId;
    if (face !== goneTo.current && !isFirst.current && (!isAsOpened || isAfterAnswer))
      moved.current = { at: performance.now(), isAfterAnswer };
    if (isAfterAnswer) ledTo.current = null;
    isFirst.current = false;
    goneTo.current = face;
  }, [face, isAsOpened, currentId]);
  useEffect(() => {
    before.current = idsOf(items);
    if (currentId === chosen) return;
    const isNextAttempt = chosen !== null && current?.tool?.replaces === chosen;
    if (chosen !== null && !isNextAttempt && isFocusFree()) focusNext.current = currentId;
    setChosen(currentId);
  });
  useEffect(() => {
    if (focusNext.current === null || focusNext.current !== currentId) return;
    focusNext.current = null;
    const row = list.current?.querySelector<HTMLElement>('[aria-current="true"]');
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  });

  const choose = (id: string | null): void => {
    if (current !== undefined) cardsOf(room).stepBack(current);
    focusNext.current = id;
    setChosen(id);
  };
  /** Where a person goes by themselves they look; where the list goes, a key was meant for what was there before. */
  const step = (id: string | null): void => {
    const next = items.find(({ interaction }) => interaction.interactionId === id)?.interaction;
    goneTo.current = next === undefined ? null : faceOf(next);
    choose(id);
  };
  const isSettled = (): boolean => performance.now() - moved.current.at >= quietMs;
  const toggle = (id: string): void => {
    const one = pending.find(({ interactionId }) => interactionId === id);
    if (one === undefined || !isBatchable(one)) announce(t('inbox.alone'));
    else setMarked((all) => toggled(all, one, pending));
  };
  const openBatch = (): void => {
    const asks = selected.length > 0 ? selected : current === undefined ? [] : likeOnes(pending, current);
    const open = asks.filter((each) => canAnswer(room, each));
    if (open.length > 0) setBatch(open);
  };
  const run = (command: KeyIn<'inbox'>): void => {
    if (current === undefined) return;
    switch (command) {
      case 'next':
      case 'previous':
        step(stepFrom(items, currentId, command === 'next' ? 1 : -1));
        return;
      case 'allow':
      case 'allow-session':
        if (isSettled() && isSeenToItsEnd()) decide(room, current, command);
        return;
      case 'deny':
      case 'edit':
        // Whoever has just answered goes on with the next; only the same answer again may be one press too many.
        if (isSettled() || moved.current.isAfterAnswer) decide(room, current, command);
        return;
      case 'select':
        toggle(current.interactionId);
        return;
      case 'batch':
        openBatch();
        return;
      case 'open':
        navigate(routes.session(current.sessionId));
    }
  };
  return {
    list,
    pending,
    items,
    currentId,
    current,
    place: current === undefined ? null : placeOf({ known }, current).id,
    filter,
    selected,
    batch,
    setFilter,
    choose: step,
    toggle,
    openBatch,
    run,
    clear: () => setMarked(new Set()),
    closeBatch: () => {
      setBatch(null);
      setMarked(new Set());
    },
    goOn: () => {
      ledTo.current = nextOpen(items, currentId) ?? currentId;
      choose(ledTo.current);
    },
  };
}

/** Only like ones can be allowed together: another kind begins a selection of its own. */
function toggled(
  marked: ReadonlySet<string>,
  one: Interaction,
  pending: readonly Interaction[],
): ReadonlySet<string> {
  const like = new Set<string>(likeOnes(pending, one).map(({ interactionId }) => interactionId));
  const next = new Set([...marked].filter((each) => like.has(each)));
  if (!next.delete(one.interactionId)) next.add(one.interactionId);
  return next;
}

/** Whether the end of the card is in view; if not, it is brought there, and the next press is for what is seen then. */
function isSeenToItsEnd(): boolean {
  const card = document.querySelector('section[data-inbox] [data-ask]');
  const view = card?.closest('section')?.getBoundingClientRect();
  if (!card || !view || card.getBoundingClientRect().bottom <= view.bottom + 1) return true;
  card.scrollIntoView({ block: 'end' });
  return false;
}

/** Whether the focus may be moved: it is nowhere, or on what is about to leave. */
const isFocusFree = (): boolean =>
  document.activeElement === null ||
  document.activeElement === document.body ||
  document.activeElement.closest('[data-inbox]') !== null;
