import { act } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Looking } from '../../src/web/notifications/looking.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { aSession } from './support/samples.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  window.history.replaceState(null, '', '/');
});

const isFocused = (focused: boolean, hidden = false): void => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(focused);
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(hidden);
};

async function looking(path: string) {
  window.history.replaceState(null, '', path);
  const page = renderPage(new FakeTransport(), <Looking />);
  await page.tell(() =>
    page.fake.tellSnapshot([aSession({ id: 's1', key: 'issue-7' }), aSession({ id: 's2' })]),
  );
  const looks = (): (string | null)[] => page.fake.connections.at(-1)?.looks ?? [];
  return { ...page, looks };
}

describe('what the person looks at', () => {
  it.each([
    ['/', 'all'],
    ['/inbox', 'all'],
    ['/s/s1', 's1'],
    ['/s/issue-7', 's1'],
    ['/settings', null],
  ])('[REACH3] on %s the server is told %s', async (path, told) => {
    isFocused(true);
    expect((await looking(path)).looks().at(-1)).toBe(told);
  });

  it('[REACH3] a page that is covered or hidden is looked at by nobody, and says so when that changes', async () => {
    isFocused(true);
    const { looks } = await looking('/s/s1');
    const count = looks().length;
    isFocused(false);
    act(() => void window.dispatchEvent(new Event('blur')));
    expect(looks().slice(count)).toEqual([null]);
    isFocused(true, true);
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    expect(looks().slice(count)).toEqual([null]);
    isFocused(true);
    act(() => void window.dispatchEvent(new Event('focus')));
    expect(looks().slice(count)).toEqual([null, 's1']);
  });

  it('[REACH3] it is said again while they look on, and to each new connection', async () => {
    isFocused(true);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { looks, fake, tell } = await looking('/s/s1');
    const count = looks().length;
    vi.advanceTimersByTime(60_000);
    expect(looks().slice(count)).toEqual(['s1', 's1', 's1']);
    await tell(() => fake.tellSnapshot([aSession({ id: 's1' })], { clientId: 'another' }));
    expect(looks()).toHaveLength(count + 4);
    isFocused(false);
    act(() => void window.dispatchEvent(new Event('blur')));
    vi.advanceTimersByTime(60_000);
    expect(looks().at(-1)).toBeNull();
    expect(looks()).toHaveLength(count + 5);
  });
});
