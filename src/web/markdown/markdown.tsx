import { memo, useMemo, useState } from 'react';
import { cx } from '../ui/class-names.ts';
import { BlockView } from './block-view.tsx';
import { type Block, MarkdownReader, readMarkdown } from './read-markdown.logic.ts';

/** Someone else's markdown: nothing in it is run or loaded. While it `isLive`, it may grow. */
export function Markdown({
  text,
  isLive = false,
  className,
}: {
  readonly text: string;
  readonly isLive?: boolean;
  readonly className?: string;
}) {
  const blocks = useBlocks(text, isLive);
  return (
    <div className={cx('leading-5.5 [&>:first-child]:mt-0 [&>:last-child]:mb-0', className)}>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
        <OneBlock key={at} block={block} isLast={isLive && at === blocks.length - 1} />
      ))}
    </div>
  );
}

const OneBlock = memo(function OneBlock({
  block,
  isLast,
}: {
  readonly block: Block;
  readonly isLast: boolean;
}) {
  return <BlockView token={block.token} isLast={isLast} />;
});

/** A text that was seen growing keeps its reader, so that its end draws nothing anew. */
function useBlocks(text: string, isLive: boolean): readonly Block[] {
  const [reader, setReader] = useState<MarkdownReader | null>(() => (isLive ? new MarkdownReader() : null));
  if (isLive && reader === null) setReader(new MarkdownReader());
  return useMemo(
    () => (reader === null ? readMarkdown(text) : reader.read(text, isLive)),
    [reader, text, isLive],
  );
}
