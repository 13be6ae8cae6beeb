import { Square, SquareCheck } from 'lucide-react';
import type { MarkedToken, Token, Tokens } from 'marked';
import type { ReactNode } from 'react';
import { cx } from '../ui/class-names.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { CodeBlock } from './code-block.tsx';
import { decodeEntities } from './entities.logic.ts';
import { Inline } from './inline-view.tsx';

/** Deeper than this, quotes in quotes and lists in lists are shown as they were written. */
const deepest = 10;

/** A paragraph, a list, a table, a piece of code. HTML is shown, never made. */
export function BlockView({
  token: given,
  isLast = false,
  depth = 0,
}: {
  readonly token: Token;
  /** More of it may come. */
  readonly isLast?: boolean;
  readonly depth?: number;
}): ReactNode {
  if (depth > deepest) return <Verbatim text={given.raw} />;
  const token = given as MarkedToken;
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'paragraph':
      return (
        <p className="my-2 wrap-anywhere">
          <Inline tokens={token.tokens} />
        </p>
      );
    case 'heading':
      return <Heading token={token} />;
    case 'code':
      return (
        <CodeBlock code={token.text} name={(token.lang ?? '').split(/\s/)[0] ?? ''} isGrowing={isLast} />
      );
    case 'blockquote':
      return (
        <blockquote className="my-2 border-line-strong border-l-2 pl-3 text-soft">
          <Blocks tokens={token.tokens} depth={depth + 1} />
        </blockquote>
      );
    case 'list':
      return <List token={token} depth={depth} isLast={isLast} />;
    case 'table':
      return <Table token={token} />;
    case 'hr':
      return <hr className="my-4 border-line" />;
    case 'html':
      return <Verbatim text={token.raw.trimEnd()} />;
    case 'text':
      return 'tokens' in token && token.tokens !== undefined && token.tokens.length > 0 ? (
        <Inline tokens={token.tokens} />
      ) : (
        <span className="whitespace-pre-wrap wrap-anywhere">{decodeEntities(token.text)}</span>
      );
    default:
      return <Inline tokens={[token]} />;
  }
}

const Blocks = ({
  tokens,
  depth,
  isLast = false,
}: {
  readonly tokens: readonly Token[];
  readonly depth: number;
  readonly isLast?: boolean;
}) =>
  tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name than their place
    <BlockView key={at} token={token} depth={depth} isLast={isLast && at === tokens.length - 1} />
  ));

const Verbatim = ({ text }: { readonly text: string }) => (
  <p className="my-2 whitespace-pre-wrap font-mono text-soft text-xs leading-5 wrap-anywhere">{text}</p>
);

/** Smaller than the page's own headings: a text in a conversation is not the page. */
function Heading({ token: { depth, tokens } }: { readonly token: Tokens.Heading }) {
  const look =
    depth === 1 ? 'mt-5 mb-2 text-lg' : depth === 2 ? 'mt-4 mb-1.5 text-base' : 'mt-3 mb-1 text-base';
  return (
    // biome-ignore lint/a11y/useSemanticElements: its level depends on where it stands
    <div
      role="heading"
      aria-level={Math.min(6, depth + 2)}
      className={cx('font-semibold wrap-anywhere', look)}
    >
      <Inline tokens={tokens} />
    </div>
  );
}

function List({
  token: { ordered, start, items },
  depth,
  isLast,
}: {
  readonly token: Tokens.List;
  readonly depth: number;
  readonly isLast: boolean;
}) {
  const children = items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name than their place
    <li key={at} className={cx('my-1 pl-0.5', item.task && '-ml-5 flex list-none gap-1.5')}>
      {item.task && <TaskMark isDone={item.checked === true} />}
      <div className="min-w-0 wrap-anywhere [&>p:first-child]:mt-0 [&>p:last-child]:mb-0">
        <Blocks tokens={item.tokens} depth={depth + 1} isLast={isLast && at === items.length - 1} />
      </div>
    </li>
  ));
  const look = 'my-2 pl-5 marker:text-faint';
  if (!ordered) return <ul className={cx(look, 'list-disc')}>{children}</ul>;
  return (
    <ol start={typeof start === 'number' ? start : 1} className={cx(look, 'list-decimal')}>
      {children}
    </ol>
  );
}

const TaskMark = ({ isDone }: { readonly isDone: boolean }) => {
  const Icon = isDone ? SquareCheck : Square;
  return <Icon role="img" aria-label={isDone ? '✓' : '–'} className="mt-1 size-3.5 shrink-0 text-faint" />;
};

function Table({ token: { header, rows } }: { readonly token: Tokens.Table }) {
  return (
    <ScrollArea className="my-3 rounded-ui border border-line">
      <table className="min-w-full border-collapse text-sm">
        <thead>
          <tr className="bg-ground">{header.map((cell, at) => tableCell(cell, at))}</tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name than their place
            <tr key={at} className="border-line border-t">
              {row.map((cell, column) => tableCell(cell, column))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function tableCell({ header, align, tokens }: Tokens.TableCell, at: number): ReactNode {
  const look = cx(
    'max-w-80 px-3 py-1.5 align-top',
    align === 'right' ? 'text-right' : align === 'center' ? 'text-center' : 'text-left',
  );
  const words = <Inline tokens={tokens} />;
  if (!header) {
    return (
      <td key={at} className={look}>
        {words}
      </td>
    );
  }
  return (
    <th key={at} scope="col" className={cx(look, 'font-semibold')}>
      {words}
    </th>
  );
}
