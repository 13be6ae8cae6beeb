import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { drilledAgent } from '../../support/drilled-agent.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, withBrowser } from './browser.ts';
import { longTitles, manySessions, startSessions, threeSessions } from './demo-sessions.ts';
import { focused, pressInARow } from './focus.ts';

const { come, comeAsStranger } = withBrowser({ servers: 'all tests' });

describe('the page in a browser', () => {
  it('[SEC1] lets a browser in by the link that was printed, once, and takes the code out of the address', async () => {
    const beckon = await startBeckon();
    const link = `${beckon.url}/#pair=${beckon.pairingCode}`;
    const first = await comeAsStranger();
    await first.page.goto(link);
    await first.page.getByRole('button', { name: 'Try the demo' }).waitFor();
    expect(first.page.url()).toBe(`${beckon.url}/`);
    await first.page.reload();
    await first.page.getByRole('button', { name: 'Try the demo' }).waitFor();
    expect(first.problems).toEqual([]);

    const second = await comeAsStranger();
    await second.page.goto(link);
    const field = second.page.getByRole('textbox', { name: 'Link or code' });
    await field.waitFor();
    const { body } = await beckon.api('POST', '/api/pairing-code', {});
    await field.fill(body.url);
    await second.page.getByRole('button', { name: 'Enter' }).click();
    await second.page.getByRole('button', { name: 'Try the demo' }).waitFor();
  });

  it('[UI1] [UI5] goes from the first press to a file that exists because it was allowed', async () => {
    const cwd = await temporaryDirectory();
    const beckon = await startBeckon({ cwd });
    const { page, problems } = await come(beckon);
    await page.getByRole('button', { name: 'Try the demo' }).click();
    await page.getByText('May I write this file?').waitFor();
    expect(existsSync(join(cwd, 'beckon-demo.md'))).toBe(false);
    await pressInARow(page, 'g c');
    const monitor = page.getByRole('article', { name: 'Demo tour' });
    await monitor.getByRole('button', { name: 'Allow', exact: true }).click();
    await monitor.getByText('What should an agent of yours do first?').waitFor();
    expect(readFileSync(join(cwd, 'beckon-demo.md'), 'utf8')).toContain('because you allowed it');
    await monitor.getByRole('button', { name: 'Write tests' }).click();
    await monitor.getByText('You answered my question with Write tests').waitFor();
    expect(problems).toEqual([]);
  });

  it('[UI1] shows a session that another program starts, and its words as they come', async () => {
    const beckon = await startBeckon();
    const { page } = await come(beckon);
    await page.getByRole('button', { name: 'Try the demo' }).waitFor();
    await startSessions(
      beckon,
      [{ title: 'From elsewhere', prompt: 'slow 400', status: 'running' }],
      beckon.dataDir,
    );
    const monitor = page.getByRole('article', { name: 'From elsewhere' });
    await monitor.getByText(/word5 /).waitFor();
    await monitor.getByText(/word60 /).waitFor();
  });

  it('[ASK4] closes a card that was answered on another device', async () => {
    const beckon = await startBeckon();
    const [, , asking] = await startSessions(beckon, threeSessions, await temporaryDirectory());
    const one = await come(beckon);
    const other = await come(beckon, '/inbox', phone);
    await one.page
      .getByRole('article', { name: 'Fix the flaky login test' })
      .getByText('May I run this?')
      .waitFor();
    await expect.poll(() => one.page.title()).toBe('(1) Beckon');
    await other.page.locator('[data-row]').click();
    await other.page.getByRole('button', { name: 'Deny' }).click();
    await focused(other.page.getByRole('textbox', { name: /^Why not/ }));
    await other.page.keyboard.press('Enter');
    await other.page.getByText('Nothing waits for you').waitFor();
    await one.page.getByText('May I run this?').waitFor({ state: 'detached' });
    await expect.poll(() => one.page.title()).toBe('Beckon');
    const { body } = await beckon.api('GET', `/api/sessions/${asking}/pending`);
    expect(body.pending).toEqual([]);
  });

  it('[MULTI5] says that the connection is lost, keeps what was typed, and comes back by itself', async () => {
    const dataDir = await temporaryDirectory();
    const cwd = await temporaryDirectory();
    const beckon = await startBeckon({ dataDir });
    const [id] = await startSessions(beckon, threeSessions.slice(0, 1), cwd);
    const { page } = await come(beckon, `/s/${id}`);
    const composer = page.getByRole('textbox', { name: 'Message to Greet the new contributors' });
    await composer.fill('a thought');
    const port = new URL(beckon.url).port;
    await beckon.stop();
    await page.getByText('Connection lost').waitFor();
    await startBeckon({ dataDir, args: ['--port', port] });
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    await expect.poll(() => composer.inputValue()).toBe('a thought');
    await page.reload();
    await expect.poll(() => composer.inputValue()).toBe('a thought');
    await composer.press('Enter');
    await page.getByText('You said: “a thought”').waitFor();
  });
});

