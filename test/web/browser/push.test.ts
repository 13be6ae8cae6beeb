import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession, Page, Worker } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import type { PushMessage } from '../../../src/protocol/push.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import {
  makeReceiver,
  type PushReceiver,
  type PushService,
  startPushService,
} from '../../support/push-receiver.ts';
import { violationsOf } from './accessibility.ts';
import { withBrowser } from './browser.ts';

const { come } = withBrowser();
const services: PushService[] = [];
afterEach(() => {
  for (const service of services.splice(0)) service.close();
});

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly actions?: readonly { readonly action: string; readonly title: string }[];
  readonly isClosed: boolean;
}

/** A server that sends to a push service on this machine, at once. */
async function startWithPush(): Promise<{ beckon: Beckon; service: PushService; receiver: PushReceiver }> {
  const service = await startPushService();
  services.push(service);
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'config.json'), JSON.stringify({ notifications: { after: 0 } }));
  const beckon = await startBeckon({ dataDir, env: { BECKON_PUSH_LOOPBACK: '1' } });
  return { beckon, service, receiver: await makeReceiver() };
}

/** Headless browsers have no push service and grant nothing: what they would give the page is given by the test. */
async function standInForBrowser(page: Page, endpoint: string, { keys }: PushReceiver): Promise<void> {
  await page.addInitScript(
    ([at, given]) => {
      let subscription: object | null = null;
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
      Notification.requestPermission = async () => 'granted';
      Object.assign(PushManager.prototype, {
        getSubscription: async () => subscription,
        subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
          const bytes = atob(applicationServerKey.replaceAll('-', '+').replaceAll('_', '/'));
          subscription = {
            endpoint: at,
            options: { applicationServerKey: Uint8Array.from(bytes, (char) => char.charCodeAt(0)).buffer },
            toJSON: () => ({ endpoint: at, keys: given }),
            unsubscribe: async () => {
              subscription = null;
              return true;
            },
          };
          return subscription;
        },
      });
    },
    [endpoint, keys] as const,
  );
}

/** The worker, with what it shows and opens written down. */
async function watchWorker(worker: Worker): Promise<void> {
  await worker.evaluate(() => {
    const shown: { title: string; isClosed: boolean; tag?: string }[] = [];
    const opened: string[] = [];
    const badges: number[] = [];
    const scope = globalThis as unknown as {
      registration: object;
      clients: object;
      navigator: object;
    };
    Object.assign(globalThis, { shown, opened, badges });
    Object.assign(scope.registration, {
      showNotification: async (title: string, options: { tag?: string }) => {
        const kept = { title, ...options, isClosed: false, close: () => {} };
        kept.close = () => {
          kept.isClosed = true;
        };
        for (const before of shown) if (before.tag === kept.tag) before.isClosed = true;
        shown.push(kept);
      },
      getNotifications: async ({ tag }: { tag: string }) =>
        shown.filter((each) => each.tag === tag && !each.isClosed),
    });
    Object.assign(scope.clients, { openWindow: async (url: string) => void opened.push(url) });
    Object.assign(scope.navigator, { setAppBadge: async (count: number) => void badges.push(count) });
  });
}

const shownBy = (worker: Worker): Promise<Shown[]> =>
  worker.evaluate(() =>
    (globalThis as unknown as { shown: Shown[] }).shown.map(({ title, body, tag, actions, isClosed }) => ({
      title,
      body,
      tag,
      ...(actions === undefined ? {} : { actions }),
      isClosed,
    })),
  );

/** Presses the last notification, or one of its buttons. Browsers take such an event from nobody but themselves. */
const press = (worker: Worker, action = ''): Promise<void> =>
  worker.evaluate(async (pressed) => {
    const { shown } = globalThis as unknown as { shown: object[] };
    const waited: Promise<unknown>[] = [];
    const event = new Event('notificationclick');
    Object.defineProperties(event, {
      notification: { value: shown.at(-1) },
      action: { value: pressed },
      waitUntil: { value: (work: Promise<unknown>) => void waited.push(work) },
    });
    globalThis.dispatchEvent(event);
    await Promise.all(waited);
  }, action);

/** Carries what the push service took to the browser, as it would. */
async function carrier(devtools: CDPSession, origin: string, service: PushService, receiver: PushReceiver) {
  const registrations: string[] = [];
  devtools.on('ServiceWorker.workerRegistrationUpdated', (update) => {
    for (const { registrationId, isDeleted } of update.registrations)
      if (!isDeleted) registrations.push(registrationId);
  });
  await devtools.send('ServiceWorker.enable');
  const registrationId = await eventually('the worker is registered', () => registrations.at(-1));
  const tell = (data: string) =>
    devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  let carried = 0;
  const deliver = async (what: string): Promise<PushMessage> => {
    const { body } = await eventually(
      what,
      () => service.taken.filter(({ path }) => path === '/phone')[carried],
    );
    carried += 1;
    const data = await receiver.read(body);
    await tell(data);
    return JSON.parse(data) as PushMessage;
  };
  return { tell, deliver };
}

