import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import { afterAll, afterEach } from 'vitest';
import { type Beckon, endBeckons } from '../../support/beckon-process.ts';
import { patienceMs } from '../../support/patience.ts';
import { browserProgram } from './browser-program.ts';

export interface View {
  readonly width: number;
  readonly height: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'de';
  readonly hasTouch?: boolean;
  /** Its clock will be stopped: a timer that was set before the clock is ours could not be cleared any more. */
  readonly hasClock?: boolean;
  /** For a server whose certificate the test has made. */
  readonly trustsAnyone?: boolean;
}

export const desktop: View = { width: 1440, height: 900 };
export const phone: View = { width: 390, height: 844 };

/**
 * What the package's browser is started with by default and ours must not be: without web security, Chromium sends no Origin
 * and checks none, and with all in one process a crash of the page would end the browser.
 */
const unwanted = new Set([
  // Each page would be a process from the disk instead of one that is there already: a tenth to a quarter of what a visit costs.
  '--no-zygote',
  '--single-process',
  '--disable-web-security',
  '--disable-site-isolation-trials',
  '--allow-running-insecure-content',
]);

type Span = 'one test' | 'all tests';

interface Browsing {
  /** What is open now. */
  readonly visits: readonly Visit[];
  /** A person who was let in, at a page of Beckon. */
  come(beckon: Beckon, path?: string, view?: View): Promise<Visit>;
  /** A person who was not let in yet, at an empty page. */
  comeAsStranger(view?: View): Promise<Visit>;
}

/** For a file of tests: what they open in the browser and every server they start is ended after each of them, or after the last. */
export function withBrowser({
  pages = 'one test',
  servers = 'one test',
}: {
  pages?: Span;
  servers?: Span;
} = {}): Browsing {
  const visits: Visit[] = [];
  const endThoseOf = async (span: Span): Promise<void> => {
    if (pages === span) await Promise.all(visits.splice(0).map(({ context }) => context.close()));
    if (servers === span) await endBeckons();
  };
  afterEach(() => endThoseOf('one test'));
  afterAll(() => endThoseOf('all tests'));
  const keep = (visited: Visit): Visit => {
    visits.push(visited);
    return visited;
  };
  return {
    visits,
    come: async (beckon, path = '/', view = desktop) =>
      keep(await visitPaired(await sharedBrowser(), beckon, path, view)),
    comeAsStranger: async (view) => keep(await visit(await sharedBrowser(), view)),
  };
}

let shared: Promise<Browser> | undefined;

/** One for all files that this process runs; it ends with the process. */
const sharedBrowser = (): Promise<Browser> => {
  shared ??= openBrowser();
  return shared;
};

export async function openBrowser(): Promise<Browser> {
  chromium.setGraphicsMode = false;
  return playwright.launch({
    executablePath: await browserProgram(),
    args: chromium.args.filter((argument) => !unwanted.has(argument)),
    headless: true,
  });
}

/** A browser of its own, as one person's: what it reports as an error fails whoever asks for it. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page and of its content security policy. */
  readonly problems: readonly string[];
}

async function visit(browser: Browser, view: View = desktop): Promise<Visit> {
  const isPhone = view.width < 600;
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.height },
    colorScheme: view.theme ?? 'light',
    locale: view.language ?? 'en',
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: view.trustsAnyone ?? false,
    hasTouch: view.hasTouch ?? isPhone,
    ...(isPhone ? { isMobile: true, deviceScaleFactor: 2 } : {}),
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  if (view.hasClock === true) await page.clock.install();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return { context, page, problems };
}

/** From here on the time of a page with `hasClock` passes only as it is told. */
export async function stopClock(page: Page): Promise<void> {
  // The clock can only be stopped ahead of now, and what is under way then has waited for a minute.
  await page.waitForLoadState('networkidle');
  await page.clock.pauseAt(Date.now() + 60_000);
}

/** A browser that was let in and shows a page of Beckon. */
export async function visitPaired(
  browser: Browser,
  beckon: Beckon,
  path: string,
  view?: View,
): Promise<Visit> {
  const visited = await visit(browser, view);
  const { body } = await beckon.api('POST', '/api/pairing-code', {});
  await visited.page.goto(`${beckon.url}${path}#pair=${body.code}`);
  // A page that is left before it has its key would have to be paired again.
  await visited.page.waitForFunction(() => localStorage.getItem('beckon.key') !== null);
  // A key that is pressed before the page listens is lost.
  await visited.page.locator('main').first().waitFor();
  await drawn(visited.page);
  return visited;
}

/** Resolves when all that is under way is drawn; what a page does with keys is ready with it. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
