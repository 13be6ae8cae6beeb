import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import {
  type ScriptedSession,
  scriptedClaude,
  scriptedSession,
} from '../../support/scripted-claude/scripted-claude.ts';
import { seededRandom, testSeed, times } from '../../support/seeded-random.ts';
import { withBrowser } from './browser.ts';
import { storeSession } from './stored-session.ts';
import { long } from './told-conversations.ts';
import { said } from './told-events.ts';

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
let agent: ScriptedSession;
beforeAll(async () => {
  const dataDir = await temporaryDirectory();
  const cwd = await temporaryDirectory();
  const tall = (count: number, lines: number) =>
    Array.from({ length: count }, (_, at) => said(paragraphs(`Part ${at}`, lines)));
  await storeSession(dataDir, { id: 'ses_walk', title: 'Walk', agent: 'claude', events: long(900) }, cwd);
  await storeSession(dataDir, { id: 'ses_few', title: 'Few', events: tall(6, 14) });
  await storeSession(dataDir, { id: 'ses_tall', title: 'Tall', events: tall(230, 90) });
  beckon = await startBeckon({ dataDir, args: ['--claude', await scriptedClaude()] });
  await beckon.api('POST', '/api/sessions/ses_walk/message', { message: 'begin' });
  agent = await scriptedSession(beckon, 'ses_walk', cwd);
});

