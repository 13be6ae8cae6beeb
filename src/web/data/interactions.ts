import type { Interaction } from '../../protocol/interaction.ts';

/** How an interaction ended stays readable for so long, wherever it is shown, before it leaves. */
export const keptMs = 2000;
/** A tool may ask again because of what was answered: so long at least, and at most, its card stays as it was sent. */
const sentMs = { least: 400, most: 2500 } as const;

/** What was pressed, so that the spinner is in the button that was. */
export type CardAction =
  | 'allow'
  | 'allow-session'
  | 'allow-always'
  | 'deny'
  | 'deny-interrupt'
  | 'answer'
  | 'submit'
  | 'decline'
  | 'dismiss';

/** Why a press wants another: the agent advises against it, or not all of it could be seen yet. */
export type Doubt = 'advised-against' | 'unread';

/** What this page has pressed on an open interaction, until the server has said what became of it. */
export type Press =
  | { readonly is: 'confirming'; readonly action: CardAction; readonly doubt: Doubt; readonly since: number }
  | { readonly is: 'submitting'; readonly action: CardAction }
  | { readonly is: 'failed'; readonly action: CardAction; readonly error: Error };

/** Who ended it, as far as this page can tell: a page that came later only knows what the record says. */
export type EndedBy = 'us' | 'another' | 'unknown';

interface End {
  readonly by: EndedBy;
  /** The connection has told it, or tells no more of it: nothing that is still under way there can say that it is open. */
  readonly isTold: boolean;
  /** `sent`: it was answered here and may be asked again; `leaving`: it shows how it ended; `gone`: it is shown no more. */
  readonly phase: 'sent' | 'leaving' | 'gone';
  /** When the phase began, in milliseconds by a clock of the page. */
  readonly since: number;
  /** What it was answered with, where it may be asked again. */
  readonly action: CardAction | null;
}

/** Where an ask stands: at the place, and with the age, of the first in its row of attempts. */
export interface Place {
  readonly id: string;
  readonly since: string;
}

export interface KnownInteraction {
  /** As it was last told, by whatever way. */
  readonly interaction: Interaction;
  readonly place: Place;
  readonly end: End | null;
}

/** All that this page knows of open interactions and of those that have just ended; the lists follow from it. */
export interface Interactions {
  readonly known: Readonly<Record<string, KnownInteraction>>;
  readonly presses: Readonly<Record<string, Press>>;
  /** Open ones, oldest first. */
  readonly pending: readonly Interaction[];
  /** Those that ended a moment ago and are still shown, unless another attempt has taken their place. */
  readonly leaving: readonly Interaction[];
}

export const noInteractions: Interactions = { known: {}, presses: {}, pending: [], leaving: [] };

/** Something said of interactions, and by which way it came. */
export type InteractionNews =
  /** All that are open. It is said on the connection, in order with announcements. */
  | { readonly by: 'snapshot'; readonly pending: readonly Interaction[] }
  | { readonly by: 'announcement'; readonly interaction: Interaction }
  /** What the log of a session that is followed makes of it. */
  | { readonly by: 'event'; readonly interaction: Interaction }
  /** The answer of this page was taken. */
  | { readonly by: 'reply'; readonly interaction: Interaction }
  /** The answer of this page came too late: so it had ended. */
  | { readonly by: 'refusal'; readonly interaction: Interaction }
  | { readonly by: 'removal'; readonly sessionId: string };

/** The one place where it is said what news makes of what is known. The ways are not in step with each other: the same may come twice, late, or never. */
export function afterNews<I extends Interactions>(before: I, news: InteractionNews, now: number): I {
  switch (news.by) {
    case 'snapshot': {
      const told = new Set<string>(news.pending.map(({ interactionId }) => interactionId));
      // What was open and is not among them has ended out of sight.
      const kept = Object.entries(before.known).flatMap(([id, each]): [string, KnownInteraction][] =>
        told.has(id) ? [[id, each]] : each.end === null ? [] : [[id, withEnd(each, { isTold: true })]],
      );
      const known = Object.fromEntries(kept);
      for (const interaction of news.pending)
        known[interaction.interactionId] = learned(
          { known, presses: before.presses },
          news.by,
          interaction,
          now,
        );
      return withKnown(before, known);
    }
    case 'removal':
      return withKnown(
        before,
        Object.fromEntries(
          Object.entries(before.known).filter(
            ([, { interaction }]) => interaction.sessionId !== news.sessionId,
          ),
        ),
      );
    default: {
      const { interaction, by } = news;
      const id = interaction.interactionId;
      const isAnswered = by === 'reply' || by === 'refusal';
      // What is not known was let go or is not told yet; its end is none here, and a log does not open it.
      const isOurs = id in before.known || isAnswered || (by === 'announcement' && isOpen(interaction));
      const after = isAnswered ? withPress(before, id, null) : before;
      if (!isOurs) return after;
      return withKnown(after, { ...after.known, [id]: learned(before, by, interaction, now) });
    }
  }
}

