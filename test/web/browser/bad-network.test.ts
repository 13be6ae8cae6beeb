import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { SessionId } from '../../../src/protocol/ids.ts';
import { Conversation } from '../../../src/web/conversation/conversation.logic.ts';
import { defaultOpenness, EntryReader } from '../../../src/web/conversation/entries.logic.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { seededRandom, testSeed, times } from '../../support/seeded-random.ts';
import { wholeLog } from '../../support/whole-log.ts';
import { type BadNetwork, withBadNetworks } from './bad-network.ts';
import { withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser();
const makeNetwork = withBadNetworks();

/** A server that is reached over a bad network, with a session that has been told something. */
async function behindNetwork(): Promise<{ network: BadNetwork; beckon: Beckon; id: string }> {
  const network = await makeNetwork();
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'config.json'), JSON.stringify({ allowedHosts: [network.host] }));
  const beckon = await startBeckon({ dataDir });
  network.leadTo(Number(new URL(beckon.url).port));
  const session = { title: 'Remembering', prompt: 'remember tea', status: 'idle' };
  const [id = ''] = await startSessions(beckon, [session], await temporaryDirectory());
  return { network, beckon, id };
}

const says = async (beckon: Beckon, id: string, word: string): Promise<void> => {
  await beckon.api('POST', `/api/sessions/${id}/message`, {
    message: `remember ${word}`,
    disposition: 'queue',
  });
};

/** All that people and the agent said, as it is in the log. */
async function saidInLog(beckon: Beckon, id: string): Promise<string[]> {
  const { body } = await beckon.api('GET', `/api/sessions/${id}/events?after=0&limit=1000`);
  expect(body.hasMore).toBe(false);
  return body.events.flatMap(({ type, text }: { type: string; text: string }) => {
    if (type === 'message.taken') return [`You: ${text}`];
    return type === 'agent.text' ? [text] : [];
  });
}

/** What is to be shown of a whole log, entry by entry: each event that the page keeps is in one of them. */
async function entriesInLog(beckon: Beckon, id: string): Promise<string[]> {
  const conversation = new Conversation({ id: SessionId.parse(id), key: null });
  for (const event of await wholeLog(beckon, id)) conversation.append(event);
  return new EntryReader().read(conversation, defaultOpenness).map(({ key }) => key);
}

/** All entries that the page shows, from top to bottom, with what is written in them. */
async function entriesOnPage(page: Page): Promise<[key: string, text: string][]> {
  const entries = new Map<number, [string, string]>();
  const scroller = page.getByRole('region', { name: 'Conversation' });
  const look = () =>
    scroller.evaluate((element) => ({
      isAtEnd: element.scrollTop + element.clientHeight >= element.scrollHeight - 2,
      entries: [...element.querySelectorAll<HTMLElement>('[data-index]')].map((entry) => {
        const { dataset, textContent } = entry;
        // How long ago it was is told by the clock.
        const ages = [...entry.querySelectorAll('time')].map((age) => age.textContent ?? '');
        const text = ages.reduce((left, age) => left.replace(age, ''), textContent ?? '');
        return [Number(dataset.index), [dataset.entry ?? '', text]] as [number, [string, string]];
      }),
    }));
  const frame = () =>
    page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  // Older pages are read in front of what is shown.
  for (;;) {
    await scroller.evaluate((element) => element.scrollTo(0, 0));
    await frame();
    const isAtStart = await scroller.evaluate((element) => element.scrollTop === 0);
    if (isAtStart && (await page.getByText('The conversation begins here.').count()) === 1) break;
  }
  for (;;) {
    const seen = await look();
    for (const [at, entry] of seen.entries) entries.set(at, entry);
    if (seen.isAtEnd) break;
    await scroller.evaluate((element) => element.scrollBy(0, element.clientHeight / 2));
    await frame();
  }
  expect(entries.size).toBe(Math.max(...entries.keys()) + 1);
  return [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry);
}

/** What the demo agent is told to do, so that all kinds of events come. */
const doings = [
  (word: string) => `remember ${word}`,
  (word: string) => `run echo ${word}`,
  () => 'think',
  () => 'todo',
] as const;

