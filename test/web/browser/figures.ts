import type { Page } from 'playwright-core';

/** What is still in use once all that is not was collected. */
export async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.detach();
  return usedSize;
}

/** What was measured, for those who look at the figures: `BECKON_FIGURES=1`. */
export const report = (figures: Readonly<Record<string, unknown>>): void => {
  if (process.env.BECKON_FIGURES !== undefined) console.log(JSON.stringify(figures));
};

interface MainThread {
  readonly tasks: number;
  /** In milliseconds of the processor: what others on the machine took is not counted. */
  readonly longest: number;
  readonly overFifty: number;
}

/** How long the page was busy at a time while something went on. */
export async function mainThreadDuring(page: Page, work: () => Promise<void>): Promise<MainThread> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}:${tid}`),
  );
  const durations = traceEvents
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && threads.has(`${pid}:${tid}`))
    .map(({ tdur }) => (tdur ?? 0) / 1000);
  return {
    tasks: durations.length,
    longest: Math.max(0, ...durations),
    overFifty: durations.filter((duration) => duration > 50).length,
  };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}