/** What is looked at when something is about to leave. */
export interface Surroundings {
  /** Whether the agent still waits for the call that asked. */
  isCalling(interaction: Interaction): boolean;
  /** Whether a card of it is drawn: that may have been handed nothing newer than how it was when it was open. */
  isDrawn(interactionId: string): boolean;
}

/** What time makes of it: what has been shown long enough leaves, and what nobody can take for open any more is let go. */
export function afterTime<I extends Interactions>(
  before: I,
  now: number,
  { isCalling, isDrawn }: Surroundings,
): I {
  const entries = Object.entries(before.known);
  if (entries.every(([, { end }]) => end === null)) return before;
  const replaced = replacedIn(before.known);
  const kept = entries.flatMap(([id, known]): [string, KnownInteraction][] => {
    const { end, interaction } = known;
    if (end === null) return [[id, known]];
    const phase = replaced.has(id) ? 'gone' : phaseAt(end, now, () => isCalling(interaction));
    const mayBeNeeded = !end.isTold || before.presses[id]?.is === 'submitting' || isDrawn(id);
    if (phase === 'gone' && !mayBeNeeded) return [];
    return [[id, phase === end.phase ? known : { ...known, end: { ...end, phase, since: now } }]];
  });
  return withKnown(before, Object.fromEntries(kept));
}

/** When time will make something else of it; undefined when nothing is about to leave. */
export function nextChange({ known }: Interactions, now: number): number | undefined {
  const due = Object.values(known).flatMap(({ end }) => {
    if (end === null || end.phase === 'gone') return [];
    if (end.phase === 'leaving') return [end.since + keptMs];
    return [end.since + sentMs.least, end.since + sentMs.most].filter((each) => each > now).slice(0, 1);
  });
  return due.length === 0 ? undefined : Math.min(...due);
}

/** With what was pressed on an interaction; nothing is, where it has ended meanwhile. */
export function withPress<I extends Interactions>(before: I, interactionId: string, made: Press | null): I {
  const { [interactionId]: pressed = null, ...others } = before.presses;
  const press = (before.known[interactionId]?.end ?? null) === null ? made : null;
  if (press === pressed) return before;
  return { ...before, presses: press === null ? others : { ...others, [interactionId]: press } };
}

/** The end wins, and else what changed last. */
export function newerOf(known: Interaction | undefined, told: Interaction): Interaction {
  if (known === undefined) return told;
  if (isOpen(known) !== isOpen(told)) return isOpen(known) ? told : known;
  return (told.revision ?? Number.POSITIVE_INFINITY) > (known.revision ?? 0) ? told : known;
}

/** The place of an ask; of one that is not known by itself. */
export function placeOf({ known }: Pick<Interactions, 'known'>, interaction: Interaction): Place {
  const { interactionId, createdAt, tool } = interaction;
  const before = tool?.replaces === undefined ? undefined : known[tool.replaces];
  return (
    known[interactionId]?.place ?? before?.place ?? { id: tool?.replaces ?? interactionId, since: createdAt }
  );
}

/** The latest attempt at a place, while it is shown. */
export function latestAt({ known, pending, leaving }: Interactions, place: string): Interaction | undefined {
  return [...leaving, ...pending].findLast(({ interactionId }) => known[interactionId]?.place.id === place);
}

/** What a session waits for; or what was just answered here and may be asked again in the same place. */
export const askedIn = (
  { known, pending, leaving }: Interactions,
  sessionId: string,
): Interaction | undefined =>
  pending.find((each) => each.sessionId === sessionId && each.leftOpen === undefined) ??
  leaving.findLast((each) => each.sessionId === sessionId && phaseOf(known, each) === 'sent');

