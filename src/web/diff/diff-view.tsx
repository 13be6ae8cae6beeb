import { Columns2, Rows3 } from 'lucide-react';
import { Fragment, memo, useMemo, useState } from 'react';
import { type Hunk, type HunkLine, hunksBetween } from '../../model/diff-lines.ts';
import { showInvisible } from '../../model/suspicious-text.ts';
import { setPreferences, usePreferences } from '../data/preferences.ts';
import { useT } from '../i18n/i18n.ts';
import { ReadBox, tall, useReadPart } from '../interaction/reading.tsx';
import { languageOfFile } from '../markdown/highlight/language.logic.ts';
import { useHighlight } from '../markdown/highlight/use-highlight.ts';
import { useMedium } from '../ui/media.ts';
import '../markdown/code.css';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { type ColouredLine, coloured, pairsOf, partsOf, sidesOf } from './patch.logic.ts';

/** A change as a person reviews it: what goes out and what comes in; a new text with the numbers of its lines. */
export function DiffView({
  before,
  after,
  path = '',
}: {
  readonly before: string;
  readonly after: string;
  /** Of the file, whose name tells the language. */
  readonly path?: string | undefined;
}) {
  const hunks = useMemo(() => hunksBetween(before, after), [before, after]);
  return (
    <ReadBox className={cx(tall, 'rounded-tight border border-line bg-surface')}>
      <PatchView hunks={hunks} path={path} isWrapped />
    </ReadBox>
  );
}

const shownAtOnce = 120;

/** A change, line by line or side by side, with the numbers of the lines and what differs within them. */
export const PatchView = memo(function PatchView({
  hunks,
  path,
  isWrapped = false,
  most = shownAtOnce,
}: {
  readonly hunks: readonly Hunk[];
  readonly path: string;
  /** So many lines are shown at once. */
  readonly most?: number;
  /** Long lines go on below rather than out of sight. */
  readonly isWrapped?: boolean;
}) {
  const t = useT();
  const [isWhole, setWhole] = useState(false);
  const layout = usePreferences((preferences) => preferences.diffLayout);
  const isPhone = useMedium('phone');
  const all = hunks.reduce((sum, hunk) => sum + hunk.length, 0);
  useReadPart(isWhole || all <= most);
  const shown = useMemo(() => (isWhole ? hunks : firstLines(hunks, most)), [hunks, isWhole, most]);
  const lines = useColoured(shown, path);
  const isSplit = layout === 'split' && !isPhone;
  const Hunks = isSplit ? SplitHunk : UnifiedHunk;
  return (
    <div className="group/patch relative">
      <ScrollArea className="py-1">
        <div className={cx('font-mono text-xs leading-5', !isWrapped && !isSplit && 'w-max min-w-full')}>
          {lines.map((hunk, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no other name than their place
            <Fragment key={at}>
              {at > 0 && <div className="h-5 select-none bg-ground px-3 text-faint">⋯</div>}
              <Hunks lines={hunk} isNumbered={hunks.some(isNumbered)} isWrapped={isWrapped} />
            </Fragment>
          ))}
        </div>
      </ScrollArea>
      {!isPhone && (
        <div className="absolute top-1 right-1 rounded-ui bg-surface opacity-0 transition-opacity duration-150 group-focus-within/patch:opacity-100 group-hover/patch:opacity-100 pointer-coarse:opacity-100">
          <IconButton
            icon={isSplit ? Rows3 : Columns2}
            label={t(isSplit ? 'diff.unified' : 'diff.split')}
            onClick={() => setPreferences({ diffLayout: isSplit ? 'unified' : 'split' })}
          />
        </div>
      )}
      {all > most && !isWhole && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="block w-full border-line border-t px-3 py-1 text-left text-faint text-xs hover:text-ink pointer-coarse:min-h-11"
        >
          {t('conversation.showAll', { count: all })}
        </button>
      )}
    </div>
  );
});

function useColoured(hunks: readonly Hunk[], path: string): readonly (readonly ColouredLine[])[] {
  const { before, after } = useMemo(() => sidesOf(hunks), [hunks]);
  const language = useMemo(() => languageOfFile(path), [path]);
  const old = useHighlight(before, language, false);
  const fresh = useHighlight(after, language, false);
  return useMemo(() => coloured(hunks, old, fresh), [hunks, old, fresh]);
}

function firstLines(hunks: readonly Hunk[], most: number): readonly Hunk[] {
  let left = most;
  return hunks.flatMap((hunk) => {
    const part = hunk.slice(0, Math.max(0, left));
    left -= part.length;
    return part.length === 0 ? [] : [part];
  });
}

const isNumbered = (hunk: Hunk): boolean =>
  hunk.some(({ before, after }) => before !== null || after !== null);

interface HunkProps {
  readonly lines: readonly ColouredLine[];
  readonly isNumbered: boolean;
  readonly isWrapped: boolean;
}

const UnifiedHunk = ({ lines, isNumbered: hasNumbers, isWrapped }: HunkProps) =>
  lines.map((line, place) => (
    <Line
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
      key={place}
      line={line}
      number={hasNumbers ? (line.after ?? line.before) : undefined}
      isWrapped={isWrapped}
    />
  ));

/** Long lines go on below: beside each other, both sides must be seen at once. */
const SplitHunk = ({ lines, isNumbered: hasNumbers }: HunkProps) => (
  <div className="grid grid-cols-2">
    {pairsOf(lines).map(([before, after], place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
      <Fragment key={place}>
        <Line line={before} number={hasNumbers ? before?.before : undefined} isWrapped />
        <Line line={after} number={hasNumbers ? after?.after : undefined} isWrapped isSecond />
      </Fragment>
    ))}
  </div>
);

const looks: Readonly<Record<HunkLine['sign'], string>> = {
  '+': 'bg-done-tint text-done-ink',
  '-': 'bg-fail-tint text-fail-ink',
  ' ': 'text-soft',
};

function Line({
  line,
  number,
  isWrapped,
  isSecond = false,
}: {
  /** Null where the other side has one and this has not. */
  readonly line: ColouredLine | null;
  readonly number: number | null | undefined;
  readonly isWrapped: boolean;
  readonly isSecond?: boolean;
}) {
  const edge = isSecond && 'border-line border-l';
  if (line === null) return <div aria-hidden className={cx('bg-ground', edge)} />;
  const { sign, text, pieces } = line;
  return (
    <div data-change={sign === ' ' ? undefined : ''} className={cx('flex min-w-0', looks[sign], edge)}>
      {number !== undefined && (
        <span aria-hidden className="w-12 shrink-0 select-none pr-2 text-right">
          {number}
        </span>
      )}
      <span className="w-5 shrink-0 select-none text-center">{sign === '-' ? '−' : sign}</span>
      <span
        className={cx(
          'pr-3',
          pieces !== undefined && 'text-ink',
          isWrapped ? 'min-w-0 whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre',
        )}
      >
        {text === '' ? ' ' : <Parts line={line} />}
      </span>
    </div>
  );
}

const Parts = ({ line }: { readonly line: ColouredLine }) =>
  partsOf(line).map(({ text, kind, isMarked }, at) => {
    const shown = showInvisible(text);
    if (kind === '' && !isMarked) return shown;
    const mark = isMarked && cx('rounded-[2px]', line.sign === '+' ? 'bg-done-edge' : 'bg-fail-edge');
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name than their place
      <span key={at} className={cx(kind !== '' && `code-${kind}`, mark)}>
        {shown}
      </span>
    );
  });