const paragraphs = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${name}, paragraph ${at}.`).join('\n\n');

const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });
const pill = (page: Page) => page.getByRole('button', { name: /^(Latest|[\d,]+ new)$/ });

/** Resolves when all that is under way is drawn. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** What a person has in front of them. */
interface Sight {
  /** How far the end is below. */
  readonly fromEnd: number;
  readonly fromStart: number;
  /** The entry that is nearest to the middle, and where it begins. */
  readonly key: string;
  readonly top: number;
  readonly pill: string | null;
}

const look = (page: Page): Promise<Sight> =>
  conversation(page).evaluate((box) => {
    const { top, height } = box.getBoundingClientRect();
    const middle = top + height / 2;
    const places = [...box.querySelectorAll<HTMLElement>('[data-entry]')].map((entry) => ({
      key: entry.dataset.entry ?? '',
      top: entry.getBoundingClientRect().top - top,
    }));
    const distance = (place: { top: number }) => Math.abs(place.top + top - middle);
    const nearest = places.reduce((best, place) => (distance(place) < distance(best) ? place : best));
    const button = [...document.querySelectorAll('main button')].find((each) =>
      /^(Latest|[\d,]+ new)$/.test(each.textContent ?? ''),
    );
    return {
      fromEnd: box.scrollHeight - box.clientHeight - box.scrollTop,
      fromStart: box.scrollTop,
      ...nearest,
      pill: button?.textContent ?? null,
    };
  });

/** Where an entry begins now, if it is drawn. */
const topOf = (page: Page, key: string): Promise<number | null> =>
  conversation(page).evaluate((box, wanted) => {
    const entry = box.querySelector(`[data-entry="${CSS.escape(wanted)}"]`);
    return entry === null ? null : entry.getBoundingClientRect().top - box.getBoundingClientRect().top;
  }, key);

describe('where one reads', () => {
  it('[UI36] a scroll in the same moment as a drawing is not lost: the pill leads back', async () => {
    const { page } = await come(beckon, '/s/ses_few');
    await page.getByText('Part 5, paragraph 13.').waitFor();
    await conversation(page).evaluate((box) => {
      box.scrollTop = 0;
      // Draws the conversation anew before the browser tells of the scroll.
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 't', bubbles: true }));
    });
    await pill(page).click();
    await expect.poll(async () => (await look(page)).fromEnd).toBeLessThanOrEqual(1);
  });

  it('[UI36] [UI9] older pages are read also when one entry is higher than the page', async () => {
    const { page } = await come(beckon, '/s/ses_tall');
    await page.getByText('Part 229, paragraph 89.').waitFor();
    // In small steps, of which most show no other entries.
    await conversation(page).evaluate(async (box) => {
      for (let top = 12_000; top >= 0; top -= 300) {
        if (box.scrollTop > top) box.scrollTo(0, top);
        await new Promise(requestAnimationFrame);
      }
    });
    await page.getByText('The conversation begins here.').waitFor();
  });

  const seed = testSeed();
  it(`[UI36] stays where it is, whatever comes, opens or changes size, and the pill counts what is new (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const upTo = (most: number): number => Math.floor(random() * most);
    const { page, problems } = await come(beckon, '/s/ses_walk');
    await conversation(page).locator('[data-entry]').first().waitFor();
    const done: string[] = [];
    let said = 0;
    let news = 0;
    let isFollowing = true;

    const checks = async (doing: string, act: () => Promise<void>, moves = 0): Promise<void> => {
      done.push(doing);
      const before = await look(page);
      await act();
      await drawn(page);
      const after = await look(page);
      const told = { done: done.slice(-6), before, after, isFollowing, news };
      if (isFollowing) {
        expect(after.fromEnd, JSON.stringify(told)).toBeLessThanOrEqual(1);
        expect(after.pill, JSON.stringify(told)).toBeNull();
        return;
      }
      const top = await topOf(page, before.key);
      // Nothing more can be asked at the ends, and of what is no longer drawn.
      const isFree = after.fromStart > 1 && after.fromEnd > 1 && top !== null;
      if (isFree) expect(Math.abs(top - (before.top - moves)), JSON.stringify(told)).toBeLessThanOrEqual(1);
      expect(after.pill, JSON.stringify(told)).toBe(news === 0 ? 'Latest' : `${news} new`);
    };

    /** Says something, and resolves when the page has it. */
    const say = async (lines: readonly object[], text: string): Promise<void> => {
      if (!isFollowing) news += 1;
      await agent.script({ lines });
      if (isFollowing) await page.getByText(text, { exact: true }).last().waitFor();
      else await page.getByRole('button', { name: `${news} new`, exact: true }).waitFor();
    };

    const scroll = async (by: number): Promise<void> => {
      const before = await look(page);
      const left = by < 0 ? Math.min(-by, before.fromStart) : Math.min(by, before.fromEnd);
      // Not to where a rounded pixel decides whether that is the end.
      const isBetween = Math.abs(before.fromEnd - left - 48) < 4;
      const goes = by < 0 ? -left : left - (isBetween ? 20 : 0);
      if (goes < 0) isFollowing = false;
      else if (before.fromEnd - goes <= 48 && goes > 0) isFollowing = true;
      if (isFollowing) news = 0;
      const act = () =>
        conversation(page).evaluate((box, step) => {
          box.scrollBy(0, step);
        }, goes);
      await checks(`scroll ${goes}`, act, goes);
    };

    const moves: readonly (() => Promise<void>)[] = [
      () => {
        said += 1;
        const text = `Said as number ${said}.`;
        return checks('say', () =>
          say([assistant([textBlock(paragraphs(text, 1 + upTo(30)))])], `${text}, paragraph 0.`),
        );
      },
      () => {
        said += 1;
        const words = `Streamed as number ${said}`;
        const [open, ...rest] = streamed(`msg_stream_${seed}_${said}`, [
          words,
          ...Array.from({ length: 1 + upTo(40) }, (_, at) => `\n\nmore ${at}`),
        ]);
        return checks('stream', async () => {
          await say([...(open ?? [])], words);
          for (const lines of rest) await agent.script({ lines });
        });
      },
      () => {
        said += 1;
        const id = `call_${seed}_${said}`;
        const called = assistant([
          { type: 'tool_use', id, name: 'Bash', input: { command: `echo ${said}` } },
        ]);
        const ended = {
          type: 'user',
          message: {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: id, content: 'x\n'.repeat(upTo(40)) }],
          },
          parent_tool_use_id: null,
        };
        return checks('call', () => say([called, ended], `echo ${said}`));
      },
      () => scroll(-(3 + upTo(40))),
      () => scroll(-(3 + upTo(900))),
      () => scroll(-(3 + upTo(900))),
      () => scroll(upTo(700)),
      () => scroll(100_000),
      () =>
        checks('resize', async () => {
          const height = 500 + upTo(500);
          await page.setViewportSize({ width: 1440, height });
          await page.waitForFunction((wanted) => innerHeight === wanted, height);
        }),
      async () => {
        // One that begins in view: what is above it must not move, and what is below may.
        const before = await look(page);
        await checks('open', () =>
          conversation(page).evaluate((box, key) => {
            box
              .querySelector(`[data-entry="${CSS.escape(key)}"]`)
              ?.querySelector<HTMLElement>('button[aria-expanded]')
              ?.click();
          }, before.key),
        );
      },
    ];
    for (let round = 0; round < times(70); round += 1) await moves[upTo(moves.length)]?.();
    expect(problems).toEqual([]);
  }, 120_000);
});

const textBlock = (text: string) => ({ type: 'text', text });

let messages = 0;
const assistant = (content: readonly object[], id?: string) => {
  messages += 1;
  return {
    type: 'assistant',
    message: { role: 'assistant', id: id ?? `msg_list_${messages}`, content },
    parent_tool_use_id: null,
  };
};

/** A message as it is written, piece by piece, and whole at last. */
function streamed(id: string, pieces: readonly string[]): object[][] {
  const event = (of: object) => ({ type: 'stream_event', event: of, parent_tool_use_id: null });
  const delta = (text: string) =>
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  const [first = '', ...rest] = pieces;
  return [
    [
      event({ type: 'message_start', message: { id, type: 'message', role: 'assistant', content: [] } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      delta(first),
    ],
    rest.map(delta),
    [
      assistant([textBlock(pieces.join(''))], id),
      event({ type: 'content_block_stop', index: 0 }),
      event({ type: 'message_stop' }),
    ],
  ];
}
