import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { closeDialog } from '../../src/web/frame/dialogs.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { anInteraction, aSession, at } from './support/samples.ts';

const asks = ['a', 'b', 'c'].map((id, index) =>
  anInteraction({
    id,
    session: `s-${id}`,
    createdAt: at(index),
    input: { command: `run ${id}` },
    subject: { kind: 'command', value: `run ${id}` },
  }),
);
const [first] = asks as [Interaction];

beforeEach(() => {
  history.replaceState(null, '', '/board');
  closeDialog();
});

async function openBoard(pending: readonly Interaction[], fake = new FakeTransport()) {
  const page = renderPage(fake);
  const sessions = pending.map(({ sessionId, interactionId }) =>
    aSession({ id: sessionId, title: `Session ${interactionId}`, status: 'waiting' }),
  );
  await page.tell(() => fake.tellSnapshot(sessions, { pending }));
  return page;
}

const dock = async () => within(await screen.findByRole('region', { name: 'Waits for you' }));

describe('the dock', () => {
  it('[UI5] shows the oldest of any session, and walks through the others, without taking the focus', async () => {
    await openBoard(asks);
    expect((await dock()).getByText('run a')).toBeTruthy();
    expect((await dock()).getByText('2 more')).toBeTruthy();
    expect(document.activeElement).toBe(document.body);
    await userEvent.click((await dock()).getByRole('button', { name: 'Next' }));
    expect((await dock()).getByText('run b')).toBeTruthy();
    await userEvent.click((await dock()).getByRole('button', { name: 'Previous' }));
    expect((await dock()).getByText('run a')).toBeTruthy();
  });

  it('[UI5] shows how it ended before the next takes its place', async () => {
    const fake = new FakeTransport();
    const allowed: Interaction = { ...first, status: 'resolved', outcome: 'allowed', resolvedAt: at(9) };
    fake.answers = { approve: () => Promise.resolve(allowed) };
    const { tell } = await openBoard(asks, fake);
    await userEvent.click((await dock()).getByRole('button', { name: 'Allow' }));
    await tell(() => fake.heard.onAnnouncement?.({ type: 'approval-cancelled', data: allowed }));
    expect((await dock()).getByText('Allowed')).toBeTruthy();
    expect((await dock()).queryByRole('button', { name: 'Allow' })).toBeNull();
    await waitFor(async () => expect((await dock()).getByText('run b')).toBeTruthy(), { timeout: 5000 });
  });

  it('[UI5] leaves out those whose card is on the screen already', async () => {
    history.replaceState(null, '', '/');
    const { tell, fake } = await openBoard(asks.slice(0, 2));
    await screen.findByRole('article', { name: 'Session b' });
    // A session that has been put to sleep has no monitor.
    const asleep = aSession({ id: 's-c', title: 'Session c', status: 'asleep' });
    const [, , third] = asks;
    await tell(() => {
      fake.heard.onAnnouncement?.({
        type: 'session-updated',
        data: { ...asleep, sessionId: asleep.id, sessionKey: null },
      });
      if (third !== undefined) fake.heard.onAnnouncement?.({ type: 'approval-requested', data: third });
    });
    expect((await dock()).getByText('run c')).toBeTruthy();
    expect((await dock()).queryByText(/more/)).toBeNull();
  });

  it('[UI5] folds away and comes back, and stays folded after a reload', async () => {
    await openBoard(asks);
    await userEvent.click((await dock()).getByRole('button', { name: 'Fold away' }));
    expect((await dock()).queryByText('run a')).toBeNull();
    expect(localStorage.getItem('beckon.dock')).toBe('folded');
    await userEvent.click((await dock()).getByRole('button', { name: /Session a.*2 more/ }));
    expect((await dock()).getByText('run a')).toBeTruthy();
    expect(localStorage.getItem('beckon.dock')).toBeNull();
  });

  it('[UI5] pops out for longer editing, and keeps what was typed there', async () => {
    const fake = new FakeTransport();
    await openBoard(asks, fake);
    await userEvent.click((await dock()).getByRole('button', { name: 'Open large' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Session a' }));
    await userEvent.click(dialog.getByRole('button', { name: 'Edit' }));
    await userEvent.type(dialog.getByRole('textbox', { name: 'Command' }), ' twice');
    await userEvent.click(dialog.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(fake.called('approve')).toEqual([]);
    await userEvent.click((await dock()).getByRole('button', { name: 'Open large' }));
    const again = within(await screen.findByRole('dialog', { name: 'Session a' }));
    expect((again.getByRole('textbox') as HTMLTextAreaElement).value).toBe('run a twice');
    await userEvent.click(again.getByRole('button', { name: 'Allow as edited' }));
    expect(fake.called('approve')[0]?.[1].updatedInput).toEqual({ command: 'run a twice' });
  });
});
