import { Circle, CircleCheck, CircleDot, type LucideIcon } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { showSuspicious, showValue } from '../../model/suspicious-text.ts';
import type { Todo } from '../../model/tool-call.ts';
import { PatchView } from '../diff/diff-view.tsx';
import { useT } from '../i18n/i18n.ts';
import { CodeLines } from '../markdown/code-lines.tsx';
import { CopyButton } from '../markdown/copy-button.tsx';
import { type Language, languageOfFile } from '../markdown/highlight/language.logic.ts';
import { Anchor } from '../markdown/inline-view.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { Pictures } from './pictures.tsx';
import type { ToolItem } from './row.ts';
import { detailOf, type Field, type ToolDetail } from './tool-detail.logic.ts';

/** The whole of a tool call: what went in and what came out. */
export function ToolBody({ item }: { readonly item: ToolItem }) {
  const detail = detailOf(item);
  const images = item.result?.images ?? [];
  return (
    <div className="mt-1 mb-2 overflow-hidden rounded-ui border border-line bg-surface">
      <Detail detail={detail} isError={item.result?.isError === true} />
      {images.length > 0 && (
        <div className="border-line border-t p-3">
          <Pictures images={images} />
        </div>
      )}
    </div>
  );
}

/** What went into a call of any tool. */
export function ToolInput({ item }: { readonly item: ToolItem }) {
  const detail = detailOf(item);
  if (detail.is !== 'call' || detail.fields.length === 0) return null;
  return (
    <div className="overflow-hidden rounded-ui border border-line bg-surface">
      <Fields fields={detail.fields} />
    </div>
  );
}

/** What came out of it. */
export const ToolOutput = ({ item: { result } }: { readonly item: ToolItem }) => (
  <div className="overflow-hidden rounded-ui border border-line bg-ground">
    <OutputView text={result?.text ?? ''} tone={result?.isError === true ? 'fail' : 'plain'} />
  </div>
);

function Detail({ detail, isError }: { readonly detail: ToolDetail; readonly isError: boolean }) {
  switch (detail.is) {
    case 'command':
      return (
        <>
          <div className="flex gap-2 px-3 py-2 font-mono text-xs leading-4.5">
            <span aria-hidden className="select-none text-faint">
              $
            </span>
            <pre className="min-w-0 whitespace-pre-wrap wrap-anywhere">{showSuspicious(detail.command)}</pre>
          </div>
          <Output text={detail.output} isError={isError} />
        </>
      );
    case 'file':
      return (
        <OutputView text={detail.text} firstLine={detail.firstLine} language={languageOfFile(detail.path)} />
      );
    case 'change':
      return (
        <>
          <PatchView hunks={detail.hunks} path={detail.path} />
          <Output text={detail.output} isError={isError} />
        </>
      );
    case 'todos':
      return <TodoList todos={detail.todos} className="px-3 py-2" />;
    case 'plan':
      return (
        <>
          <Markdown text={detail.text} className="px-4 py-3" />
          <Output text={detail.output} isError={isError} />
        </>
      );
    case 'agent':
      return (
        <p className="whitespace-pre-wrap px-3 py-2 text-sm text-soft wrap-anywhere">
          {plainText(detail.task)}
        </p>
      );
    case 'page':
      return (
        <>
          <p className="px-3 py-2 font-mono text-xs wrap-anywhere">
            <Anchor href={detail.url}>{detail.url}</Anchor>
          </p>
          <Output text={detail.output} isError={isError} />
        </>
      );
    case 'call':
      return (
        <>
          {detail.fields.length > 0 && <Fields fields={detail.fields} />}
          <Output text={detail.output} isError={isError} isFirst={detail.fields.length === 0} />
        </>
      );
  }
}

const Fields = ({ fields }: { readonly fields: readonly Field[] }) => (
  <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-1 px-3 py-2 font-mono text-xs leading-4.5">
    {fields.map(({ name, value }) => (
      <div key={name} className="contents">
        <dt className="max-w-32 truncate text-faint">{name}</dt>
        <dd className="min-w-0">
          <ScrollArea className="max-h-60 whitespace-pre-wrap wrap-anywhere">{showValue(value)}</ScrollArea>
        </dd>
      </div>
    ))}
  </dl>
);

function Output({
  text,
  isError,
  isFirst = false,
}: {
  readonly text: string | null;
  readonly isError: boolean;
  readonly isFirst?: boolean;
}): ReactNode {
  if (text === null) return null;
  return (
    <div className={isFirst ? undefined : 'border-line border-t bg-ground'}>
      <OutputView text={text} tone={isError ? 'fail' : 'plain'} />
    </div>
  );
}

const icons: Readonly<Record<Todo['state'], LucideIcon>> = {
  open: Circle,
  active: CircleDot,
  done: CircleCheck,
};

const tones: Readonly<Record<Todo['state'], string>> = {
  open: 'text-faint',
  active: 'text-work',
  done: 'text-done',
};

/** An agent's list of steps. */
export function TodoList({
  todos,
  className,
}: {
  readonly todos: readonly Todo[];
  readonly className?: string;
}) {
  const t = useT();
  return (
    <ul className={cx('flex flex-col gap-1 text-sm', className)}>
      {todos.map(({ text, state }, at) => {
        const Icon = icons[state];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other name than their place
          <li key={at} className="flex gap-2">
            <Icon aria-hidden className={cx('mt-0.75 size-3.5 shrink-0', tones[state])} />
            <span
              className={cx(
                'min-w-0 wrap-anywhere',
                state === 'done' ? 'text-faint' : 'text-ink',
                state === 'active' && 'font-medium',
              )}
            >
              {plainText(text)}
              <span className="sr-only">, {t(`todo.${state}`)}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

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

export interface Cut {
  readonly text: string;
  /** How many lines are in the text, and how many there are. */
  readonly shown: number;
  readonly lines: number;
  /** There is more than a page can show at all. */
  readonly isTooLong: boolean;
}

/** A box of text larger than this would hold up everything else on the page. */
const mostCharacters = 400_000;
/** One endless line is cut like many. */
const charactersPerLine = 400;

/** The beginning of a text, in whole lines. */
export function cutLines(text: string, most: number): Cut {
  const lines = countLines(text);
  const limit = Math.min(mostCharacters, most * charactersPerLine);
  const end = Math.min(endOfLine(text, most), limit);
  const shown = text.slice(0, end);
  const isWhole = end >= text.length;
  return {
    text: shown,
    shown: isWhole ? lines : Math.min(countLines(shown), lines - (end < endOfLine(text, most) ? 0 : 1)),
    lines,
    isTooLong: most === Number.POSITIVE_INFINITY && !isWhole,
  };
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Where so many lines end. */
function endOfLine(text: string, count: number): number {
  if (count === Number.POSITIVE_INFINITY) return text.length;
  let at = -1;
  for (let line = 0; line < count; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) return text.length;
  }
  return at;
}
