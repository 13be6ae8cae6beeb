import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StorageState } from '../../src/protocol/storage.ts';
import { answerRequests } from './support/fake-server.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { aSession, at } from './support/samples.ts';

beforeEach(() => answerRequests({ 'GET /api/health': () => ({ body: { status: 'ok', version: '1.0.0' } }) }));
afterEach(() => {
  localStorage.clear();
  vi.unstubAllGlobals();
});

const full: StorageState = { ok: false, problem: 'disk-full', reason: 'The disk is full.', missing: [] };
const torn: StorageState = {
  ok: true,
  missing: [
    {
      foundAt: at(5),
      after: at(0),
      cause: 'log-damaged',
      keptAs: 'beckon.db-wal.damaged-1',
      isRestWhole: false,
    },
  ],
};

async function pageWith(storage: StorageState) {
  const fake = new FakeTransport();
  const page = renderPage(fake);
  await page.tell(() => fake.tellSnapshot([aSession({ id: 's1' })], { storage }));
  return page;
}

describe('what is wrong with the disk', () => {
  it('[STORE6] stands above everything for as long as nothing can be stored', async () => {
    const { fake, tell } = await pageWith(full);
    expect(screen.getByText(/Nothing can be stored: the disk is full/)).toBeTruthy();
    await tell(() =>
      fake.heard.onAnnouncement?.({ type: 'storage-changed', data: { ok: true, missing: [] } }),
    );
    expect(screen.queryByText(/Nothing can be stored/)).toBeNull();
    await tell(() => fake.heard.onAnnouncement?.({ type: 'storage-changed', data: full }));
    expect(screen.getByText(/Nothing can be stored/)).toBeTruthy();
  });

  it('[STORE9] tells that agents wait for room, for as long as they do', async () => {
    const { fake, tell } = await pageWith({ ok: true, missing: [], room: 'none' });
    expect(screen.getByText(/nearly full: all agents wait/)).toBeTruthy();
    const heard = (data: StorageState) =>
      tell(() => fake.heard.onAnnouncement?.({ type: 'storage-changed', data }));
    await heard({ ok: true, missing: [], room: 'low' });
    expect(screen.getByText(/nearly full: agents that print much wait/)).toBeTruthy();
    await heard({ ok: true, missing: [] });
    expect(screen.queryByText(/nearly full/)).toBeNull();
  });

  it('[STORE7] what is missing is told until it was read, also after a reload', async () => {
    await pageWith(torn);
    const notice = screen.getByText(/^Events after .+ may be missing: the write-ahead log was damaged/);
    expect(notice.textContent).toContain('It was kept as beckon.db-wal.damaged-1.');
    expect(notice.textContent).toContain('The database itself is damaged, too.');
    await userEvent.click(screen.getByRole('button', { name: 'I have read it' }));
    expect(screen.queryByText(/may be missing/)).toBeNull();
    await pageWith(torn);
    expect(screen.queryByText(/may be missing/)).toBeNull();
  });
});
