import { ChevronDown, ChevronRight, UnfoldVertical } from 'lucide-react';
import { memo, type ReactNode, useState } from 'react';
import type { Span } from '../../model/diff-lines.ts';
import { showInvisible } from '../../model/suspicious-text.ts';
import type { ChangedFile } from '../../protocol/changes.ts';
import { type LinePart, partsOf } from '../diff/patch.logic.ts';
import { type MessageKey, useT } from '../i18n/i18n.ts';
import { CopyButton } from '../markdown/copy-button.tsx';
import type { Line } from '../markdown/highlight/pieces.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { nameOf } from './changes.logic.ts';
import { foldReason, type Side } from './diff-rows.logic.ts';
import { ChangeCount, KindSign } from './file-signs.tsx';
import type { PatchLine, Unchanged } from './patch-lines.logic.ts';
import '../markdown/code.css';

export interface FileHeaderProps {
  readonly file: ChangedFile;
  readonly isFolded: boolean;
  /** Whether something changed it outside of the agent's turns: always, also, or never. */
  readonly outside: 'only' | 'also' | undefined;
  /** In front of its name, as whether it was seen. */
  readonly mark?: ReactNode;
  /** Behind it, as to open it elsewhere. */
  readonly actions?: ReactNode;
  readonly onFold: (file: ChangedFile, isFolded: boolean) => void;
}

/** What stands above a file's lines, and stays there while they are in view. */
export const FileHeader = memo(function FileHeader({
  file,
  isFolded,
  outside,
  mark,
  actions,
  onFold,
}: FileHeaderProps) {
  const t = useT();
  const reason = foldReason(file);
  const [directory, name] = nameOf(file.path);
  return (
    <div className="flex h-10 min-w-0 items-center gap-1 border-line border-y bg-ground pr-1 pl-1 pointer-coarse:h-12">
      {mark}
      <h3 className="flex min-w-0 flex-1">
        <button
          type="button"
          aria-expanded={!isFolded}
          title={file.path}
          onClick={() => onFold(file, !isFolded)}
          className="flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-ui px-1 text-start hover:bg-hover pointer-coarse:min-h-11"
        >
          {isFolded ? (
            <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" />
          ) : (
            <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
          )}
          <KindSign file={file} />
          {/* From the right: the end of a path is what tells files apart. */}
          <span className="min-w-0 truncate font-mono text-xs [direction:rtl]">
            <bdi>
              <span className="text-faint">{showInvisible(directory)}</span>
              <span className="font-semibold">{showInvisible(name)}</span>
            </bdi>
          </span>
          <ChangeCount file={file} />
        </button>
      </h3>
      <span className="flex shrink-0 items-center gap-1 max-md:hidden">
        {file.isLink && <Badge>{t('changes.link')}</Badge>}
        {reason !== null && <Badge>{t(`changes.folded.${reason}`)}</Badge>}
      </span>
      {outside !== undefined && (
        <span title={t(`changes.outside.${outside}Means`)} className="shrink-0">
          <Badge>{t(`changes.outside.${outside}`)}</Badge>
        </span>
      )}
      <CopyButton text={file.path} label={t('changes.copyPath')} className="max-md:hidden" />
      {actions}
    </div>
  );
});

/** What a line is drawn with, beside itself. */
export interface LineDress {
  readonly pieces: Line | undefined;
  readonly marks: readonly Span[];
  readonly isPicked: boolean;
  /** Its number can be pressed; the one that the Tab key leads to is the first in view. */
  readonly canPick: boolean;
  readonly isFirst: boolean;
}

const looks: Readonly<Record<PatchLine['sign'], string>> = {
  '+': 'bg-done-tint text-done-ink',
  '-': 'bg-fail-tint text-fail-ink',
  ' ': 'text-soft',
};

/** A line with its numbers before and after, one where there is little room. */
export const UnifiedLine = memo(function UnifiedLine({
  line,
  ...dress
}: LineDress & { readonly line: PatchLine }) {
  const { before, after, sign } = line;
  return (
    <div className={cx('flex min-w-0', looks[sign], dress.isPicked && picked)}>
      <Gutter line={line} side={sign === '-' ? 'before' : 'after'} dress={dress}>
        <span className="w-10 max-md:hidden">{before}</span>
        <span className="w-10 max-md:hidden">{after}</span>
        <span className="w-9 md:hidden">{after ?? before}</span>
      </Gutter>
      <LineText line={line} {...dress} />
    </div>
  );
});

/** A line as it was beside the line as it is. */
export const SplitLine = memo(function SplitLine({
  before,
  after,
  beforeDress,
  afterDress,
}: {
  readonly before: PatchLine | undefined;
  readonly after: PatchLine | undefined;
  readonly beforeDress: LineDress;
  readonly afterDress: LineDress;
}) {
  const half = (line: PatchLine | undefined, side: Side, dress: LineDress): ReactNode =>
    line === undefined ? (
      <div aria-hidden className={cx('bg-ground', side === 'after' && 'border-line border-l')} />
    ) : (
      <div
        className={cx(
          'flex min-w-0',
          looks[line.sign],
          side === 'after' && 'border-line border-l',
          dress.isPicked && picked,
        )}
      >
        <Gutter line={line} side={side} dress={dress}>
          <span className="w-10">{side === 'before' ? line.before : line.after}</span>
        </Gutter>
        <LineText line={line} {...dress} />
      </div>
    );
  return (
    <div data-split className="grid grid-cols-2">
      {half(before, 'before', beforeDress)}
      {half(after, 'after', afterDress)}
    </div>
  );
});