/** What of a session has just ended. */
export const endedIn = ({ known, leaving }: Interactions, sessionId: string): Interaction | undefined =>
  leaving.findLast((each) => each.sessionId === sessionId && phaseOf(known, each) === 'leaving');

export const phaseOf = (
  known: Interactions['known'],
  { interactionId }: Interaction,
): End['phase'] | undefined => known[interactionId]?.end?.phase;

function learned(
  { known, presses }: Pick<Interactions, 'known' | 'presses'>,
  by: InteractionNews['by'],
  told: Interaction,
  now: number,
): KnownInteraction {
  const before = known[told.interactionId];
  const interaction = newerOf(before?.interaction, told);
  const place = placeOf({ known }, interaction);
  if (isOpen(interaction))
    return interaction === before?.interaction ? before : { interaction, place, end: null };
  const end = before?.end ?? newEnd(interaction, presses[interaction.interactionId], now);
  const changes = {
    // What the connection never told as open, it has told the end of, or will not tell at all.
    isTold: end.isTold || before === undefined || (by === 'announcement' && !isOpen(told)),
    ...(by === 'reply' ? { by: 'us' as const } : {}),
    ...(by === 'refusal'
      ? { by: 'another' as const, phase: end.phase === 'sent' ? ('leaving' as const) : end.phase }
      : {}),
  };
  return withEnd({ interaction, place: before?.place ?? place, end }, changes, before);
}

/** News of the end may come before the reply to the answer that made it. */
function newEnd({ tool }: Interaction, press: Press | undefined, now: number): End {
  const action = press?.is === 'submitting' ? press.action : null;
  const mayBeAskedAgain = tool !== undefined && (action === 'submit' || action?.startsWith('allow') === true);
  return {
    by: action === null ? 'another' : 'us',
    isTold: false,
    phase: mayBeAskedAgain ? 'sent' : 'leaving',
    since: now,
    action: mayBeAskedAgain ? action : null,
  };
}

function phaseAt({ phase, since }: End, now: number, isCalling: () => boolean): End['phase'] {
  const passed = now - since;
  switch (phase) {
    case 'sent':
      return passed >= sentMs.most || (passed >= sentMs.least && !isCalling()) ? 'leaving' : 'sent';
    case 'leaving':
      return passed >= keptMs ? 'gone' : 'leaving';
    case 'gone':
      return 'gone';
  }
}

/** The same object where nothing changes, so that nothing is drawn anew. */
function withEnd(
  known: KnownInteraction,
  changes: Partial<End>,
  before: KnownInteraction | undefined = known,
): KnownInteraction {
  if (known.end === null) return known;
  const end = { ...known.end, ...changes };
  const isSame =
    known.interaction === before?.interaction &&
    before.end !== null &&
    end.by === before.end.by &&
    end.isTold === before.end.isTold &&
    end.phase === before.end.phase;
  return isSame ? before : { ...known, end };
}

function withKnown<I extends Interactions>(before: I, known: Interactions['known']): I {
  const ids = Object.keys(known);
  if (ids.length === Object.keys(before.known).length && ids.every((id) => known[id] === before.known[id]))
    return before;
  const replaced = replacedIn(known);
  const all = Object.values(known);
  const pending = all.filter(({ end }) => end === null).map(({ interaction }) => interaction);
  const leaving = all.filter(
    ({ end, interaction }) =>
      end !== null && end.phase !== 'gone' && !replaced.has(interaction.interactionId),
  );
  const presses = Object.fromEntries(
    Object.entries(before.presses).filter(
      ([id, press]) => press.is === 'submitting' || !(id in before.known) || id in known,
    ),
  );
  return {
    ...before,
    known,
    presses: Object.keys(presses).length === Object.keys(before.presses).length ? before.presses : presses,
    pending: sameList(before.pending, pending.sort(byAge)),
    leaving: sameList(
      before.leaving,
      leaving.map(({ interaction }) => interaction),
    ),
  };
}

const replacedIn = (known: Interactions['known']): ReadonlySet<string | undefined> =>
  new Set(Object.values(known).map(({ interaction }) => interaction.tool?.replaces));

const sameList = <T>(before: readonly T[], after: readonly T[]): readonly T[] =>
  before.length === after.length && before.every((each, at) => each === after[at]) ? before : after;

const isOpen = ({ status }: Pick<Interaction, 'status'>): boolean => status === 'open';

const byAge = (a: Interaction, b: Interaction): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0;
