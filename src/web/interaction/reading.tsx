import { ChevronDown } from 'lucide-react';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Interaction } from '../../protocol/interaction.ts';
import { useControlRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { isKey } from '../ui/keys.ts';
import { useOverflow } from '../ui/use-overflow.ts';
import { faceOf } from './answers-to.ts';
import { cardsOf } from './cards.ts';

/** What the parts of a card tell of which not all may be in sight. It is of what one ask shows, and of nothing that takes its place. */
interface Reading {
  readonly face: string;
  tell(part: string, isRead: boolean): void;
  leave(part: string): void;
  /** The card is on the screen, until the function that is given back is called. */
  open(): () => void;
}

const ReadingContext = createContext<Reading | null>(null);
export const ReadingProvider = ReadingContext.Provider;

/** Notes an ask as read when there is nothing left in its card that could not have been seen. */
export function useReading(interaction: Interaction): Reading {
  const cards = cardsOf(useControlRoom());
  const face = faceOf(interaction);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told anew, it is the same to read as long as it shows the same
  const reading = useMemo(() => readingOf(face, () => cards.markRead(interaction)), [cards, face]);
  useLayoutEffect(() => reading.open(), [reading]);
  return reading;
}

function readingOf(face: string, noteRead: () => void): Reading {
  const parts = new Map<string, boolean>();
  let isThere = false;
  // Parts that come together each tell how they are: only then is it looked at.
  const checkSoon = (): void =>
    queueMicrotask(() => {
      // A card that leaves the screen takes its parts with it one by one: that is not reading them.
      if (isThere && [...parts.values()].every((isRead) => isRead)) noteRead();
    });
  return {
    face,
    tell(part, isRead) {
      parts.set(part, isRead || parts.get(part) === true);
      checkSoon();
    },
    leave(part) {
      parts.delete(part);
      checkSoon();
    },
    open() {
      isThere = true;
      checkSoon();
      return () => {
        isThere = false;
      };
    },
  };
}

/** Tells of a part of the card that this is in, if it is in one. What was read once stays read, as long as it is there. */
export function useReadPart(isRead: boolean): void {
  const reading = useContext(ReadingContext);
  const part = useId();
  useLayoutEffect(() => reading?.tell(part, isRead), [reading, part, isRead]);
  useLayoutEffect(() => () => reading?.leave(part), [reading, part]);
}

/** Stands where something of an ask is not shown, or not yet. */
export function NotShown(): null {
  useReadPart(false);
  return null;
}

/** How high a box may be on a page that scrolls: what is usual has room in it. */
export const tall = 'max-h-[max(50vh,30rem)]';

/** Less than this below the edge is no line. */
const slack = 4;

interface ReadBoxProps {
  readonly className: string;
  /** False while something is left out of what is in it. */
  readonly isWhole?: boolean;
  /** It came in place of what was pressed to open it: the keys go on here. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}

/** What a person decides on, in a box that says how much of it is not in view. It is read when its end has been. */
export function ReadBox(props: ReadBoxProps) {
  // A new one for whatever else is shown: what was measured and scrolled says nothing of it.
  return <MeasuredBox key={useContext(ReadingContext)?.face} {...props} />;
}

function MeasuredBox({ className, isWhole = true, takesFocus = false, children }: ReadBoxProps) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const overflow = useOverflow(box);
  const below = overflow === null || overflow.below <= slack ? 0 : overflow.below;
  useReadPart(isWhole && overflow?.isVisible === true && below === 0);
  useEffect(() => {
    if (takesFocus) box.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  // It keeps its place once it was there, so that nothing moves when the end is reached.
  const [wasLonger, setWasLonger] = useState(false);
  if (below > 0 && !wasLonger) setWasLonger(true);
  const hiddenFields = below === 0 ? 0 : fieldsBelow(box.current);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key is kept from others, and does what it does by itself */}
      <div
        ref={box}
        // To the end of this, not of the conversation around it.
        onKeyDown={(event) => isKey('session.latest', event) && below > 0 && event.stopPropagation()}
        tabIndex={overflow?.isLonger ? 0 : takesFocus ? -1 : undefined}
        data-more={below > 0 || undefined}
        className={cx(
          'overflow-auto data-more:[mask-image:linear-gradient(to_top,transparent,black_1.5rem)]',
          className,
        )}
      >
        {children}
      </div>
      {wasLonger && (
        <MoreButton
          isHidden={below === 0}
          onPress={() => box.current?.scrollBy({ top: box.current.clientHeight * 0.9 })}
        >
          {[
            t('ask.moreLines', { count: Math.max(1, Math.ceil(below / lineHeightIn(box.current))) }),
            ...(hiddenFields === 0 ? [] : [t('ask.moreFields', { count: hiddenFields })]),
          ].join(', ')}
        </MoreButton>
      )}
    </>
  );
}

/** Says how much is not shown, and shows it. */
export const MoreButton = ({
  isHidden = false,
  onPress,
  children,
}: {
  readonly isHidden?: boolean;
  readonly onPress: () => void;
  readonly children: string;
}) => (
  <button
    type="button"
    onClick={onPress}
    className={cx(
      'flex min-h-6 items-center gap-1 self-start rounded-tight px-1 font-medium font-sans text-xs text-you-ink hover:underline pointer-coarse:min-h-11',
      isHidden && 'invisible',
    )}
  >
    <ChevronDown aria-hidden className="size-3.5 shrink-0" />
    {children}
  </button>
);

/** How many fields of an input end below what is in view. */
function fieldsBelow(box: HTMLElement | null): number {
  const bottom = box?.getBoundingClientRect().bottom ?? 0;
  const fields = [...(box?.querySelectorAll('dd') ?? [])];
  return fields.filter((field) => field.getBoundingClientRect().bottom > bottom + slack).length;
}

const lineHeightIn = (element: HTMLElement | null): number =>
  (element === null ? Number.NaN : Number.parseFloat(getComputedStyle(element).lineHeight)) || 20;

/** More than this would hold up everything else on the page: what is longer cannot be read here. */
const mostCharacters = 400_000;

/** What a machine would get, exactly. A long one shows both of its ends, with how much is between them, until all of it is opened. */
export function LongText({ text, className }: { readonly text: string; readonly className?: string }) {
  const [isOpen, setOpen] = useState(false);
  const ends = isOpen ? null : bothEnds(text, fullRoom);
  return (
    <ReadBox
      key={String(isOpen)}
      isWhole={ends === null && text.length <= mostCharacters}
      takesFocus={isOpen}
      className={cx(tall, className)}
    >
      {ends === null ? (
        <pre className={machine}>{text.slice(0, mostCharacters)}</pre>
      ) : (
        <Ends ends={ends} onOpen={() => setOpen(true)} />
      )}
    </ReadBox>
  );
}

/** The same where there is little room: the rest of it is opened large. */
export function ShortText({ text, onOpen }: { readonly text: string; readonly onOpen: () => void }) {
  const ends = bothEnds(text, compactRoom);
  if (ends === null) return <pre className={machine}>{text}</pre>;
  return (
    <>
      <NotShown />
      <Ends ends={ends} onOpen={onOpen} />
    </>
  );
}

function Ends({ ends, onOpen }: { readonly ends: BothEnds; readonly onOpen: () => void }) {
  const t = useT();
  const { head, tail, hidden } = ends;
  return (
    <>
      {head !== '' && <pre className={machine}>{head}</pre>}
      <MoreButton onPress={onOpen}>
        {'lines' in hidden
          ? t('ask.moreLines', { count: hidden.lines })
          : t('ask.moreCharacters', { count: hidden.characters })}
      </MoreButton>
      {tail !== '' && <pre className={machine}>{tail}</pre>}
    </>
  );
}

const machine = 'whitespace-pre-wrap font-mono wrap-anywhere';

/** How much of a long text is shown at each end of it. */
export interface Room {
  readonly headLines: number;
  readonly tailLines: number;
  readonly charactersPerLine: number;
}

export const fullRoom: Room = { headLines: 10, tailLines: 6, charactersPerLine: 120 };
export const compactRoom: Room = { headLines: 2, tailLines: 2, charactersPerLine: 40 };

export interface BothEnds {
  readonly head: string;
  readonly tail: string;
  readonly hidden: { readonly lines: number } | { readonly characters: number };
}

/** So little is not worth a press: it is shown. */
const fewLines = 3;

/** Both ends of a text that is too long to be shown at once; null for one that is not. */
export function bothEnds(text: string, { headLines, tailLines, charactersPerLine }: Room): BothEnds | null {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const most = headLines + tailLines + fewLines;
  if (breaks.length < most && text.length <= most * charactersPerLine) return null;
  const headEnd = Math.min(breaks[headLines - 1] ?? text.length, headLines * charactersPerLine);
  const tailStart = Math.max(
    (breaks.at(-tailLines) ?? -1) + 1,
    text.length - tailLines * charactersPerLine,
    headEnd,
  );
  // Blank lines at the cut tell nothing: they are among what is counted.
  const head = text.slice(0, headEnd).trimEnd();
  const tail = text.slice(tailStart).replace(/^(?:[^\S\n]*\n)+/, '');
  const between = text.slice(head.length, text.length - tail.length);
  const hiddenBreaks = between.split('\n').length - 1;
  const hidden = hiddenBreaks > 1 ? { lines: hiddenBreaks - 1 } : { characters: between.length };
  return { head, tail, hidden };
}
