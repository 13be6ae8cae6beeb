import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { quietMs } from '../../../src/web/interaction/stillness.ts';
import { type Beckon, startBeckon } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type ScriptedAsk,
  type ScriptedSession,
  scriptedClaude,
  startScripted,
} from '../../support/scripted-claude/scripted-claude.ts';
import { desktop, stopClock, withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser({ pages: 'all tests', servers: 'all tests' });
let stages: Stage[] = [];
beforeAll(async () => {
  const program = await scriptedClaude();
  stages = await Promise.all(places.map((place) => setUp(place, program)));
}, 120_000);
// Also after a case that failed: the next one begins with nothing asked.
afterEach(async () => {
  await Promise.all([...touched].map((stage) => stage.clear()));
  touched.clear();
});

interface Place {
  readonly name: string;
  /** Where the cards of the place stand on its page. */
  readonly cards: string;
  readonly path: (sessionId: string, quietId: string) => string;
  /** What its page says when it knows that nothing is asked. */
  readonly rest: string;
}

const places: readonly Place[] = [
  { name: 'Mission Control', cards: 'main article', path: () => '/', rest: 'Asking at Mission Control' },
  {
    name: 'the session page',
    cards: 'main',
    path: (sessionId) => `/s/${sessionId}`,
    rest: 'Asking at the session page',
  },
  { name: 'the inbox', cards: 'section[data-inbox]', path: () => '/inbox', rest: 'Nothing waits for you' },
  {
    name: 'the dock',
    cards: 'section[aria-label="Waits for you"]',
    path: (_, quietId) => `/s/${quietId}`,
    rest: 'Quiet',
  },
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

/** A server of its own, an agent that does what the test says, and a page that shows what it asks in one place. */
interface Stage {
  readonly place: Place;
  readonly page: Page;
  readonly agent: ScriptedSession;
  readonly beckon: Beckon;
  card(id: string): Locator;
  allow(id: string): Locator;
  /** Opens the page anew. */
  open(): Promise<void>;
  /** Asks, and waits until the first can be pressed, or all where all are shown. */
  ask(...asks: readonly ScriptedAsk[]): Promise<string[]>;
  /** The page's clock stands still but for this: frame by frame until it is so. */
  until(what: string, isSo: () => Promise<boolean>): Promise<void>;
  /** Until the answer to it is at the agent, one frame after it was given. */
  untilTold(ask: ScriptedAsk): Promise<void>;
  /** That the agent was told yes, and how often. */
  expectAllowedOnce(ask: ScriptedAsk): Promise<void>;
  /** That the page has sent no answer to it, the server has none, and the agent was told nothing. */
  expectUnanswered(id: string, ask: ScriptedAsk): Promise<void>;
  clear(): Promise<void>;
}

/** Of the page's clock, in milliseconds: less than what a card has to stand still. */
const frameMs = 16;

async function setUp(place: Place, program: string): Promise<Stage> {
  const beckon = await startBeckon({ args: ['--claude', program] });
  const agent = await startScripted(beckon, `Asking at ${place.name}`);
  const [quietId = ''] = await startSessions(
    beckon,
    [{ title: 'Quiet', prompt: 'hello', status: 'idle' }],
    beckon.dataDir,
  );
  const path = place.path(agent.sessionId, quietId);
  const { page } = await come(beckon, path, { ...desktop, hasTouch: true, hasClock: true });
  const answers: string[] = [];
  page.on('request', (request) => {
    const isAnswer = /\/(approve|deny|answer|respond)$/.test(new URL(request.url()).pathname);
    if (isAnswer) answers.push(request.postData() ?? '');
  });
  await stopClock(page);

  const card = (id: string) => page.locator(`${place.cards} [data-ask="${id}"]`);
  const allow = (id: string) => card(id).getByRole('button', { name: 'Allow', exact: true });
  const pending = async (): Promise<{ interactionId: string; toolCallId: string }[]> =>
    (await beckon.api('GET', `/api/sessions/${agent.sessionId}/pending`)).body.pending;
  const until: Stage['until'] = async (what, isSo) => {
    await eventually(what, async () => {
      if (await isSo()) return true;
      await page.clock.runFor(frameMs);
      return false;
    });
  };
  const untilTold: Stage['untilTold'] = async ({ id }) => {
    await page.clock.runFor(frameMs);
    await eventually(`${id} is answered`, async () => (await agent.told())[id] !== undefined);
  };
  const open = async (): Promise<void> => {
    await page.goto(`${beckon.url}${path}`);
    await until('the page is drawn', () => page.getByRole('main').isVisible());
  };
  const rest = async (): Promise<void> => {
    await open();
    const said = page.getByRole('main').getByText(place.rest, { exact: true }).first();
    await until('the page knows all', () => said.isVisible());
  };
  await rest();
  return {
    place,
    page,
    agent,
    beckon,
    card,
    allow,
    open,
    until,
    async ask(...asks) {
      const ids = await agent.script({ ask: asks });
      const shown = place.name === 'the session page' ? ids : ids.slice(0, 1);
      for (const id of shown) await until(`${id} is shown`, () => allow(id).isVisible());
      await page.clock.runFor(quietMs + frameMs);
      return ids;
    },
    untilTold,
    async expectAllowedOnce(ask) {
      await untilTold(ask);
      expect((await agent.told())[ask.id]).toMatchObject([{ behavior: 'allow' }]);
    },
    async expectUnanswered(id, { id: call }) {
      // Whatever a press has begun is done by then.
      await page.clock.runFor(quietMs);
      expect(answers.filter((body) => body.includes(id))).toEqual([]);
      expect((await agent.told())[call]).toBeUndefined();
      expect((await pending()).map(({ interactionId }) => interactionId)).toContain(id);
    },
    async clear() {
      await page.mouse.up();
      await agent.script({ withdraw: (await pending()).map(({ toolCallId }) => toolCallId) });
      // A press that did not decide may have opened something else, or folded the dock away.
      await page.evaluate(() => localStorage.removeItem('beckon.dock'));
      await rest();
    },
  };
}

let asked = 0;
const anAsk = (): ScriptedAsk => {
  asked += 1;
  return { id: `call_${asked}`, input: { command: `rm -rf build-${asked}` } };
};

type Where = 'everywhere' | 'on the session page';
/** Where the next case begins with a page that was not touched. */
const touched = new Set<Stage>();

/** In all places at once, for most of it is waiting; what failed says where. */
async function at(where: Where, run: (stage: Stage) => Promise<void>): Promise<void> {
  const chosen = stages.filter(({ place }) => where === 'everywhere' || place.name === 'the session page');
  const failures = await Promise.all(
    chosen.map((stage) => {
      touched.add(stage);
      return run(stage).then(
        () => undefined,
        (error: unknown) => `${stage.place.name}: ${error instanceof Error ? error.message : error}`,
      );
    }),
  );
  expect(failures.filter((each) => each !== undefined)).toEqual([]);
}

/** Each kind of press is tried at its first and last moment, and in all places at one; the moments between are those of `Stillness` alone. */
describe('a press on Allow', () => {
  it.each([
    ['mouse', 'everywhere'],
    ['touch', 'everywhere'],
    ['Enter', 'everywhere'],
    ['Space', 'on the session page'],
  ] as const)('[UI13] is taken once where the card stands still: %s, %s', async (way, where) => {
    await at(where, async ({ page, card, allow, ask, until, expectAllowedOnce }) => {
      const one = anAsk();
      const [id = ''] = await ask(one);
      await ways[way](page, allow(id));
      await expectAllowedOnce(one);
      await until('the card is gone', async () => (await card(id).count()) === 0);
    });
  });

  it.each([
    ['mouse', 0, 'everywhere'],
    ['mouse', 120, 'everywhere'],
    ['mouse', 300, 'on the session page'],
    ['touch', 120, 'on the session page'],
    ['Enter', 120, 'everywhere'],
  ] as const)(
    '[UI13] twice (%s, %i ms apart) allows one ask and not the next: %s',
    async (way, ms, where) => {
      await at(where, async ({ page, allow, ask, untilTold, expectAllowedOnce, expectUnanswered }) => {
        const [first, second] = [anAsk(), anAsk()];
        const [one = '', two = ''] = await ask(first, second);
        const point = await middleOf(allow(one));
        await ways[way](page, allow(one));
        // At once, before the server has answered; or so long after that, when another card may be where this one was.
        if (ms > 0) {
          await untilTold(first);
          await page.clock.runFor(ms);
        }
        if (way === 'mouse') {
          await page.mouse.down();
          await page.mouse.up();
        } else if (way === 'touch') await page.touchscreen.tap(...point);
        else await page.keyboard.press(way);
        await expectAllowedOnce(first);
        await expectUnanswered(two, second);
      });
    },
  );

  it.each([
    ['mouse', 30, 'on the session page'],
    ['mouse', 250, 'on the session page'],
    ['mouse', 450, 'everywhere'],
    ['touch', 30, 'everywhere'],
    ['Enter', 80, 'everywhere'],
    ['Space', 250, 'on the session page'],
  ] as const)(
    '[UI13] does nothing (%s) %i ms after another ask took the place of one that was taken back: %s',
    async (way, ms, where) => {
      await at(where, async ({ page, agent, allow, ask, until, expectUnanswered }) => {
        const [first, second] = [anAsk(), anAsk()];
        const [one = ''] = await ask(first);
        await page.mouse.move(...(await middleOf(allow(one))));
        const [two = ''] = await agent.script({ withdraw: [first.id], ask: [second] });
        await until('the other is shown', () => allow(two).isVisible());
        await page.clock.runFor(ms);
        await ways[way](page, allow(two));
        await expectUnanswered(two, second);
      });
    },
  );

  it.each([
    [30, 'on the session page'],
    [450, 'everywhere'],
  ] as const)(
    '[UI13] does nothing %i ms after another device answered what was there: %s',
    async (ms, where) => {
      await at(where, async ({ page, agent, beckon, card, allow, ask, until, expectUnanswered }) => {
        const [first, second] = [anAsk(), anAsk()];
        const [one = '', two = ''] = await ask(first, second);
        await page.mouse.move(...(await middleOf(allow(one))));
        await beckon.api('POST', `/api/sessions/${agent.sessionId}/deny`, { requestId: one });
        await until('the first is gone', async () => (await card(one).count()) === 0);
        await until('the second is shown', () => allow(two).isVisible());
        await page.clock.runFor(ms);
        await ways.mouse(page, allow(two));
        await expectUnanswered(two, second);
      });
    },
  );

  it('[UI13] that began on one ask never decides the one that took its place meanwhile', async () => {
    await at('everywhere', async ({ page, agent, allow, ask, until, expectUnanswered }) => {
      const [first, second] = [anAsk(), anAsk()];
      const [one = ''] = await ask(first);
      await page.mouse.move(...(await middleOf(allow(one))));
      await page.mouse.down();
      const [two = ''] = await agent.script({ withdraw: [first.id], ask: [second] });
      await until('the other can be pressed', () => canBePressed(allow(two)));
      await page.mouse.up();
      await expectUnanswered(two, second);
    });
  });

  it('[UI13] by a key that is held down decides once', async () => {
    await at('everywhere', async ({ page, allow, ask, until, expectAllowedOnce, expectUnanswered }) => {
      const [first, second] = [anAsk(), anAsk()];
      const [one = '', two = ''] = await ask(first, second);
      await allow(one).focus();
      await page.keyboard.down('Enter');
      await expectAllowedOnce(first);
      await until('the other can be pressed', () => canBePressed(allow(two)));
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
    touched.add(stage);
    return stage;
  };

  it.each([0, 120, 300])('[UI13] "a" twice, %i ms apart, allows one ask and not the next', async (ms) => {
    const { page, ask, untilTold, expectAllowedOnce, expectUnanswered } = inbox();
    const [first, second] = [anAsk(), anAsk()];
    const [, two = ''] = await ask(first, second);
    await page.keyboard.press('a');
    if (ms > 0) {
      await untilTold(first);
      await page.clock.runFor(ms);
    }
    await page.keyboard.press('a');
    await expectAllowedOnce(first);
    await expectUnanswered(two, second);
  });

  it('[UI13] "a" twice allows one ask and not the next also where both were there when the page was opened', async () => {
    const { page, allow, ask, open, until, expectAllowedOnce, expectUnanswered } = inbox();
    const [first, second] = [anAsk(), anAsk()];
    const [one = '', two = ''] = await ask(first, second);
    await open();
    await until('the first is shown', () => allow(one).isVisible());
    await page.keyboard.press('a');
    // The reply comes before the page has drawn a frame with what the stream says.
    await allow(two).waitFor();
    await page.keyboard.press('a');
    await expectAllowedOnce(first);
    await expectUnanswered(two, second);
  });

  it.each([
    ['a', 30],
    ['a', 450],
    ['s', 150],
    ['d', 150],
  ])('[UI13] "%s" does nothing %i ms after the list moved by itself', async (key, ms) => {
    const { page, agent, card, allow, ask, until, expectUnanswered } = inbox();
    const [first, second] = [anAsk(), anAsk()];
    await ask(first);
    const [two = ''] = await agent.script({ withdraw: [first.id], ask: [second] });
    await until('the other is shown', () => allow(two).isVisible());
    await page.clock.runFor(ms);
    await page.keyboard.press(key);
    await expectUnanswered(two, second);
    expect(await card(two).getByRole('textbox').count()).toBe(0);
  });
});

const canBePressed = async (button: Locator): Promise<boolean> =>
  (await button.isVisible()) && (await button.isEnabled());

async function middleOf(element: Locator): Promise<[x: number, y: number]> {
  const box = await element.boundingBox();
  if (box === null) throw new Error('It is not on the screen.');
  return [box.x + box.width / 2, box.y + box.height / 2];
}