describe('pages on a bad network', () => {
  const seed = testSeed();
  it(`[MULTI11] tabs that are delayed, cut, slow or opened anew, with the server killed and back, show every event once (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const upTo = (most: number): number => Math.floor(random() * most);
    const { network, beckon: first, id } = await behindNetwork();
    let beckon = first;
    const { context, page } = await come({ ...first, url: network.url }, `/s/${id}`);
    // A page whose own files were cut off says so and wants to be loaded again; here it is what it is told that is cut off.
    const isLoaded = (tab: Page): Promise<void> => tab.locator('[data-entry]').first().waitFor();
    const open = async (): Promise<Page> => {
      const tab = await context.newPage();
      await tab.goto(`${network.url}/s/${id}`);
      await isLoaded(tab);
      return tab;
    };
    const tabs = [page, await open()];
    for (const tab of tabs) await tab.getByText('I will remember: tea').first().waitFor();
    // Of three connections one is slow. (The browser's own way to be slow ends its network process when a socket is cut.)
    network.delay = (connection) => (connection % 3 === 0 ? 60 : 0) + upTo(60);

    /** Answers what is asked, and tells whether nothing is left to do. */
    const isDone = async (): Promise<boolean> => {
      const { pending } = (await beckon.api('GET', `/api/sessions/${id}/pending`)).body;
      for (const { requestId } of pending)
        await beckon.api('POST', `/api/sessions/${id}/${random() < 0.5 ? 'approve' : 'deny'}`, { requestId });
      const { session } = (await beckon.api('GET', `/api/sessions/${id}`)).body;
      return (
        session.status === 'idle' &&
        (await beckon.api('GET', `/api/sessions/${id}/queue`)).body.queue.length === 0
      );
    };
    const rounds = times(15);
    const kills = [upTo(rounds), upTo(rounds)];
    for (let round = 0; round < rounds; round += 1) {
      const message = doings[upTo(doings.length)]?.(`word-${round}`) ?? '';
      await beckon.api('POST', `/api/sessions/${id}/message`, { message, disposition: 'queue' });
      if (random() < 0.35) network.cut();
      if (kills.includes(round)) {
        await beckon.kill9();
        beckon = await startBeckon({ dataDir: first.dataDir, args: ['--port', new URL(first.url).port] });
      }
      if (random() < 0.1 && tabs.length < 4) tabs.push(await open());
      if (random() < 0.1) {
        await page.reload();
        await isLoaded(page);
      }
      // Some pile up while the agent is still at work, some come one by one.
      if (random() < 0.5) await expect.poll(isDone, { timeout: 100_000 }).toBe(true);
    }
    await expect.poll(isDone, { timeout: 100_000 }).toBe(true);
    await says(beckon, id, 'the-end');
    await expect.poll(isDone, { timeout: 100_000 }).toBe(true);

    const kinds = new Set((await wholeLog(beckon, id)).map(({ type }) => type));
    expect(kinds).toContain('turn.ended');
    const expected = await entriesInLog(beckon, id);
    const fresh = await open();
    await fresh.getByText('I will remember: the-end').first().waitFor();
    const whole = await entriesOnPage(fresh);
    expect(whole.map(([key]) => key)).toEqual(expected);
    for (const tab of tabs) {
      // As somebody looks at it: a tab behind others may not be drawn, and one that was read further up stays there.
      await tab.bringToFront();
      // A connection that died unheard is noticed after 45 s.
      await expect.poll(() => entriesOnPage(tab), { timeout: 100_000 }).toEqual(whole);
    }
  }, 300_000);

  it('[MULTI12] a page whose connection died in its sleep shows what it missed soon after it is woken', async () => {
    const { network, beckon, id } = await behindNetwork();
    const { page } = await come({ ...beckon, url: network.url }, `/s/${id}`);
    await page.getByText('I will remember: tea').first().waitFor();
    network.freeze();
    await says(beckon, id, 'breakfast');
    await eventually('the agent has answered', async () =>
      (await saidInLog(beckon, id)).includes('I will remember: breakfast'),
    );
    expect(await page.getByText('I will remember: breakfast').count()).toBe(0);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    // By itself, it would notice after 25 s.
    await page.getByText('I will remember: breakfast').waitFor({ timeout: 18_000 });
  });
});
