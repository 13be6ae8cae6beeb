import { useEffect, useMemo, useRef, useState } from 'react';

export interface LatestAnswer<T> {
  readonly asked: string;
  readonly value: T | null;
  readonly error: unknown;
}

/**
 * What the server says to what is being typed. One question is under way at a time, and the next is about what stands there then: a slow
 * server is not asked for every letter. Until it has answered, `fitting` leaves of its last answer what fits what stands there now: nothing
 * else is offered, or Enter would take it.
 */
export function useLatestAnswer<T>(
  ask: (typed: string) => Promise<T>,
  typed: string | undefined,
  fitting: (value: T, typed: string) => T,
): LatestAnswer<T> | undefined {
  const [answer, setAnswer] = useState<LatestAnswer<T>>();
  const wanted = useRef<string>(undefined);
  const isAsking = useRef(false);
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    wanted.current = typed;
    const askOn = async (): Promise<void> => {
      isAsking.current = true;
      for (let asked = wanted.current; asked !== undefined; ) {
        const about = asked;
        const given = await latest.current(about).then(
          (value) => ({ asked: about, value, error: null }),
          (error: unknown) => ({ asked: about, value: null, error }),
        );
        if (wanted.current !== undefined) setAnswer(given);
        asked = wanted.current === about ? undefined : wanted.current;
      }
      isAsking.current = false;
    };
    if (typed === undefined) setAnswer(undefined);
    else if (!isAsking.current) void askOn();
    return () => {
      wanted.current = undefined;
    };
  }, [typed]);
  return useMemo(() => {
    if (answer === undefined || typed === undefined) return undefined;
    if (answer.asked === typed) return answer;
    return { ...answer, value: answer.value && fitting(answer.value, typed) };
  }, [answer, typed, fitting]);
}
