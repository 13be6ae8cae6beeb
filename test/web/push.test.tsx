import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PushWishes } from '../../src/protocol/push.ts';
import { pair } from '../../src/web/data/access.ts';
import { isPushOn, keepPush, switchPushOn } from '../../src/web/notifications/push.ts';
import { PushSettings } from '../../src/web/pages/settings/push-settings.tsx';
import { answerRequests } from './support/fake-server.ts';
import { renderPage } from './support/render-page.tsx';

afterEach(() => vi.unstubAllGlobals());

const key = (letter: string): string => btoa(letter.repeat(66)).replaceAll('=', '');
const bytesOf = (text: string): ArrayBuffer =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0)).buffer;
const wishes: PushWishes = { kinds: ['waits'], text: 'full', language: 'en' };

/** A browser with a push service, and a server that keeps what it is given. */
function standIn({
  permission = 'granted' as NotificationPermission,
  endpoint = 'https://push.example/1',
} = {}) {
  const state = {
    endpoint,
    publicKey: key('a'),
    own: null as { endpoint: string; options: object; unsubscribe(): Promise<boolean> } | null,
    known: null as Record<string, unknown> | null,
    unsubscribed: 0,
  };
  const pushManager = {
    getSubscription: async () => state.own,
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
      state.own ??= {
        endpoint: state.endpoint,
        options: { applicationServerKey: bytesOf(applicationServerKey) },
        unsubscribe: async () => {
          state.own = null;
          state.unsubscribed += 1;
          return true;
        },
      };
      const { endpoint: at } = state.own;
      return { ...state.own, toJSON: () => ({ endpoint: at, keys: { p256dh: 'p', auth: 'a' } }) };
    },
  };
  const registration = { pushManager };
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('PushManager', class {});
  vi.stubGlobal('Notification', { permission, requestPermission: async () => permission });
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: {
      register: async () => registration,
      ready: Promise.resolve(registration),
      getRegistration: async () => registration,
    },
  });
  const reply = () => ({ body: { publicKey: state.publicKey, subscription: state.known } });
  const asked = answerRequests({
    'GET /api/push': reply,
    'POST /api/push': (body) => {
      const { keys: _, ...given } = body as Record<string, unknown>;
      state.known = { ...given, failure: null };
      return reply();
    },
    'DELETE /api/push': () => {
      state.known = null;
      return { body: { status: 'ok' } };
    },
    'POST /api/pair': () => ({ body: { status: 'ok', key: 'k', device: {} } }),
  });
  const posts = (): number => asked.filter(({ route }) => route === 'POST /api/push').length;
  return { state, posts };
}

describe('notifications with the page closed', () => {
  it.each([
    ['over plain HTTP', { isSecureContext: false }, /only for pages from this machine or over HTTPS/],
    [
      'where the browser forbids them',
      { Notification: { permission: 'denied' } },
      /keeps Beckon from showing/,
    ],
    ['in a browser without them', { PushManager: undefined }, /cannot be told while its page is closed/],
  ])('[REACH14] %s, it is said what to do, and nothing is offered', (_, missing, text) => {
    standIn();
    for (const [name, value] of Object.entries(missing)) {
      if (value === undefined) Reflect.deleteProperty(globalThis, name);
      else vi.stubGlobal(name, value);
    }
    renderPage(undefined, <PushSettings />);
    expect(screen.getByText(text)).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('[REACH14] on an iPhone Beckon is to be put on the home screen first', () => {
    standIn();
    Reflect.deleteProperty(globalThis, 'PushManager');
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)');
    renderPage(undefined, <PushSettings />);
    expect(screen.getByText(/add Beckon to the Home Screen first/)).toBeTruthy();
    vi.restoreAllMocks();
  });

  it('[REACH14] are switched on by a press, chosen by kind and by how much is shown, and switched off', async () => {
    const { state } = standIn();
    renderPage(undefined, <PushSettings />);
    await userEvent.click(await screen.findByRole('button', { name: 'Switch on for this device' }));
    await screen.findByRole('button', { name: 'Switch off' });
    expect(state.known).toMatchObject({ kinds: ['waits', 'failed'], text: 'full', endpoint: state.endpoint });
    await userEvent.click(screen.getByRole('switch', { name: 'A session fails' }));
    await waitFor(() => expect(state.known).toMatchObject({ kinds: ['waits'] }));
    // The last kind is switched off with all the rest.
    await waitFor(() =>
      expect(screen.getByRole<HTMLInputElement>('switch', { name: 'An agent waits for you' }).disabled).toBe(
        true,
      ),
    );
    await userEvent.selectOptions(
      screen.getByRole('combobox', { name: 'What is shown' }),
      'The session alone',
    );
    await waitFor(() => expect(state.known).toMatchObject({ kinds: ['waits'], text: 'title' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Switch off' }));
    await screen.findByRole('button', { name: 'Switch on for this device' });
    expect(state).toMatchObject({ known: null, own: null });
    expect(isPushOn()).toBe(false);
  });

  it('[REACH14] are made true again when the page is loaded, where the browser or the server has others', async () => {
    const { state, posts } = standIn();
    await keepPush('en');
    expect(posts(), 'never switched on').toBe(0);
    await switchPushOn(wishes);
    const before = posts();
    await keepPush('en');
    expect(posts(), 'all is as it was').toBe(before);

    state.own = null;
    state.endpoint = 'https://push.example/2';
    await keepPush('en');
    expect(state.known, 'the browser has another').toMatchObject({
      endpoint: 'https://push.example/2',
      ...wishes,
    });
    state.known = null;
    await keepPush('en');
    expect(state.known, 'the server has forgotten').toMatchObject(wishes);
    state.publicKey = key('b');
    await keepPush('en');
    expect(state.unsubscribed, 'the server has another key').toBe(1);
    await keepPush('de');
    expect(state.known, 'the page speaks another language').toMatchObject({ language: 'de' });

    // One that was removed and is paired anew is told nothing until someone presses.
    await pair('code');
    state.known = null;
    await keepPush('en');
    expect(state.known).toBeNull();
  });
});
