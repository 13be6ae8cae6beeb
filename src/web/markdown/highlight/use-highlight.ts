import { useEffect, useRef, useState } from 'react';
import { highlight, known } from './highlighter.ts';
import type { Language } from './language.logic.ts';
import type { Line } from './pieces.ts';

const none: readonly Line[] = [];

/**
 * The lines of the code that are in pieces already. Code that changes is asked for again when the last answer is there;
 * lines that are not in pieces yet are shown as they are.
 */
export function useHighlight(
  code: string,
  language: Language | undefined,
  isGrowing: boolean,
): readonly Line[] {
  const [lines, setLines] = useState<readonly Line[]>(() =>
    language === undefined ? none : (known(code, language) ?? none),
  );
  const wanted = useRef({ code, language, isGrowing });
  const isMounted = useRef(true);
  const isAsking = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  useEffect(() => {
    const now = { code, language, isGrowing };
    wanted.current = now;
    const before = language === undefined ? null : known(code, language);
    if (before !== undefined) setLines(before ?? none);
    else if (!isAsking.current) void ask();

    async function ask(): Promise<void> {
      isAsking.current = true;
      for (let asked = wanted.current; asked.language !== undefined; asked = wanted.current) {
        const found = await highlight(asked.code, asked.language, asked.isGrowing);
        if (!isMounted.current) break;
        setLines(found ?? none);
        if (asked === wanted.current) break;
      }
      isAsking.current = false;
    }
  }, [code, language, isGrowing]);
  return lines;
}
