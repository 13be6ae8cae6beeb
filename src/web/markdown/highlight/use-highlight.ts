import { useEffect, useRef, useState } from 'react';
import { highlight, known } from './highlighter.ts';
import type { Language } from './language.logic.ts';
import type { Line } from './pieces.ts';

const none: readonly Line[] = [];

/**
 * The lines of the code that are in pieces already. While the code grows it is asked for again only when the last
 * answer is there; lines that are not in pieces yet are shown as they are.
 */
export function useHighlight(
  code: string,
  language: Language | undefined,
  isGrowing: boolean,
): readonly Line[] {
  const [lines, setLines] = useState<readonly Line[]>(() =>
    language === undefined ? none : (known(code, language) ?? none),
  );
  const wanted = useRef(code);
  const isAsking = useRef(false);
  wanted.current = code;
  useEffect(() => {
    if (language === undefined || isAsking.current) return;
    let isCurrent = true;
    const ask = async (): Promise<void> => {
      isAsking.current = true;
      for (;;) {
        const now = wanted.current;
        const found = await highlight(now, language, isGrowing);
        if (!isCurrent) break;
        setLines(found ?? none);
        if (now === wanted.current) break;
      }
      isAsking.current = false;
    };
    const before = known(code, language);
    if (before === undefined) void ask();
    else setLines(before ?? none);
    return () => {
      // Growing code goes on being asked for: the effect of the next piece must not end it.
      if (!isGrowing) isCurrent = false;
    };
  }, [code, language, isGrowing]);
  return lines;
}
