import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type ScriptedAsk,
  type ScriptedSession,
  scriptedClaude,
  startScripted,
} from '../../support/scripted-claude/scripted-claude.ts';
import { desktop, openBrowser, visitPaired } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

/** A card does not react before it has stood still for so long. */
const quietMs = 500;

let browser: Browser;
let stages: Stage[] = [];
beforeAll(async () => {
  browser = await openBrowser();
  const program = await scriptedClaude();
  stages = await Promise.all(places.map((place) => setUp(place, program)));
}, 120_000);
afterAll(async () => {
  await browser.close();
  await endBeckons();
});
// Also after a case that failed: the next one begins with nothing asked.
afterEach(() => Promise.all(stages.map((stage) => stage.clear())));

interface Place {
  readonly name: string;
  /** Where the cards of the place stand on its page. */
  readonly cards: string;
  readonly path: (sessionId: string, quietId: string) => string;
}

const places: readonly Place[] = [
  { name: 'Mission Control', cards: 'main article', path: () => '/' },
  { name: 'the session page', cards: 'main', path: (sessionId) => `/s/${sessionId}` },
  { name: 'the inbox', cards: 'section[data-inbox]', path: () => '/inbox' },
  { name: 'the dock', cards: 'section[aria-label="Waits for you"]', path: (_, quietId) => `/s/${quietId}` },
];

/** How a person presses Allow. */
const ways = {
  async mouse(page: Page, allow: Locator) {
    await page.mouse.move(...(await middleOf(allow)));
    await page.mouse.down();
    await page.mouse.up();
  },
  async touch(page: Page, allow: Locator) {
    await page.touchscreen.tap(...(await middleOf(allow)));
  },
  async Enter(page: Page, allow: Locator) {
    await allow.focus();
    await page.keyboard.press('Enter');
  },
  async Space(page: Page, allow: Locator) {
    await allow.focus();
    await page.keyboard.press('Space');
  },
};
type Way = keyof typeof ways;

/** A server of its own, an agent that does what the test says, and a page that shows what it asks in one place. */
interface Stage {
  readonly place: Place;
  readonly page: Page;
  readonly agent: ScriptedSession;
  readonly beckon: Beckon;
  card(id: string): Locator;
  allow(id: string): Locator;
  /** Asks, and waits until the first can be pressed, or all where all are shown. */
  ask(...asks: readonly ScriptedAsk[]): Promise<string[]>;
  /** How long the card had been where it was, and as it was, when something was pressed: by the page's own clock. */
  watch(id: string): Promise<() => Promise<number>>;
  /** That the agent was told yes, and how often. */
  expectAllowedOnce(ask: ScriptedAsk): Promise<void>;
  /** That the page has sent no answer to it, the server has none, and the agent was told nothing. */
  expectUnanswered(id: string, ask: ScriptedAsk): Promise<void>;
  clear(): Promise<void>;
}

async function setUp(place: Place, program: string): Promise<Stage> {
  const beckon = await startBeckon({ args: ['--claude', program] });
  const agent = await startScripted(beckon, `Asking at ${place.name}`);
  const [quietId = ''] = await startSessions(
    beckon,
    [{ title: 'Quiet', prompt: 'hello', status: 'idle' }],
    beckon.dataDir,
  );
  const path = place.path(agent.sessionId, quietId);
  const { page } = await visitPaired(browser, beckon, path, { ...desktop, hasTouch: true });
  page.setDefaultTimeout(8000);
  const answers: string[] = [];
  page.on('request', (request) => {
    const isAnswer = /\/(approve|deny|answer|respond)$/.test(new URL(request.url()).pathname);
    if (isAnswer) answers.push(request.postData() ?? '');
  });
  await page.getByRole('main').waitFor();

  const card = (id: string) => page.locator(`${place.cards} [data-ask="${id}"]`);
  const allow = (id: string) => card(id).getByRole('button', { name: 'Allow', exact: true });
  const pending = async (): Promise<{ interactionId: string; toolCallId: string }[]> =>
    (await beckon.api('GET', `/api/sessions/${agent.sessionId}/pending`)).body.pending;
  return {
    place,
    page,
    agent,
    beckon,
    card,
    allow,
    async ask(...asks) {
      const ids = await agent.script({ ask: asks });
      const shown = place.name === 'the session page' ? ids : ids.slice(0, 1);
      for (const id of shown) await allow(id).click({ trial: true });
      return ids;
    },
    async watch(id) {
      await page.evaluate(noteTimes, id);
      return () => page.evaluate(() => (window as unknown as { sincePlaced: number }).sincePlaced);
    },
    async expectAllowedOnce({ id }) {
      const told = await eventually(`${id} is answered`, async () => (await agent.told())[id]);
      expect(told).toMatchObject([{ behavior: 'allow' }]);
    },
    async expectUnanswered(id, { id: call }) {
      // What a press has caused is on its way by then.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
      expect(answers.filter((body) => body.includes(id))).toEqual([]);
      expect((await agent.told())[call]).toBeUndefined();
      expect((await pending()).map(({ interactionId }) => interactionId)).toContain(id);
    },
    async clear() {
      await page.mouse.up();
      await agent.script({ withdraw: (await pending()).map(({ toolCallId }) => toolCallId) });
      // A press that did not decide may have opened something else, or folded the dock away.
      await page.evaluate(() => localStorage.removeItem('beckon.dock'));
      await page.goto(`${beckon.url}${path}`);
      await page.getByRole('main').waitFor();
    },
  };
}

