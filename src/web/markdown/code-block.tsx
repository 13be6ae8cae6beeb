import { useMemo } from 'react';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { CodeLines } from './code-lines.tsx';
import { CopyButton } from './copy-button.tsx';
import { languageNamed } from './highlight/language.logic.ts';

/** A piece of code in its own box, which scrolls sideways, with a button that copies it. */
export function CodeBlock({
  code,
  name,
  isGrowing = false,
}: {
  readonly code: string;
  /** What the fence says it is. */
  readonly name: string;
  readonly isGrowing?: boolean;
}) {
  const language = useMemo(() => languageNamed(name), [name]);
  return (
    <div className="group/code relative my-3 rounded-ui border border-line bg-ground">
      <ScrollArea className="px-3 py-2.5">
        <pre className="w-max min-w-full font-mono text-xs leading-5 pointer-coarse:pr-11">
          <code>
            <CodeLines code={code} language={language} isGrowing={isGrowing} />
          </code>
        </pre>
      </ScrollArea>
      <div className="absolute top-1 right-1 rounded-ui bg-ground opacity-0 transition-opacity duration-150 group-focus-within/code:opacity-100 group-hover/code:opacity-100 pointer-coarse:opacity-100">
        <CopyButton text={code} />
      </div>
    </div>
  );
}
