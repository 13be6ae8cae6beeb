import type { ReactNode } from 'react';
import { showSuspicious, showValue } from '../../model/suspicious-text.ts';
import { languageOfFile } from '../markdown/highlight/language.logic.ts';
import { Anchor } from '../markdown/inline-view.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { plainText } from '../text/plain-text.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { OutputView } from './output-view.tsx';
import { PatchView } from './patch-view.tsx';
import { Pictures } from './pictures.tsx';
import type { ToolItem } from './row.ts';
import { TodoList } from './todo-list.tsx';
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
          <PatchView hunks={detail.hunks} />
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