const picked = 'shadow-[inset_3px_0_0_var(--ink)] bg-hover';

/** The numbers of a line; what was picked by them is found by their attributes. */
function Gutter({
  line,
  side,
  dress: { canPick, isFirst },
  children,
}: {
  readonly line: PatchLine;
  readonly side: Side;
  readonly dress: LineDress;
  readonly children: ReactNode;
}) {
  const t = useT();
  const look = 'flex shrink-0 select-none pr-1 text-right *:shrink-0 *:pr-1';
  if (!canPick)
    return (
      <span aria-hidden className={look}>
        {children}
      </span>
    );
  const number = (side === 'before' ? line.before : line.after) ?? 0;
  return (
    <button
      type="button"
      data-side={side}
      data-number={number}
      tabIndex={isFirst ? 0 : -1}
      className={cx(look, 'touch-none rounded-tight hover:bg-line-strong hover:text-ink')}
    >
      <span className="sr-only">
        {t(side === 'before' ? 'changes.lineBefore' : 'changes.lineAfter', { number })}
      </span>
      <span aria-hidden className="flex *:shrink-0 *:pr-1">
        {children}
      </span>
    </button>
  );
}

/** So much of a line is drawn at once: there are files that are one line. */
const longestDrawn = 2_000;

function LineText({ line, pieces, marks }: LineDress & { readonly line: PatchLine }) {
  const t = useT();
  const [isWhole, setWhole] = useState(false);
  const { sign, text } = line;
  const left = isWhole ? 0 : text.length - longestDrawn;
  const parts = left > 0 ? [plain(text.slice(0, longestDrawn))] : partsOf({ ...line, pieces, marks });
  return (
    <>
      <span className="w-4 shrink-0 select-none text-center">{sign === '-' ? '−' : sign}</span>
      <span
        className={cx(
          'wrap-anywhere min-w-0 flex-1 whitespace-pre-wrap pr-3',
          pieces !== undefined && 'text-ink',
        )}
      >
        {text === '' ? ' ' : <Parts parts={parts} sign={sign} />}
        {left > 0 && (
          <button type="button" className="px-1 underline" onClick={() => setWhole(true)}>
            {t('changes.longLine', { count: left })}
          </button>
        )}
        {line.isUnended && (
          <span className="select-none pl-2 font-sans text-2xs text-faint">{t('changes.unended')}</span>
        )}
      </span>
    </>
  );
}

const plain = (text: string): LinePart => ({ text, kind: '', isMarked: false });

const Parts = ({ parts, sign }: { readonly parts: readonly LinePart[]; readonly sign: PatchLine['sign'] }) =>
  parts.map(({ text, kind, isMarked }, at) => {
    const shown = showInvisible(text);
    if (kind === '' && !isMarked) return shown;
    const mark = isMarked && cx('rounded-[2px]', sign === '+' ? 'bg-done-edge' : 'bg-fail-edge');
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name than their place
      <span key={at} className={cx(kind !== '' && `code-${kind}`, mark)}>
        {shown}
      </span>
    );
  });

/** So many lines are unfolded by one press where many are folded. */
const step = 25;

/** Lines that are left out, and how to see them. */
export function GapLine({
  lines: { from, to },
  onOpen,
}: {
  readonly lines: Unchanged;
  readonly onOpen: (lines: Unchanged) => void;
}) {
  const t = useT();
  const count = to - from + 1;
  const isKnown = Number.isFinite(count);
  const button = (label: string, lines: Unchanged, icon?: ReactNode) => (
    <button
      type="button"
      onClick={() => onOpen(lines)}
      className="inline-flex min-h-7 items-center gap-1.5 rounded-tight px-2 hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
    >
      {icon}
      {label}
    </button>
  );
  return (
    <div className="flex select-none flex-wrap items-center gap-x-2 bg-ground px-2 font-sans text-faint text-xs">
      {button(
        isKnown ? t('changes.gap', { count }) : t('changes.gapEnd'),
        { from, to },
        <UnfoldVertical aria-hidden className="size-3.5" />,
      )}
      {count > 2 * step && button(t('changes.gapDown', { count: step }), { from, to: from + step - 1 })}
      {count > 2 * step &&
        isKnown &&
        button(t('changes.gapUp', { count: step }), { from: to - step + 1, to })}
    </div>
  );
}

/** What is said where there are no lines to show. */
export const FileNote = ({
  says,
  children,
}: {
  readonly says: MessageKey;
  readonly children?: ReactNode;
}) => {
  const t = useT();
  return (
    <div className="flex flex-wrap items-center gap-2 px-3 py-2.5 text-faint text-xs">
      {t(says)}
      {children}
    </div>
  );
};