/** Runs in the page. */
function noteTimes(id: string): void {
  let place = '';
  let placedAt = performance.now();
  const look = (): void => {
    const box = document.querySelector(`[data-ask="${id}"]`)?.getBoundingClientRect();
    const now = box === undefined ? '' : [box.left, box.top, box.width, box.height].join();
    if (now !== place) placedAt = performance.now();
    place = now;
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
  look();
  const pressed = (): void => {
    look();
    (window as unknown as { sincePlaced: number }).sincePlaced = performance.now() - placedAt;
  };
  for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, pressed, true);
}

let asked = 0;
const anAsk = (): ScriptedAsk => {
  asked += 1;
  return { id: `call_${asked}`, input: { command: `rm -rf build-${asked}` } };
};

/** The same in all places at once, for most of it is waiting; what failed says where. */
async function everywhere(run: (stage: Stage) => Promise<void>): Promise<void> {
  const failures = await Promise.all(
    stages.map((stage) =>
      run(stage).then(
        () => undefined,
        (error: unknown) => `${stage.place.name}: ${error instanceof Error ? error.message : error}`,
      ),
    ),
  );
  expect(failures.filter((each) => each !== undefined)).toEqual([]);
}

describe('a press on Allow, in Mission Control, on the session page, in the inbox and in the dock', () => {
  it.each(Object.keys(ways) as Way[])('[UI13] is taken once where the card stands still: %s', async (way) => {
    await everywhere(async ({ page, card, allow, ask, expectAllowedOnce }) => {
      const one = anAsk();
      const [id = ''] = await ask(one);
      await ways[way](page, allow(id));
      await expectAllowedOnce(one);
      await card(id).waitFor({ state: 'detached' });
    });
  });

  it.each([
    ['mouse', 60],
    ['mouse', 120],
    ['mouse', 200],
    ['mouse', 300],
    ['touch', 120],
    ['Enter', 120],
  ] as const)('[UI13] twice (%s, %i ms apart) allows one ask and not the next', async (way, ms) => {
    await everywhere(async ({ page, allow, ask, expectAllowedOnce, expectUnanswered }) => {
      const [first, second] = [anAsk(), anAsk()];
      const [one = '', two = ''] = await ask(first, second);
      const point = await middleOf(allow(one));
      await ways[way](page, allow(one));
      await delay(ms);
      if (way === 'mouse') {
        await page.mouse.down();
        await page.mouse.up();
      } else if (way === 'touch') await page.touchscreen.tap(...point);
      else await page.keyboard.press(way);
      await expectAllowedOnce(first);
      await expectUnanswered(two, second);
    });
  });

  it.each([
    ['mouse', 30],
    ['mouse', 80],
    ['mouse', 150],
    ['mouse', 250],
    ['mouse', 350],
    ['mouse', 450],
    ['touch', 30],
    ['touch', 250],
    ['Enter', 80],
    ['Space', 250],
  ] as const)(
    '[UI13] does nothing (%s) %i ms after another ask took the place of one that was taken back',
    async (way, ms) => {
      await everywhere(async ({ page, agent, allow, ask, watch, expectUnanswered }) => {
        const [first, second] = [anAsk(), anAsk()];
        const [one = ''] = await ask(first);
        await page.mouse.move(...(await middleOf(allow(one))));
        const [two = ''] = await agent.script({ withdraw: [first.id], ask: [second] });
        const sincePlaced = await watch(two);
        await allow(two).waitFor();
        await delay(ms);
        await ways[way](page, allow(two));
        // On a machine that is too busy the press comes when it is lawful.
        if ((await sincePlaced()) < quietMs) await expectUnanswered(two, second);
      });
    },
  );

  it.each([30, 250, 450])(
    '[UI13] does nothing %i ms after another device answered what was there',
    async (ms) => {
      await everywhere(async ({ page, agent, beckon, card, allow, ask, watch, expectUnanswered }) => {
        const [first, second] = [anAsk(), anAsk()];
        const [one = '', two = ''] = await ask(first, second);
        await page.mouse.move(...(await middleOf(allow(one))));
        const sincePlaced = await watch(two);
        await beckon.api('POST', `/api/sessions/${agent.sessionId}/deny`, { requestId: one });
        await card(one).waitFor({ state: 'detached' });
        await allow(two).waitFor();
        await delay(ms);
        await ways.mouse(page, allow(two));
        if ((await sincePlaced()) < quietMs) await expectUnanswered(two, second);
      });
    },
  );

  it('[UI13] that began on one ask never decides the one that took its place meanwhile', async () => {
    await everywhere(async ({ page, agent, allow, ask, expectUnanswered }) => {
      const [first, second] = [anAsk(), anAsk()];
      const [one = ''] = await ask(first);
      await page.mouse.move(...(await middleOf(allow(one))));
      await page.mouse.down();
      const [two = ''] = await agent.script({ withdraw: [first.id], ask: [second] });
      await allow(two).click({ trial: true });
      await page.mouse.up();
      await expectUnanswered(two, second);
    });
  });

  it('[UI13] by a key that is held down decides once', async () => {
    await everywhere(async ({ page, allow, ask, expectAllowedOnce, expectUnanswered }) => {
      const [first, second] = [anAsk(), anAsk()];
      const [one = '', two = ''] = await ask(first, second);
      await allow(one).focus();
      await page.keyboard.down('Enter');
      await expectAllowedOnce(first);
      await allow(two).click({ trial: true });
      await allow(two).focus();
      await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      await expectUnanswered(two, second);
    });
  });
});

