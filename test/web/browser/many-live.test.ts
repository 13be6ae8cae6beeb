import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { drilledAgent } from '../../support/drilled-agent.ts';
import { times } from '../../support/seeded-random.ts';
import { withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';
import { heapOf, mainThreadDuring, report } from './figures.ts';

const { come } = withBrowser();

/** `BECKON_TEST_TIMES=10`: two hundred live sessions. */
const live = times(20);
const streaming = 10;
const rounds = 6;
const pieces = 2_000;

it(`[UI25] [PERF4] ten of ${live} live sessions stream into their monitors: no long task, as many elements and as much memory as before`, async () => {
  const beckon = await startBeckon({ args: ['--claude', drilledAgent(await temporaryDirectory())] });
  const quiet = Array.from({ length: live - streaming }, (_, at) => ({
    title: `Quiet ${at}`,
    prompt: 'hello',
    status: 'idle',
  }));
  const speaking = Array.from({ length: streaming }, (_, at) => ({
    title: `Speaking ${at}`,
    prompt: '!flood 10',
    status: 'idle',
  }));
  await startSessions(beckon, quiet, await temporaryDirectory());
  // Those that were active last stand first.
  const ids = await startSessions(beckon, speaking, await temporaryDirectory());
  const { page, problems } = await come(beckon);
  await expect.poll(() => page.getByRole('article').count()).toBe(live);

  for (let round = 0; round < rounds / 3; round += 1) await stream(page, beckon, ids);
  const before = { heap: await heapOf(page), elements: await countElements(page) };
  const busy = await mainThreadDuring(page, async () => {
    for (let round = rounds / 3; round < rounds; round += 1) await stream(page, beckon, ids);
  });
  const after = { heap: await heapOf(page), elements: await countElements(page) };
  report({ live, deltas: rounds * streaming * pieces, before, after, busy });
  expect(busy.tasks).toBeGreaterThan(100);
  expect(busy.overFifty).toBe(0);
  expect(after.heap / before.heap).toBeLessThan(1.1);
  expect(after.elements).toBeLessThan(before.elements * 1.1);
  expect(problems).toEqual([]);
}, 180_000);

/** All of them say a long text at once; resolves when it is on the page. */
async function stream(page: Page, beckon: Beckon, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await beckon.api('POST', `/api/sessions/${id}/message`, { message: `!flood ${pieces}` });
  for (const id of ids) {
    await expect
      .poll(async () => (await beckon.api('GET', `/api/sessions/${id}`)).body.session.status)
      .toBe('idle');
    await page
      .locator(`article[data-flip="${id}"]`)
      .getByText(new RegExp(`${pieces - 1} ${pieces}\\s*$`))
      .first()
      .waitFor();
  }
}

const countElements = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelectorAll('*').length);
