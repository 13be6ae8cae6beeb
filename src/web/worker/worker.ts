import type { PushDecision, PushLanguage, PushMessage } from '../../protocol/push.ts';
import { serverOperations } from '../../protocol/server-operation.ts';
import { wordsIn } from './words.ts';

/**
 * Shows what the server pushes to this device, and takes the answer to it. It answers no request of the page and keeps no copy
 * of anything: a page that is older than its server cannot come from here.
 */
declare const self: ServiceWorkerGlobalScope;

/** What a notification carries for the moment it is pressed. */
interface NoticeData {
  readonly path: string;
  readonly language: PushLanguage;
  readonly ticket?: string;
  /** A page has shown it before, and rung for it. */
  readonly isFromPage?: boolean;
}

interface NoticeOptions extends NotificationOptions {
  readonly tag: string;
  readonly data: NoticeData;
  readonly actions?: readonly { readonly action: PushDecision; readonly title: string }[];
  readonly renotify?: boolean;
}

// A newer worker has nothing to wait for: no page depends on the one before.
self.addEventListener('install', () => void self.skipWaiting());
// Only its own pages can be sent elsewhere, also those that were there before it.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => event.waitUntil(show(messageIn(event.data))));
self.addEventListener('notificationclick', (event) =>
  event.waitUntil(press(event.notification, event.action)),
);

function messageIn(data: PushMessageData | null): PushMessage | undefined {
  try {
    return data?.json() as PushMessage;
  } catch {
    return undefined;
  }
}

/** Every push shows something, also one that is not understood: browsers take the permission away otherwise. */
async function show(message: PushMessage | undefined): Promise<void> {
  const words = wordsIn(message?.language);
  switch (message?.type) {
    case 'notice': {
      const { title, body, tag, language, ticket } = message;
      setBadge(message.waiting);
      const data = { path: pathOf(message.sessionId), language };
      const before = await self.registration.getNotifications({ tag });
      const hasRung = before.some((shown) => (shown.data as NoticeData | null)?.isFromPage === true);
      return notify(title, {
        body,
        tag,
        renotify: !hasRung,
        silent: hasRung,
        data: ticket === undefined ? data : { ...data, ticket },
        actions:
          ticket === undefined
            ? []
            : [
                { action: 'allow', title: words.allow },
                { action: 'deny', title: words.deny },
              ],
      });
    }
    case 'withdrawn': {
      const { tag, title, sessionId, language, isSaid } = message;
      setBadge(message.waiting);
      if (isSaid) {
        const data = { path: pathOf(sessionId), language };
        return notify(title, { body: words.over, tag, silent: true, data });
      }
      for (const shown of await self.registration.getNotifications({ tag })) shown.close();
      return undefined;
    }
    case 'test':
      return notify('Beckon', {
        body: words.test,
        tag: 'test',
        data: { path: 'settings', language: message.language },
      });
    default:
      return notify('Beckon', { body: words.unknown, tag: 'unknown', data: { path: '', language: 'en' } });
  }
}

async function press(notification: Notification, action: string): Promise<void> {
  const data = notification.data as NoticeData;
  if ((action === 'allow' || action === 'deny') && data.ticket !== undefined)
    return answer(notification, { ...data, ticket: data.ticket }, action);
  notification.close();
  await open(data.path);
}

/** The ticket is good for this one ask, as it was shown here, from this browser, once. */
async function answer(
  notification: Notification,
  { ticket, ...data }: NoticeData & { readonly ticket: string },
  decision: PushDecision,
): Promise<void> {
  const reply = await fetch(`${base()}${serverOperations.answerPush.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket, decision }),
  }).catch(() => undefined);
  notification.close();
  if (reply?.ok === true) {
    const { waiting } = (await reply.json()) as { readonly waiting: number };
    setBadge(waiting);
    return;
  }
  const words = wordsIn(data.language);
  const isOver = reply?.status === 409 || reply?.status === 410;
  const { title, tag } = notification;
  await notify(title, { body: isOver ? words.already : words.notAnswered, tag, data });
}

/** In a window that is there already, else in a new one. Where to is told after it has the focus: a press is good for one of both. */
async function open(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const ours = windows.filter(({ url }) => url.startsWith(self.registration.scope));
  const window =
    ours.find(({ focused }) => focused) ??
    ours.find(({ visibilityState }) => visibilityState === 'visible') ??
    ours[0];
  if (window === undefined) {
    await self.clients.openWindow(self.registration.scope + path);
    return;
  }
  await window.focus().catch(() => undefined);
  // A page that does not listen yet, or was put to sleep, is loaded anew there.
  if (!(await isHeard(window, { type: 'open', path: `/${path}` })))
    await window.navigate(self.registration.scope + path).catch(() => undefined);
}

const patienceMs = 1_500;

function isHeard(window: WindowClient, message: object): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), patienceMs);
    window.postMessage(message, [port2]);
  });
}

const notify = (title: string, options: NoticeOptions): Promise<void> =>
  self.registration.showNotification(title, {
    icon: `${base()}/icons/app-192.png`,
    badge: `${base()}/icons/badge-96.png`,
    ...options,
  });

function setBadge(waiting: number): void {
  const { setAppBadge } = self.navigator as WorkerNavigator & Partial<Pick<WorkerNavigator, 'setAppBadge'>>;
  // Not every browser has one, and one that does not like it takes nothing else away.
  void setAppBadge?.call(self.navigator, waiting).catch(() => undefined);
}

/** The place of the page on its origin, with no slash at its end. */
const base = (): string => self.registration.scope.replace(/\/$/, '');

const pathOf = (sessionId: string): string => `s/${encodeURIComponent(sessionId)}`;
