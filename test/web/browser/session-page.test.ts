import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { burstAgent } from '../../support/burst-agent.ts';
import { wholeLog } from '../../support/whole-log.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, drawn, phone, withBrowser } from './browser.ts';
import { startSessions, stopSessions } from './demo-sessions.ts';
import { storeSession } from './stored-session.ts';
import { everyday, hostile, long } from './told-conversations.ts';

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
beforeAll(async () => {
  const dataDir = await temporaryDirectory();
  const cwd = await temporaryDirectory();
  await storeSession(dataDir, { id: 'ses_everyday', title: 'Keep the cart', events: everyday });
  await storeSession(dataDir, { id: 'ses_hostile', title: 'Hostile', events: hostile });
  await storeSession(dataDir, { id: 'ses_long', title: 'Long', events: long(1500) }, cwd);
  beckon = await startBeckon({ dataDir, args: ['--claude', burstAgent(cwd).program] });
});
afterEach(() => stopSessions(beckon));

const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });

const scrollTo = (page: Page, place: 'start' | 'end'): Promise<void> =>
  conversation(page).evaluate((element, to) => {
    element.scrollTop = to === 'start' ? 0 : element.scrollHeight;
  }, place);

describe('a session in the browser', () => {
  it('[SES15] [UI3] says that the agent is held, and why, until enough is answered', async () => {
    const cwd = await temporaryDirectory();
    const { body } = await beckon.api('POST', '/api/sessions', { agent: 'claude', cwd, prompt: 'asks 200' });
    const { page, problems } = await come(beckon, `/s/${body.session.id}`);
    const note = page.getByRole('status').filter({ hasText: 'asks too much at once (200 open)' });
    await note.waitFor();
    await page.getByText('Asks too much, held').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const pending = await beckon.api('GET', `/api/sessions/${body.session.id}/pending`);
    const { requestId } = pending.body.pending[199];
    await beckon.api('POST', `/api/sessions/${body.session.id}/deny`, { requestId });
    await note.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  it('[UI3] streams text as markdown, follows it, and says when the turn is done', async () => {
    const [id] = await startSessions(
      beckon,
      [{ title: 'Slow', prompt: 'slow 150', status: 'running' }],
      await temporaryDirectory(),
    );
    const { page, problems } = await come(beckon, `/s/${id}`);
    await conversation(page)
      .getByText(/word20 /)
      .waitFor();
    await conversation(page)
      .getByText(/word150/)
      .waitFor();
    await page.getByRole('status').getByText('Done.').waitFor({ state: 'attached' });
    const fromEnd = (): Promise<number> =>
      conversation(page).evaluate(
        ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
      );
    await expect.poll(fromEnd).toBeLessThan(48);
    await page.getByRole('textbox', { name: 'Message to Slow' }).fill('hello');
    await page.keyboard.press('Enter');
    await conversation(page).locator('strong', { hasText: 'demo agent' }).waitFor();
    await conversation(page).locator('pre .code-keyword', { hasText: 'export' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('[UI3] shows an edit as a real change with numbered lines, and what was run with its exit code', async () => {
    const { page, problems } = await come(beckon, '/s/ses_everyday');
    await conversation(page).getByRole('button', { name: 'Ran npm test -- cart exit 0' }).waitFor();
    await conversation(page).getByRole('button', { name: 'Ran npm run lint exit 1' }).waitFor();
    const edit = conversation(page).getByRole('button', {
      name: /Edited src\/server\/cart-store\.ts \+3 −2/,
    });
    await edit.click();
    await conversation(page).getByText('find(sessionId: string)').waitFor();
    await expect
      .poll(() => conversation(page).locator('.bg-done-edge').allTextContents())
      .toContain('sessionId');
    await edit.click();
    await conversation(page).getByText('find(sessionId: string)').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  it('[UI3] folds runs of reads and searches into one line that opens to them', async () => {
    const { page } = await come(beckon, '/s/ses_everyday');
    await scrollTo(page, 'start');
    const fold = conversation(page).getByRole('button', { name: /Read 3 files, searched once/ });
    await fold.click();
    await conversation(page)
      .getByRole('button', { name: /Read src\/server\/session\.ts/ })
      .click();
    await conversation(page).locator('.code-keyword', { hasText: 'import' }).waitFor();
  });

  it('[SES12] shows a sub-agent under the call that started it, at any depth, and what it asks', async () => {
    const [id] = await startSessions(
      beckon,
      [{ title: 'Count', prompt: 'subagent', status: 'waiting' }],
      await temporaryDirectory(),
    );
    const { page, problems } = await come(beckon, `/s/${id}`);
    const agent = conversation(page).getByRole('button', { name: /Sub-agent: Count the files here/ });
    await conversation(page).getByText('I will list the directory.').waitFor();
    await agent.click();
    await conversation(page).getByText('I will list the directory.').waitFor({ state: 'detached' });
    await conversation(page).getByText('ls -A | wc -l').waitFor();
    await page.getByRole('button', { name: '1 waits for you: go to it' }).click();
    await conversation(page).getByText('I will list the directory.').waitFor();
    await conversation(page).getByRole('button', { name: 'Allow', exact: true }).click();
    await conversation(page).getByText('The sub-agent reports: There are 0 files.').waitFor();
    await page.getByRole('complementary', { name: 'Details' }).getByText('Count the files here').waitFor();
    expect(problems).toEqual([]);
  });

  it('[UI9] reads history backwards without a jump, and away from the end nothing moves', async () => {
    const { page, problems } = await come(beckon, '/s/ses_long');
    await conversation(page)
      .getByText(/^Message number 10\d:/)
      .last()
      .waitFor();
    expect(await shiftWhileReadingOlder(page)).toBeLessThan(3);
    await conversation(page).hover();
    const isAtStart = async (): Promise<boolean> =>
      (await topOf(page)) === 0 && (await page.getByText('The conversation begins here.').count()) === 1;
    while (!(await isAtStart())) {
      const before = await placeOfFirst(page);
      await page.mouse.wheel(0, -1200);
      await expect
        .poll(async () => (await placeOfFirst(page)).text !== before.text || (await isAtStart()))
        .toBe(true);
    }
    await conversation(page)
      .getByText(/^Message number 1:/)
      .waitFor();

    await page.mouse.wheel(0, 900);
    await expect.poll(() => topOf(page)).toBeGreaterThan(500);
    const isStill = async (): Promise<boolean> => {
      const before = await topOf(page);
      await drawn(page);
      return (await topOf(page)) === before;
    };
    await expect.poll(isStill).toBe(true);
    const still = await placeOfFirst(page);
    const last = (await wholeLog(beckon, 'ses_long')).at(-1)?.seq ?? expect.fail();
    await beckon.api('POST', '/api/sessions/ses_long/message', { message: 'slow 60' });
    await expect
      .poll(async () => {
        const { body } = await beckon.api('GET', `/api/sessions/ses_long/events?after=${last}&limit=1000`);
        return body.events.map(({ type }: { type: string }) => type);
      })
      .toContain('turn.ended');
    await page.getByRole('button', { name: /\d new/ }).waitFor();
    expect(await placeOfFirst(page)).toEqual(still);
    await page.getByRole('button', { name: /\d new/ }).click();
    await conversation(page)
      .getByText(/word60/)
      .waitFor();
    expect(problems).toEqual([]);
  });

  it('[UI8] is worked by keyboard: End goes to the latest, t opens all details, titles are edited', async () => {
    const { page } = await come(beckon, '/s/ses_everyday');
    await conversation(page).getByText('API Error: 529 overloaded').waitFor();
    await scrollTo(page, 'start');
    await page.getByRole('button', { name: 'Latest' }).waitFor();
    await page.keyboard.press('End');
    await conversation(page).getByText('API Error: 529 overloaded').waitFor();
    await page.getByRole('button', { name: 'Latest' }).waitFor({ state: 'detached' });
    await page.keyboard.press('t');
    await conversation(page).getByText('SHOP-311').waitFor();
    await page.keyboard.press('t');
    await page.getByRole('button', { name: 'Rename' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Title' }).fill('A better name');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'A better name' }).waitFor();
    const { body } = await beckon.api('GET', '/api/sessions/ses_everyday');
    expect(body.session.title).toBe('A better name');
  });

  it('[SES13] shows a permission mode only when the agent confirmed it, and why it was refused', async () => {
    const [id] = await startSessions(
      beckon,
      [{ title: 'Modes', prompt: 'hello', status: 'idle' }],
      await temporaryDirectory(),
    );
    const { page } = await come(beckon, `/s/${id}`);
    await page.getByRole('button', { name: 'Permission mode: Ask' }).click();
    await page.getByRole('menuitemradio', { name: 'Plan first' }).click();
    await page.getByRole('button', { name: 'Permission mode: Plan first' }).waitFor();
    const { body } = await beckon.api('GET', `/api/sessions/${id}`);
    expect(body.session.permissionMode).toBe('plan');
  });

  it('[SES5] [SES6] has Interrupt and Stop apart from each other, and Resume once it is stopped', async () => {
    const [id] = await startSessions(
      beckon,
      [{ title: 'Stoppable', prompt: 'slow 5000', status: 'running' }],
      await temporaryDirectory(),
    );
    const { page } = await come(beckon, `/s/${id}`);
    const interrupt = page.getByRole('button', { name: 'Interrupt', exact: true });
    const stop = page.getByRole('button', { name: 'Stop', exact: true });
    const between = async (): Promise<number> => {
      const [left, right] = [await interrupt.boundingBox(), await stop.boundingBox()];
      return (right?.x ?? 0) - ((left?.x ?? 0) + (left?.width ?? 0));
    };
    await expect.poll(between).toBeGreaterThan(30);
    await interrupt.click();
    await conversation(page).getByText('Interrupted.').waitFor();
    await stop.click();
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await page.getByText('The session was resumed.').waitFor();
  });

  it('[UI12] does nothing of what a text wants to do: no script, no remote picture, no escape codes', async () => {
    const elsewhere: string[] = [];
    const { page, problems } = await come(beckon, '/s/ses_hostile');
    page.on('request', (request) => {
      if (!request.url().startsWith(beckon.url)) elsewhere.push(request.url());
    });
    await page.reload();
    await conversation(page)
      .getByRole('button', { name: /Wrote x\.html/ })
      .waitFor();
    await page.keyboard.press('t');
    await scrollTo(page, 'start');
    await conversation(page).getByText('<script>window.pwned = 1</script>').waitFor();
    await conversation(page)
      .getByRole('link', { name: /a picture · tracker\.example/ })
      .waitFor();
    const links = () =>
      conversation(page)
        .getByRole('link')
        .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.getAttribute('rel')]));
    await expect.poll(links).toEqual([
      ['https://tracker.example/pixel.png', 'noopener noreferrer nofollow'],
      ['https://example.com/x', 'noopener noreferrer nofollow'],
    ]);
    await conversation(page).getByText('press me').click();
    const shown = (await conversation(page).textContent()) ?? '';
    expect([shown.includes('\u001b'), shown.includes('\u202e')]).toEqual([false, false]);
    await scrollTo(page, 'end');
    await conversation(page).getByText('<svg onload=').waitFor();
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(await conversation(page).locator('img, iframe, script, svg[onload]').count()).toBe(0);
    expect(elsewhere).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([
    ['desktop, light', { ...desktop, theme: 'light' as const }],
    ['desktop, dark, German', { ...desktop, theme: 'dark' as const, language: 'de' as const }],
    ['phone, dark', { ...phone, theme: 'dark' as const }],
  ])('[UI8] [UI10] breaks no accessibility rule and never scrolls sideways: %s', async (_, view) => {
    const { page, problems } = await come(beckon, '/s/ses_everyday', view);
    const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
    await page.getByText('API Error: 529 overloaded').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('t');
    for (const share of [0, 0.3, 0.5, 0.7, 1]) {
      await page.locator('main section[tabindex]').evaluate((element, part) => {
        element.scrollTop = element.scrollHeight * part;
      }, share);
      await drawn(page);
      expect([share, await violationsOf(page)]).toEqual([share, []]);
      expect(await width()).toBe(view.width);
    }
    await page.goto(`${beckon.url}/s/nothing-here`);
    await page
      .getByRole('heading', { name: /There is no such session|Diese Sitzung gibt es nicht/ })
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

const topOf = (page: Page): Promise<number> =>
  conversation(page).evaluate(({ scrollTop }) => Math.round(scrollTop));

/** Which entry is the first whole one on the screen, and where. */
const placeOfFirst = (page: Page): Promise<{ text: string; top: number }> =>
  conversation(page).evaluate((element) => {
    const { top } = element.getBoundingClientRect();
    for (const entry of element.querySelectorAll('[data-entry]')) {
      const place = entry.getBoundingClientRect().top - top;
      if (place >= 0) return { text: (entry as HTMLElement).dataset.entry ?? '', top: Math.round(place) };
    }
    return { text: '', top: 0 };
  });

/** By how much what one reads moves while an older page comes in front of it. */
const shiftWhileReadingOlder = (page: Page): Promise<number> =>
  conversation(page).evaluate(async (element) => {
    const frames = async (count: number): Promise<void> => {
      for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame);
    };
    const topOfEntry = (key: string): number =>
      element.querySelector(`[data-entry="${CSS.escape(key)}"]`)?.getBoundingClientRect().top ?? Number.NaN;
    const { height } = element.getBoundingClientRect();
    const before = element.scrollHeight;
    element.scrollTop = 1000;
    // Where one lands is drawn for the first time, and then turns out to be higher or lower than thought.
    await frames(3);
    const inView = [...element.querySelectorAll<HTMLElement>('[data-entry]')].find(
      (entry) => entry.getBoundingClientRect().top > height / 3,
    );
    const key = inView?.dataset.entry ?? '';
    const start = topOfEntry(key);
    let largest = 0;
    while (element.scrollHeight < before + 1000) {
      await frames(1);
      largest = Math.max(largest, Math.abs(topOfEntry(key) - start));
    }
    for (let frame = 0; frame < 20; frame += 1) {
      await frames(1);
      largest = Math.max(largest, Math.abs(topOfEntry(key) - start));
    }
    return largest;
  });
