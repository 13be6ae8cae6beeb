import { memo, Suspense } from 'react';
import { Markdown } from '../markdown/markdown.tsx';
import { cx } from '../ui/class-names.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { AskRow } from './ask-row.tsx';
import { type Entry, type RowEntry, reportOf, type Space } from './entries.logic.ts';
import { MessageRow, TextRow, ThinkingRow } from './message-row.tsx';
import { InsertedTextRow, NoticeRow, TurnEndRow } from './notice-row.tsx';
import { FoldRow, ToolRow } from './tool-row.tsx';

const TrustedCalls = lazyPart(async () => (await import('./trusted-calls.tsx')).TrustedCalls);

const spaces: Readonly<Record<Space, string>> = {
  line: '',
  block: 'py-1.5',
  turn: 'pt-4 pb-2',
};

/** One entry of the conversation, as deep as the sub-agents it belongs to. */
export const EntryView = memo(function EntryView({
  entry,
}: {
  readonly entry: Entry;
  /** Entries stay the same objects; their version tells that they changed. */
  readonly version: number;
}) {
  return (
    <div className="flex">
      {Array.from({ length: Math.min(entry.depth, deepestShown) }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one line for each depth
        <span key={at} aria-hidden className="ml-1.5 w-3.5 shrink-0 border-line border-l max-md:w-2" />
      ))}
      <div className={cx('min-w-0 flex-1', spaces[entry.space])}>
        <Content entry={entry} />
      </div>
    </div>
  );
});

/** Deeper ones are no further to the right: there would be no room left for them. */
const deepestShown = 6;

/** What an entry's appearance depends on, beside the entry itself. */
export const versionOf = (entry: Entry): number =>
  entry.kind === 'fold'
    ? entry.rows.reduce((sum, { version }) => sum + version, entry.rows.length)
    : entry.row.version;

function Content({ entry }: { readonly entry: Entry }) {
  switch (entry.kind) {
    case 'row':
      return <RowContent entry={entry} />;
    case 'fold':
      return <FoldRow entry={entry} />;
    case 'report': {
      const { item } = entry.row;
      return <Markdown text={item.kind === 'tool' ? (reportOf(item) ?? '') : ''} className="text-soft" />;
    }
  }
}

function RowContent({ entry: { key, row, isOpen } }: { readonly entry: RowEntry }) {
  const { item } = row;
  switch (item.kind) {
    case 'message':
      return <MessageRow item={item} />;
    case 'text':
      return <TextRow item={item} />;
    case 'thinking':
      return <ThinkingRow name={key} item={item} isOpen={isOpen} />;
    case 'inserted-text':
      return <InsertedTextRow name={key} item={item} isOpen={isOpen} />;
    case 'tool':
      return <ToolRow row={row} item={item} isOpen={isOpen} />;
    case 'interaction':
      return <AskRow item={item} />;
    case 'turn-end':
      return <TurnEndRow item={item} />;
    case 'notice':
      return (
        <>
          <NoticeRow item={item} />
          {item.event.type === 'grant.ended' && item.event.uses !== undefined && (
            <Suspense>
              <TrustedCalls event={item.event} />
            </Suspense>
          )}
        </>
      );
  }
}
