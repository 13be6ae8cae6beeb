import { type RefObject, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { Interaction } from '../../../protocol/interaction.ts';
import { placeOf } from '../../data/attempts.logic.ts';
import { useControlRoom, useRoom } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { cardsOf } from '../../interaction/cards.ts';
import { routes } from '../../routes.ts';
import { announce } from '../../ui/announcer.tsx';
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
import type { InboxCommand } from './inbox-keys.logic.ts';
import { useLeaving } from './use-leaving.ts';

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
  run(command: InboxCommand): void;
}

export function useInbox(): InboxView {
  const t = useT();
  const room = useControlRoom();
  const [, navigate] = useLocation();
  const pending = useRoom((state) => state.pending);
  const ended = useRoom((state) => state.ended);
  const leaving = useLeaving();
  const [filter, setFilter] = useState<InboxFilter>(noFilter);
  const [chosen, setChosen] = useState<string | null>(null);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [batch, setBatch] = useState<readonly Interaction[] | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const before = useRef<readonly string[]>([]);
  const focusSoon = useRef(false);

  const items = inboxItems(pending, leaving, filter, ended);
  const currentId = currentIn(items, chosen, before.current);
  const current = items.find(({ interaction }) => interaction.interactionId === currentId)?.interaction;
  const selected = pending.filter(({ interactionId }) => marked.has(interactionId));

  useEffect(() => {
    before.current = idsOf(items);
    if (currentId === chosen) return;
    const isNextAttempt = chosen !== null && current?.tool?.replaces === chosen;
    focusSoon.current ||= chosen !== null && !isNextAttempt && isFocusFree();
    setChosen(currentId);
  });
  useEffect(() => {
    if (!focusSoon.current) return;
    focusSoon.current = false;
    const row = list.current?.querySelector<HTMLElement>('[aria-current="true"]');
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  });

  const choose = (id: string | null): void => {
    if (current !== undefined) cardsOf(room).stepBack(current);
    focusSoon.current = true;
    setChosen(id);
  };
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
  const run = (command: InboxCommand): void => {
    if (current === undefined) return;
    switch (command) {
      case 'next':
      case 'previous':
        choose(stepFrom(items, currentId, command === 'next' ? 1 : -1));
        return;
      case 'allow':
      case 'allow-session':
      case 'deny':
      case 'edit':
        decide(room, current, command);
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
    place: current === undefined ? null : placeOf(ended, current).id,
    filter,
    selected,
    batch,
    setFilter,
    choose,
    toggle,
    openBatch,
    run,
    clear: () => setMarked(new Set()),
    closeBatch: () => {
      setBatch(null);
      setMarked(new Set());
    },
    goOn: () => choose(nextOpen(items, currentId) ?? currentId),
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

/** Whether the focus may be moved: it is nowhere, or on what is about to leave. */
const isFocusFree = (): boolean =>
  document.activeElement === null ||
  document.activeElement === document.body ||
  document.activeElement.closest('[data-inbox]') !== null;
