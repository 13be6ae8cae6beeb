import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import type { Beckon } from '../../support/beckon-process.ts';

export interface View {
  readonly width: number;
  readonly height: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'de';
  readonly hasTouch?: boolean;
}

export const desktop: View = { width: 1440, height: 900 };
export const phone: View = { width: 390, height: 844 };

/**
 * What the package's browser is started with by default and ours must not be: without web security, Chromium sends no Origin
 * and checks none, and with all in one process a crash of the page would end the browser.
 */
const unwanted = new Set([
  '--single-process',
  '--disable-web-security',
  '--disable-site-isolation-trials',
  '--allow-running-insecure-content',
]);

/** The browser that comes with the packages: nothing needs to be installed on the machine. */
export async function openBrowser(): Promise<Browser> {
  chromium.setGraphicsMode = false;
  return playwright.launch({
    executablePath: await chromium.executablePath(),
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

export async function visit(browser: Browser, view: View = desktop): Promise<Visit> {
  const isPhone = view.width < 600;
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.height },
    colorScheme: view.theme ?? 'light',
    locale: view.language ?? 'en',
    reducedMotion: 'reduce',
    hasTouch: view.hasTouch ?? isPhone,
    ...(isPhone ? { isMobile: true, deviceScaleFactor: 2 } : {}),
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return { context, page, problems };
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
  return visited;
}
