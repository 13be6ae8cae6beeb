import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { closeDialog } from '../../src/web/frame/dialogs.ts';
import { quietMs } from '../../src/web/interaction/stillness.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { anInteraction, aSession, at } from './support/samples.ts';

const command = (
  id: string,
  seconds: number,
  value: string,
  more: Partial<Interaction> = {},
): Interaction => ({
  ...anInteraction({
    id,
    session: `s-${id}`,
    createdAt: at(seconds),
    input: { command: value },
    subject: { kind: 'command', value },
  }),
  ...more,
});
const three = [command('a', 1, 'npm test'), command('b', 2, 'npm run lint'), command('c', 3, 'ls')];
const sessionsOf = (asks: readonly Interaction[]) =>
  asks.map(({ interactionId, sessionId }) =>
    aSession({ id: sessionId, title: `Session ${interactionId}`, status: 'waiting' }),
  );
const endOf = (interaction: Interaction, outcome: 'allowed' | 'denied' = 'allowed'): Interaction => ({
  ...interaction,
  status: 'resolved',
  outcome,
  resolvedAt: at(60),
  resolvedBy: { kind: 'person', where: 'Firefox' },
});

beforeEach(() => {
  history.replaceState(null, '', '/inbox');
  closeDialog();
});
afterEach(() => {
  vi.useRealTimers();
});

async function openInbox(asks: readonly Interaction[], fake = new FakeTransport()) {
  const page = renderPage(fake);
  await page.tell(() => fake.tellSnapshot(sessionsOf(asks), { pending: asks }));
  await screen.findByRole('heading', { name: /Inbox|Nothing waits/ });
  const end = (interaction: Interaction) =>
    page.tell(() =>
      fake.heard.onAnnouncement?.({
        type: 'approval-resolved',
        data: {
          sessionId: interaction.sessionId,
          sessionKey: null,
          requestId: interaction.requestId,
          kind: interaction.kind,
          outcome: interaction.outcome ?? 'allowed',
          decision: 'allow',
          by: { kind: 'person' },
          at: at(60),
          interaction,
        },
      }),
    );
  return { ...page, end };
}

const current = (): string =>
  screen.getAllByRole('button').find((each) => each.getAttribute('aria-current') === 'true')?.textContent ??
  '';
const card = () => within(screen.getByRole('region', { name: 'What is asked' }));

