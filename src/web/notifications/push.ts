import type { PushWishes } from '../../protocol/push.ts';
import { push, pushName, removePush, savePush } from '../data/access.ts';
import { basePath } from '../data/base-path.ts';
import { readStored, writeStored } from '../data/stored.ts';

/**
 * Whether this browser can be told with the page closed. `insecure`: the page came over plain HTTP from another machine.
 * `install-first`: iPhones and iPads let only apps on the home screen.
 */
export type PushSupport = 'possible' | 'denied' | 'insecure' | 'install-first' | 'unsupported';

export type PushState = Awaited<ReturnType<typeof push>>;

export function pushSupport(): PushSupport {
  if (!globalThis.isSecureContext) return 'insecure';
  const isThere = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
  if (!isThere) return isAppleMobile() && !isInstalled() ? 'install-first' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : 'possible';
}

/** An iPad calls itself a Mac, and is one with fingers. */
const isAppleMobile = (): boolean =>
  /iPhone|iPad/.test(navigator.userAgent) ||
  (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

const isInstalled = (): boolean => matchMedia('(display-mode: standalone)').matches;

/** Only within a press: browsers ask the person for leave here. Null where they do not give it. */
export async function switchPushOn(wishes: PushWishes): Promise<PushState | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  const { publicKey } = await push();
  return subscribe(publicKey, wishes);
}

/** The server first: should the browser fail, nothing comes all the same. */
export async function switchPushOff(): Promise<void> {
  writeStored(pushName, null);
  await removePush();
  const subscription = await (await registration())?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

/**
 * What this browser asked for is made true again, where the browser or the server has another subscription, or none: browsers
 * renew them without a word. One that was never switched on here, or was switched off, is left alone.
 */
export async function keepPush(language: PushWishes['language']): Promise<void> {
  const wishes = storedWishes();
  if (wishes === undefined || pushSupport() !== 'possible' || Notification.permission !== 'granted') return;
  const { publicKey, subscription: known } = await push();
  const own = await (await registration())?.pushManager.getSubscription();
  const isSame =
    own != null &&
    own.endpoint === known?.endpoint &&
    keyOf(own) === publicKey &&
    known.language === language;
  if (!isSame) await subscribe(publicKey, { ...wishes, language });
}

/** Whether this browser was switched on. */
export const isPushOn = (): boolean => storedWishes() !== undefined;

/** Goes where a notification leads that was pressed, in this window. */
export function onNotificationPressed(open: (path: string) => void): () => void {
  const { serviceWorker } = navigator as Partial<Pick<Navigator, 'serviceWorker'>>;
  const hear = ({ data, ports }: MessageEvent<{ readonly type?: string; readonly path?: string }>): void => {
    if (data.type !== 'open' || data.path?.startsWith('/') !== true) return;
    ports[0]?.postMessage('heard');
    open(data.path);
  };
  serviceWorker?.addEventListener('message', hear);
  return () => serviceWorker?.removeEventListener('message', hear);
}

/** As the worker shows it, so that what is pushed about the same takes its place and does not ring twice. */
export async function showByWorker(
  {
    title,
    body,
    tag,
    path,
  }: {
    readonly title: string;
    readonly body: string;
    readonly tag: string;
    readonly path: string;
  },
  language: PushWishes['language'],
): Promise<void> {
  const data = { path: path.slice(1), language, isFromPage: true };
  const icon = `${basePath}/icons/app-192.png`;
  await (await registration())?.showNotification(title, { body, tag, icon, silent: true, data });
}

async function subscribe(publicKey: string, wishes: PushWishes): Promise<PushState> {
  const { pushManager } = await registered();
  const before = await pushManager.getSubscription();
  // A subscription is good for the one key that it was made with.
  if (before !== null && keyOf(before) !== publicKey) await before.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint, keys } = made.toJSON();
  const state = await savePush({
    endpoint: endpoint ?? '',
    keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
    ...wishes,
  });
  writeStored(pushName, JSON.stringify(wishes));
  return state;
}

/** The worker of the page, once it is at work. */
async function registered(): Promise<ServiceWorkerRegistration> {
  const scope = `${basePath}/`;
  await navigator.serviceWorker.register(`${scope}worker.js`, { scope, updateViaCache: 'none' });
  return navigator.serviceWorker.ready;
}

const registration = (): Promise<ServiceWorkerRegistration | undefined> =>
  navigator.serviceWorker.getRegistration(`${basePath}/`);

function keyOf({ options }: PushSubscription): string {
  const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0)));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function storedWishes(): PushWishes | undefined {
  try {
    return (JSON.parse(readStored(pushName) ?? 'null') as PushWishes | null) ?? undefined;
  } catch {
    return undefined;
  }
}
