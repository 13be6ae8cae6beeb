import { useMemo, useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { CodeLines } from '../markdown/code-lines.tsx';
import { CopyButton } from '../markdown/copy-button.tsx';
import type { Language } from '../markdown/highlight/language.logic.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { type Cut, cutLines } from './cut-lines.logic.ts';

const shownLines = 16;

/** What a machine said, without terminal control; long output is cut until all of it is asked for. */
export function OutputView({
  text,
  language,
  firstLine,
  tone = 'plain',
}: {
  readonly text: string;
  readonly language?: Language | undefined;
  /** With it, lines are numbered from there on. */
  readonly firstLine?: number;
  readonly tone?: 'plain' | 'fail';
}) {
  const t = useT();
  const [isWhole, setWhole] = useState(false);
  const clean = useMemo(() => plainText(text).replace(/\n+$/, ''), [text]);
  const cut: Cut = useMemo(
    () => cutLines(clean, isWhole ? Number.POSITIVE_INFINITY : shownLines),
    [clean, isWhole],
  );
  if (clean === '') return <p className="px-3 py-2 text-faint text-xs">{t('tool.noOutput')}</p>;
  return (
    <div className="group/output relative">
      <ScrollArea className={cx('px-3 py-2', isWhole && 'max-h-[60vh]')}>
        <div className="flex w-max min-w-full gap-3 font-mono text-xs leading-4.5">
          {firstLine !== undefined && <LineNumbers from={firstLine} count={cut.shown} />}
          <pre className={cx('min-w-0', tone === 'fail' ? 'text-fail-ink' : 'text-soft')}>
            <CodeLines code={cut.text} language={language} />
          </pre>
        </div>
      </ScrollArea>
      <div className="absolute top-1 right-1 rounded-ui bg-ground opacity-0 transition-opacity duration-150 group-focus-within/output:opacity-100 group-hover/output:opacity-100 pointer-coarse:opacity-100">
        <CopyButton text={clean} />
      </div>
      {cut.isTooLong && <p className="px-3 pb-2 text-faint text-xs">{t('conversation.cut')}</p>}
      {(cut.shown < cut.lines || isWhole) && (
        <button
          type="button"
          onClick={() => setWhole(!isWhole)}
          className="block w-full border-line border-t px-3 py-1 text-left text-faint text-xs hover:text-ink pointer-coarse:min-h-11"
        >
          {isWhole ? t('conversation.showLess') : t('conversation.showAll', { count: cut.lines })}
        </button>
      )}
    </div>
  );
}

const LineNumbers = ({ from, count }: { readonly from: number; readonly count: number }) => (
  <pre aria-hidden className="select-none text-right text-faint">
    {Array.from({ length: count }, (_, at) => from + at).join('\n')}
  </pre>
);