describe('the keys of the inbox', () => {
  const inbox = (): Stage => {
    const stage = stages.find(({ place }) => place.name === 'the inbox');
    if (stage === undefined) throw new Error('There is no inbox.');
    return stage;
  };

  it.each([60, 120, 200, 300])(
    '[UI13] "a" twice, %i ms apart, allows one ask and not the next',
    async (ms) => {
      const { page, ask, expectAllowedOnce, expectUnanswered } = inbox();
      const [first, second] = [anAsk(), anAsk()];
      const [, two = ''] = await ask(first, second);
      await page.keyboard.press('a');
      await delay(ms);
      await page.keyboard.press('a');
      await expectAllowedOnce(first);
      await expectUnanswered(two, second);
    },
  );

  it.each([
    ['a', 30],
    ['a', 150],
    ['a', 450],
    ['s', 150],
    ['d', 150],
  ])('[UI13] "%s" does nothing %i ms after the list moved by itself', async (key, ms) => {
    const { page, agent, card, allow, ask, watch, expectUnanswered } = inbox();
    const [first, second] = [anAsk(), anAsk()];
    await ask(first);
    const [two = ''] = await agent.script({ withdraw: [first.id], ask: [second] });
    const sincePlaced = await watch(two);
    await allow(two).waitFor();
    await delay(ms);
    await page.keyboard.press(key);
    if ((await sincePlaced()) >= quietMs) return;
    await expectUnanswered(two, second);
    expect(await card(two).getByRole('textbox').count()).toBe(0);
  });
});

async function middleOf(element: Locator): Promise<[x: number, y: number]> {
  const box = await element.boundingBox();
  if (box === null) throw new Error('It is not on the screen.');
  return [box.x + box.width / 2, box.y + box.height / 2];
}