describe('the inbox', () => {
  it('[UI2] lists what waits, oldest first, and shows the card of the first', async () => {
    await openInbox([...three].reverse());
    const rows = within(screen.getByRole('list', { name: /What waits/ })).getAllByRole('listitem');
    expect(rows.map(({ textContent }) => textContent?.slice(0, 9))).toEqual([
      'Session a',
      'Session b',
      'Session c',
    ]);
    expect(current()).toContain('Session a');
    expect(card().getByText('npm test')).toBeTruthy();
    expect(document.activeElement).toBe(document.body);
  });

  it('[UI2] [UI8] is worked by keyboard: move, allow, and on to the next with the focus', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const fake = new FakeTransport();
    fake.answers = {
      approve: (_, { requestId }) => {
        const asked = three.find(({ interactionId }) => interactionId === requestId);
        return asked === undefined ? Promise.reject(new Error('?')) : Promise.resolve(endOf(asked));
      },
    };
    await openInbox(three, fake);
    await userEvent.keyboard('jk');
    expect(current()).toContain('Session a');
    expect(document.activeElement?.getAttribute('aria-current')).toBe('true');
    await userEvent.keyboard('a');
    await waitFor(() => expect(current()).toContain('Session b'));
    expect(document.activeElement?.textContent).toContain('Session b');
    // [UI13] The next is decided only when it has been there for a moment.
    await userEvent.keyboard('s');
    vi.advanceTimersByTime(quietMs);
    expect(current()).toContain('Session b');
    await userEvent.keyboard('s');
    await waitFor(() => expect(current()).toContain('Session c'));
    expect(fake.called('approve').map(([session, { scope }]) => [session, scope])).toEqual([
      ['s-a', 'once'],
      ['s-b', 'session'],
    ]);
  });

  it('[UI8] allows nothing by Enter, by a key held down, or while a reason is typed', async () => {
    const { fake } = await openInbox(three);
    fireEvent.keyDown(document.body, { key: 'a', repeat: true });
    await userEvent.keyboard('d');
    expect(document.activeElement).toBe(card().getByRole('textbox', { name: /Why not/ }));
    await userEvent.keyboard('a as{Shift>}{Enter}{/Shift}');
    expect(fake.called('approve')).toEqual([]);
    await userEvent.keyboard('{Enter}');
    expect(fake.called('deny')).toEqual([['s-a', { requestId: 'a', reason: 'a as' }]]);
    expect(fake.called('approve')).toEqual([]);
  });

  it('[UI2] opens the editor with e and the session with Enter', async () => {
    await openInbox(three);
    await userEvent.keyboard('e');
    expect(document.activeElement).toBe(card().getByRole('textbox', { name: 'Command' }));
    await userEvent.keyboard('{Escape}');
    await userEvent.keyboard('j');
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(location.pathname).toBe('/s/s-b'));
  });

  it('[UI2] allows the selected like ones after showing them all, each with its own outcome', async () => {
    const fake = new FakeTransport();
    const write = command('w', 4, 'x', { toolName: 'Write', input: { file_path: '/x', content: 'x' } });
    fake.answers = {
      approve: (_, { requestId }) =>
        requestId === 'a'
          ? Promise.resolve(endOf(command('a', 1, 'npm test')))
          : Promise.reject(new BeckonError('internal_error', 500, 'The disk is full.')),
    };
    await openInbox([...three, write], fake);
    await userEvent.keyboard('xjjx');
    expect(screen.getByText('2 selected')).toBeTruthy();
    await userEvent.keyboard('{Shift>}A{/Shift}');
    const dialog = within(screen.getByRole('dialog', { name: 'Allow these 2?' }));
    expect(dialog.getByText('npm test')).toBeTruthy();
    expect(dialog.getByText('ls')).toBeTruthy();
    expect(dialog.queryByText('npm run lint')).toBeNull();
    expect(document.activeElement?.textContent).toBe('Cancel');
    expect(fake.called('approve')).toEqual([]);
    await userEvent.click(dialog.getByRole('button', { name: 'Allow all 2' }));
    expect(await dialog.findByText('Allowed')).toBeTruthy();
    expect(await dialog.findByText('The disk is full.')).toBeTruthy();
    expect(fake.called('approve').map(([session]) => session)).toEqual(['s-a', 's-c']);
  });

  it('[UI2] begins a new selection with one of another kind', async () => {
    const write = command('w', 4, 'x', { toolName: 'Write', input: { file_path: '/x', content: 'x' } });
    await openInbox([...three, write]);
    await userEvent.keyboard('xjx');
    expect(screen.getByText('2 selected')).toBeTruthy();
    await userEvent.keyboard('jjx');
    expect(screen.getByText('1 selected')).toBeTruthy();
  });

  it('[ASK4] lets what was answered elsewhere turn into its outcome before it leaves', async () => {
    const { end } = await openInbox(three);
    await end(endOf(command('b', 2, 'npm run lint'), 'denied'));
    const list = within(screen.getByRole('list', { name: /What waits/ }));
    expect(list.getByText('Denied')).toBeTruthy();
    expect(list.getByText(/· by Firefox/)).toBeTruthy();
    expect(screen.getByText('2 open')).toBeTruthy();
    await waitFor(() => expect(list.queryByText('Denied')).toBeNull(), { timeout: 5000 });
  });

  it('[UI2] can be narrowed to a session and to a kind', async () => {
    const asked = command('q', 4, 'x', { kind: 'question', questions: [], title: 'Which?' });
    await openInbox([...three, asked]);
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Kind' }), 'Questions');
    expect(current()).toContain('Session q');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Session' }), 'Session a');
    expect(screen.getByText('Nothing like this waits.')).toBeTruthy();
  });

  it('[UI2] says that nothing waits, and what is running', async () => {
    const fake = new FakeTransport();
    const page = renderPage(fake);
    await page.tell(() =>
      fake.tellSnapshot([aSession({ id: 'r', title: 'Busy one', status: 'running' }), aSession()]),
    );
    const main = within(await screen.findByRole('main'));
    expect(await main.findByText('Nothing waits for you')).toBeTruthy();
    expect(main.getByText('1 session is working.')).toBeTruthy();
    expect(main.getByText('Busy one')).toBeTruthy();
  });

  it('[UI8] shows its keys', async () => {
    await openInbox(three);
    await userEvent.keyboard('?');
    const dialog = within(await screen.findByRole('dialog', { name: 'Keys' }));
    expect(dialog.getByText('Deny, with a reason')).toBeTruthy();
  });
});
