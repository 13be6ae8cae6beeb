import { Fragment, memo, type ReactNode, useState } from 'react';
import type { Hunk, HunkLine } from '../../model/diff-lines.ts';
import { showInvisible } from '../../model/suspicious-text.ts';
import { useT } from '../i18n/i18n.ts';
import { useReadPart } from '../interaction/use-reading.ts';
import { cx } from '../ui/class-names.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';

const shownAtOnce = 120;

/** A change, line by line, with the numbers of the lines and what differs within them. */
export const PatchView = memo(function PatchView({
  hunks,
  isWrapped = false,
}: {
  readonly hunks: readonly Hunk[];
  /** Long lines go on below rather than out of sight. */
  readonly isWrapped?: boolean;
}) {
  const t = useT();
  const [isWhole, setWhole] = useState(false);
  const all = hunks.reduce((sum, hunk) => sum + hunk.length, 0);
  useReadPart(isWhole || all <= shownAtOnce);
  const shown = isWhole ? hunks : firstLines(hunks, shownAtOnce);
  const isNumbered = hunks.some((hunk) =>
    hunk.some(({ before, after }) => before !== null || after !== null),
  );
  return (
    <div>
      <ScrollArea className="py-1">
        <div className={cx('font-mono text-xs leading-5', !isWrapped && 'w-max min-w-full')}>
          {shown.map((hunk, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no other name than their place
            <Fragment key={at}>
              {at > 0 && <div className="h-5 select-none bg-ground px-3 text-faint">⋯</div>}
              {hunk.map((line, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
                <Line key={place} line={line} isNumbered={isNumbered} isWrapped={isWrapped} />
              ))}
            </Fragment>
          ))}
        </div>
      </ScrollArea>
      {all > shownAtOnce && !isWhole && (
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

function firstLines(hunks: readonly Hunk[], most: number): readonly Hunk[] {
  let left = most;
  return hunks.flatMap((hunk) => {
    const part = hunk.slice(0, Math.max(0, left));
    left -= part.length;
    return part.length === 0 ? [] : [part];
  });
}

const looks: Readonly<Record<HunkLine['sign'], string>> = {
  '+': 'bg-done-tint text-done-ink',
  '-': 'bg-fail-tint text-fail-ink',
  ' ': 'text-soft',
};

function Line({
  line,
  isNumbered,
  isWrapped,
}: {
  readonly line: HunkLine;
  readonly isNumbered: boolean;
  readonly isWrapped: boolean;
}) {
  const { sign, text, before, after } = line;
  return (
    <div className={cx('flex', looks[sign])}>
      {isNumbered && (
        <span aria-hidden className="w-12 shrink-0 select-none pr-2 text-right">
          {after ?? before}
        </span>
      )}
      <span className="w-5 shrink-0 select-none text-center">{sign === '-' ? '−' : sign}</span>
      <span
        className={cx('pr-3', isWrapped ? 'min-w-0 whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre')}
      >
        {text === '' ? ' ' : markedText(line)}
      </span>
    </div>
  );
}

function markedText({ sign, text, marks }: HunkLine): ReactNode {
  let shown = 0;
  const parts = marks.flatMap(([from, to]) => {
    const before = showInvisible(text.slice(shown, from));
    shown = to;
    return [
      before,
      <span key={from} className={cx('rounded-[2px]', sign === '+' ? 'bg-done-edge' : 'bg-fail-edge')}>
        {showInvisible(text.slice(from, to))}
      </span>,
    ];
  });
  return [...parts, showInvisible(text.slice(shown))];
}
