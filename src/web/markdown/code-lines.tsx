import { Fragment, memo } from 'react';
import type { Language } from './highlight/language.logic.ts';
import type { Line } from './highlight/pieces.ts';
import { useHighlight } from './highlight/use-highlight.ts';
import './code.css';

/** Code, coloured as soon as it can be; it has the same size before. */
export const CodeLines = memo(function CodeLines({
  code,
  language,
  isGrowing = false,
}: {
  readonly code: string;
  readonly language: Language | undefined;
  readonly isGrowing?: boolean;
}) {
  const found = useHighlight(code, language, isGrowing);
  if (found.length === 0) return code;
  const lines = code.split('\n');
  return lines.map((text, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
    <Fragment key={at}>
      <CodeLine text={text} line={found[at]} />
      {at < lines.length - 1 && '\n'}
    </Fragment>
  ));
});

/** A line in its pieces, unless they belong to what the line was before it grew. */
const CodeLine = memo(function CodeLine({
  text,
  line,
}: {
  readonly text: string;
  readonly line: Line | undefined;
}) {
  if (line === undefined || line.map(([, piece]) => piece).join('') !== text) return text;
  return line.map(([kind, piece], at) =>
    kind === '' ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name than their place
      <span key={at} className={`code-${kind}`}>
        {piece}
      </span>
    ),
  );
});
