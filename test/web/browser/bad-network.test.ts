import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { seededRandom, testSeed, times } from '../../support/seeded-random.ts';
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

/** All that people and the agent said, as the page shows it from top to bottom. */
async function saidOnPage(page: Page): Promise<string[]> {
  const rows = new Map<number, string>();
  const scroller = page.getByRole('region', { name: 'Conversation' });
  const look = () =>
    scroller.evaluate((element) => ({
      isAtEnd: element.scrollTop + element.clientHeight >= element.scrollHeight - 2,
      rows: [...element.querySelectorAll('[data-index]')].map(
        (row) => [Number(row.getAttribute('data-index')), row.textContent ?? ''] as const,
      ),
    }));
  await scroller.evaluate((element) => element.scrollTo(0, 0));
  for (;;) {
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    const seen = await look();
    for (const [at, text] of seen.rows) rows.set(at, text);
    if (seen.isAtEnd) break;
    await scroller.evaluate((element) => element.scrollBy(0, element.clientHeight / 2));
  }
  expect(rows.size).toBe(Math.max(...rows.keys()) + 1);
  const texts = [...rows].sort(([a], [b]) => a - b).map(([, text]) => text);
  return texts.filter((text) => /^(You: |I will remember)/.test(text));
}

describe('pages on a bad network', () => {
  const seed = testSeed();
  it(`[MULTI11] two tabs, delayed and cut, with the server killed and back, show every event once (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const { network, beckon: first, id } = await behindNetwork();
    let beckon = first;
    const { context, page } = await come({ ...first, url: network.url }, `/s/${id}`);
    const other = await context.newPage();
    await other.goto(`${network.url}/s/${id}`);
    const pages = [page, other];
    for (const each of pages) await each.getByText('I will remember: tea').first().waitFor();
    network.delay = () => Math.floor(random() * 60);

    const words: string[] = [];
    const rounds = times(24);
    for (let round = 0; round < rounds; round += 1) {
      const word = `word-${round}-${Math.floor(random() * 1e6)}`;
      words.push(word);
      await says(beckon, id, word);
      if (random() < 0.35) network.cut();
      if (round === Math.floor(rounds / 2)) {
        await beckon.kill9();
        const args = ['--port', new URL(first.url).port];
        beckon = await startBeckon({ dataDir: first.dataDir, args });
      }
      // Some pile up while the agent is still at work, some come one by one.
      if (random() < 0.5)
        await eventually(`the agent has answered ${word}`, async () =>
          (await saidInLog(beckon, id)).some((text) => text === `I will remember: ${word}`),
        );
    }
    await eventually('the agent has answered all', async () => {
      const said = await saidInLog(beckon, id);
      return words.every((word) => said.includes(`You: remember ${word}`));
    });
    await eventually('the agent is idle', async () => {
      const { body } = await beckon.api('GET', `/api/sessions/${id}`);
      return body.session.status === 'idle';
    });
    await says(beckon, id, 'the-end');
    const log = await eventually('the end is in the log', async () => {
      const said = await saidInLog(beckon, id);
      return said.at(-1) === 'I will remember: the-end' ? said : undefined;
    });
    const fresh = await context.newPage();
    await fresh.goto(`${network.url}/s/${id}`);
    pages.push(fresh);
    for (const each of pages) {
      await each.getByText('I will remember: the-end').first().waitFor();
      expect(await saidOnPage(each)).toEqual(log);
    }
  }, 120_000);

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
    await page.getByText('I will remember: breakfast').waitFor({ timeout: 12_000 });
  });
});