test('[REACH14] [REACH15] [REACH16] [REACH17] [REACH18] with the page closed, a notification is shown and answered, and goes when it is over', async () => {
  const { beckon, service, receiver } = await startWithPush();
  const { page, context, problems } = await come(beckon, '/settings');
  await standInForBrowser(page, `${service.url}/phone`, receiver);
  await page.reload();
  // Nothing is asked of the browser before the press.
  expect(context.serviceWorkers()).toEqual([]);
  await page.getByRole('button', { name: 'Switch on for this device' }).click();
  await page.getByRole('button', { name: 'Switch off' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  expect(worker.url()).toBe(`${beckon.url}/worker.js`);
  await watchWorker(worker);
  const script = await fetch(worker.url());
  expect(script.headers.get('cache-control')).toBe('no-cache');
  expect(await script.text()).not.toMatch(/addEventListener\(.fetch|caches\./);

  const blank = await context.newPage();
  const { tell, deliver } = await carrier(await context.newCDPSession(blank), beckon.url, service, receiver);
  await page.getByRole('button', { name: 'Send a test' }).click();
  expect(await deliver('the test is sent')).toEqual({ type: 'test', language: 'en' });
  await page.getByText('The push service has taken it.').waitFor();
  await eventually('it is shown', async () => (await shownBy(worker)).length === 1);
  await page.close();

  // It asks while no page is open, and is allowed on the notification.
  const cwd = await temporaryDirectory();
  const created = { agent: 'demo', cwd, title: 'Build', prompt: 'run touch made' };
  const { id } = (await beckon.api('POST', '/api/sessions', created)).body.session;
  const ask = (command: string) =>
    beckon.api('POST', `/api/sessions/${id}/message`, { message: `run ${command}` });
  expect(await deliver('the ask is pushed')).toMatchObject({ type: 'notice', kind: 'waits', waiting: 1 });
  const asked = await eventually('it is shown', async () => (await shownBy(worker))[1]);
  expect(asked).toMatchObject({ title: 'Build', isClosed: false });
  expect(asked.body).toContain('touch made');
  expect(asked.actions?.map(({ action, title }) => `${action} ${title}`)).toEqual([
    'allow Allow',
    'deny Deny',
  ]);
  expect(existsSync(join(cwd, 'made'))).toBe(false);
  await press(worker, 'allow');
  await eventually('the command was run', () => existsSync(join(cwd, 'made')));
  expect((await shownBy(worker)).map(({ isClosed }) => isClosed)).toEqual([false, true]);
  const { body: events } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
  const decided = events.events.find(({ type }: { type: string }) => type === 'interaction.decided');
  expect(decided.by).toMatchObject({ kind: 'person', via: 'device' });

  // Pressed once more, it is over, and said to be.
  await press(worker, 'deny');
  expect((await shownBy(worker)).at(-1)?.body).toContain('Open Beckon');

  // What is answered elsewhere goes from the screen.
  await ask('touch other');
  await deliver('the second ask is pushed');
  await eventually(
    'it is shown',
    async () => (await shownBy(worker)).at(-1)?.body.includes('touch other') === true,
  );
  const { body: open } = await beckon.api('GET', `/api/sessions/${id}/pending`);
  await beckon.api('POST', `/api/sessions/${id}/deny`, { requestId: open.pending[0].requestId });
  expect(await deliver('it is taken back')).toMatchObject({ type: 'withdrawn', waiting: 0 });
  await eventually('it is gone', async () => (await shownBy(worker)).at(-1)?.isClosed === true);
  await expect
    .poll(() => worker.evaluate(() => (globalThis as unknown as { badges: number[] }).badges))
    .toEqual([1, 0, 1, 0]);

  // Whatever comes, something is shown: also of what is over, where the browser wants it, and of what is not understood.
  const over = {
    type: 'withdrawn',
    tag: 'waits-x',
    title: 'Build',
    sessionId: 'x',
    waiting: 0,
    language: 'de',
    isSaid: true,
  };
  for (const [data, body] of [
    [JSON.stringify(over), 'Anderswo beantwortet'],
    ['{"type":"of a newer server"}', 'Something happened. Open Beckon to see it.'],
    ['no JSON', 'Something happened. Open Beckon to see it.'],
  ] as const) {
    const count = (await shownBy(worker)).length;
    await tell(data);
    const more = await eventually('something is shown', async () => (await shownBy(worker))[count]);
    expect(more.body).toBe(body);
  }

  // A press on it opens the session: in a new window, or in the one that is there.
  await ask('touch third');
  await deliver('the third ask is pushed');
  await eventually(
    'it is shown',
    async () => (await shownBy(worker)).at(-1)?.body.includes('touch third') === true,
  );
  await press(worker);
  expect(await worker.evaluate(() => (globalThis as unknown as { opened: string[] }).opened)).toEqual([
    `${beckon.url}/s/${id}`,
  ]);
  await blank.goto(`${beckon.url}/inbox`);
  await blank.getByRole('heading', { name: 'Inbox' }).first().waitFor();
  await press(worker);
  await blank.waitForURL(`${beckon.url}/s/${id}`);

  // A device that was removed hears nothing more, where another does.
  const other = await makeReceiver();
  const { body: code } = await beckon.api('POST', '/api/pairing-code', {});
  const paired = await fetch(`${beckon.url}/api/pair`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: code.code }),
  });
  const cookie = (paired.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { key } = (await paired.json()) as { key: string };
  await fetch(`${beckon.url}/api/push`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'x-beckon-key': key },
    body: JSON.stringify({
      endpoint: `${service.url}/other`,
      keys: other.keys,
      kinds: ['waits'],
      text: 'title',
      language: 'en',
    }),
  });
  const { body: list } = await beckon.api('GET', '/api/devices');
  const [phone] = list.devices;
  await beckon.api('DELETE', `/api/devices/${phone.id}`);
  const before = service.taken.filter(({ path }) => path === '/phone').length;
  await blank.close();
  await beckon.api('POST', '/api/sessions', { ...created, prompt: 'run touch fourth' });
  const sparse = await eventually('the other device hears of it', () =>
    service.taken.find(({ path }) => path === '/other'),
  );
  expect(JSON.parse(await other.read(sparse.body))).toMatchObject({ title: 'Build', body: 'Waits for you' });
  expect(service.taken.filter(({ path }) => path === '/phone')).toHaveLength(before);
  expect(problems).toEqual([]);
});