describe('seven sessions in a browser', () => {
  let beckon: Beckon;
  beforeAll(async () => {
    beckon = await startBeckon({ args: ['--claude', drilledAgent(await temporaryDirectory())] });
    await startSessions(beckon, [...threeSessions, ...longTitles], await temporaryDirectory());
  });

  it('[UI8] is worked by keyboard: palette, places, help, a new session, and the focus comes back', async () => {
    const { page, problems } = await come(beckon);
    const monitors = page.getByRole('article');
    await monitors.first().focus();
    const names = await monitors.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
    for (let at = 0; at < names.indexOf('Migrate the session store to SQLite'); at += 1)
      await page.keyboard.press('ArrowRight');
    const monitor = page.getByRole('article', { name: 'Migrate the session store to SQLite' });
    await focused(monitor);
    await page.keyboard.press('Control+k');
    await focused(page.getByRole('combobox', { name: 'Search and commands' }));
    await page.keyboard.type('migrate');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focused(monitor);
    await page.keyboard.press('m');
    await focused(monitor.locator('textarea'));
    await page.keyboard.type('n? g c');
    await expect.poll(() => monitor.locator('textarea').inputValue()).toBe('n? g c');
    await page.keyboard.press('Control+k');
    await focused(page.getByRole('combobox', { name: 'Search and commands' }));
    await page.keyboard.type('flaky');
    await page.getByRole('option', { name: /Fix the flaky login test/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/s\//);
    await page.getByRole('heading', { name: 'Fix the flaky login test' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(problems).toEqual([]);
  });

  it.each([
    ['desktop, light', { ...desktop, theme: 'light' as const }],
    ['desktop, dark, German', { ...desktop, theme: 'dark' as const, language: 'de' as const }],
    ['phone, dark', { ...phone, theme: 'dark' as const }],
  ])('[UI8] [UI10] breaks no accessibility rule and never scrolls sideways: %s', async (_, view) => {
    const { page, problems } = await come(beckon, '/', view);
    for (const path of ['/', '/inbox', '/board', '/sessions', '/settings']) {
      await page.goto(beckon.url + path);
      await page.locator('main h1, main h2').first().waitFor();
      await page.locator('main [aria-busy]').first().waitFor({ state: 'detached' });
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([path, width]).toEqual([path, view.width]);
    }
    await page.goto(beckon.url);
    await page.getByRole('article').first().waitFor();
    await page
      .getByRole('button', { name: /^(New session|Neue Sitzung)$/ })
      .last()
      .click();
    await page.getByRole('dialog').getByRole('radio').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('fifty sessions in a browser', () => {
  let beckon: Beckon;
  beforeAll(async () => {
    beckon = await startBeckon();
    await startSessions(beckon, manySessions(50), await temporaryDirectory());
  });

  it('[UI2] stand on the board, on a phone, too, without scrolling the page sideways', async () => {
    const { page, problems } = await come(beckon, '/board', phone);
    await expect.poll(() => page.locator('[data-card]').count()).toBe(50);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('[UI1] [UI25] stand on the wall; those on the screen are followed, and of the others the twelve last seen at most', async () => {
    const { page, problems } = await come(beckon);
    const followed = new Set<string>();
    page.on('websocket', (socket) => {
      followed.clear();
      socket.on('framesent', ({ payload }) => {
        const { type, sessionId } = JSON.parse(String(payload));
        if (type === 'subscribe') followed.add(sessionId);
        if (type === 'unsubscribe') followed.delete(sessionId);
      });
    });
    await page.reload();
    const monitors = page.locator('article[data-flip]');
    await expect.poll(() => monitors.count()).toBe(50);
    /** Those that the box they are scrolled in shows, or would with so much more of it. */
    const within = (margin: number): Promise<string[]> =>
      monitors.evaluateAll((all, reach) => {
        let box = all[0]?.parentElement ?? document.body;
        while (box !== document.body && !/auto|scroll/.test(getComputedStyle(box).overflowY))
          box = box.parentElement ?? document.body;
        const seen = box.getBoundingClientRect();
        const isNear = (each: Element): boolean => {
          const { top, bottom } = each.getBoundingClientRect();
          return bottom > seen.top - reach && top < seen.bottom + reach;
        };
        return all.filter(isNear).map((each) => each.getAttribute('data-flip') ?? '');
      }, margin);
    // Through the whole wall: all of them have been seen in the end.
    for (let at = 0; at < 50; at += 3) {
      await monitors.nth(at).scrollIntoViewIfNeeded();
      await expect
        .poll(async () => {
          const near = new Set(await within(160));
          const far = [...followed].filter((id) => !near.has(id)).length;
          const missing = (await within(0)).filter((id) => !followed.has(id));
          return { missing, isLetGo: far <= 12 };
        })
        .toEqual({ missing: [], isLetGo: true });
    }
    expect((await within(160)).length + 12).toBeLessThan(50);
    expect(problems).toEqual([]);
  });
});

describe('the built page', () => {
  it('[PERF5] [UI35] has a first load of at most 180 kB of script, compressed', () => {
    const root = resolve(import.meta.dirname, '../../../dist/web');
    const index = readFileSync(join(root, 'index.html'), 'utf8');
    const scripts = [...index.matchAll(/(?:src|href)="([^":]+\.js)"/g)].map(([, path = '']) => path);
    const size = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(root, path))).length, 0);
    expect(scripts.length).toBeGreaterThan(0);
    expect(size).toBeLessThanOrEqual(180_000);
  });

  it('[UI12] has nothing that its content security policy would forbid, and loads nothing from elsewhere', () => {
    const root = resolve(import.meta.dirname, '../../../dist/web');
    const index = readFileSync(join(root, 'index.html'), 'utf8');
    expect(index).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|style=/);
    const styles = readdirSync(join(root, 'assets')).filter((name) => name.endsWith('.css'));
    for (const name of styles)
      expect(readFileSync(join(root, 'assets', name), 'utf8')).not.toMatch(/url\(["']?(?:https?:)?\/\//);
  });
});
