import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import { closeDialog } from '../../src/web/frame/dialogs.ts';
// Fetched before it is wanted: how long that takes is not what is looked at here.
import '../../src/web/frame/sign-in.tsx';
import * as sounds from '../../src/web/notifications/chime.ts';
import { answerRequests } from './support/fake-server.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { anInteraction, aSession, at } from './support/samples.ts';

beforeEach(() => {
  closeDialog();
  answerRequests({ 'GET /api/health': () => ({ body: { status: 'ok', version: '1.0.0' } }) });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function openPalette(fake = new FakeTransport()) {
  const page = renderPage(fake);
  await page.tell(() =>
    fake.tellSnapshot([
      aSession({ id: 's1', title: 'Fix the build', status: 'running' }),
      aSession({ id: 's2', title: 'Write docs' }),
    ]),
  );
  await userEvent.keyboard('{Control>}k{/Control}');
  return { ...page, field: await screen.findByRole('combobox', { name: 'Search and commands' }) };
}

describe('the palette', () => {
  it('[UI8] goes to a session by its name, with the keyboard alone, and has it first the next time', async () => {
    const { field } = await openPalette();
    await userEvent.type(field, 'docs{Enter}');
    expect(location.pathname).toBe('/s/s2');
    await userEvent.keyboard('{Control>}k{/Control}');
    const options = await screen.findAllByRole('option');
    expect(options[0]?.textContent).toContain('Write docs');
  });

  it('[STORE5] finds what was said, by session, and opens it', async () => {
    const fake = new FakeTransport();
    fake.answers = {
      search: ({ q }) =>
        Promise.resolve(
          q === 'kangaroo'
            ? [
                {
                  sessionId: 's2',
                  seq: 7,
                  at: at(0),
                  type: 'agent.text',
                  excerpt: 'a kangaroo hops',
                  title: 'Write docs',
                },
              ]
            : [],
        ),
    };
    const { field } = await openPalette(fake);
    await userEvent.type(field, 'kangaroo');
    const hit = await screen.findByRole('option', { name: /a kangaroo hops/ });
    expect(hit.parentElement?.getAttribute('aria-label')).toBe('Write docs');
    await userEvent.keyboard('{Enter}');
    expect(location.pathname).toBe('/s/s2');
  });

  it('acts on the session whose page is open: interrupt and rename', async () => {
    const fake = new FakeTransport();
    fake.answers = { interrupt: () => Promise.resolve(), patch: () => Promise.resolve(aSession()) };
    history.replaceState(null, '', '/s/s1');
    const { field } = await openPalette(fake);
    await userEvent.type(field, 'interrupt{Enter}');
    expect(fake.called('interrupt')).toEqual([['s1']]);
    await userEvent.keyboard('{Control>}k{/Control}');
    await userEvent.type(
      await screen.findByRole('combobox', { name: 'Search and commands' }),
      'rename{Enter}',
    );
    const title = await screen.findByRole('textbox', { name: 'Title' });
    await userEvent.clear(title);
    await userEvent.type(title, 'Mend the build{Enter}');
    expect(fake.called('patch')).toEqual([['s1', { title: 'Mend the build' }]]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});

describe('being let in', () => {
  const refused = (fake: FakeTransport) =>
    fake.heard.onConnection?.({ state: 'closed', error: new BeckonError('unauthorized', 401, 'No.') });

  it('[SEC1] says in words why a code does not work, and when to try again', async () => {
    const replies = [
      { status: 401, body: { error: { code: 'pairing_failed', message: 'x', details: {} } } },
      {
        status: 429,
        body: { error: { code: 'too_many_requests', message: 'x', details: { retryAfterSeconds: 42 } } },
      },
    ];
    answerRequests({ 'POST /api/pair': () => replies.shift() ?? { body: {} } });
    const { tell, fake } = renderPage();
    await tell(() => refused(fake));
    await screen.findByRole('heading', { name: 'Let this browser in' });
    const field = await screen.findByRole('textbox', { name: 'Link or code' });
    await userEvent.type(field, 'ABCD-EFGH{Enter}');
    expect(await screen.findByText(/unknown, was used already, or is older than ten minutes/)).toBeTruthy();
    await userEvent.type(field, '{Enter}');
    expect(await screen.findByText('Too many wrong codes. Wait 42 seconds, then try again.')).toBeTruthy();
  });

  it('[SEC1] asks a browser that was removed for a new code, and loses nothing that was typed', async () => {
    answerRequests({
      'GET /api/health': () => ({ body: { status: 'ok', version: '1.0.0' } }),
      'POST /api/pair': () => ({ body: {} }),
    });
    history.replaceState(null, '', '/s/s9');
    const { tell, fake } = renderPage();
    const session = aSession({ id: 's9', title: 'Talk' });
    await tell(() => fake.tellSnapshot([session]));
    await userEvent.type(await screen.findByRole('textbox', { name: 'Message to Talk' }), 'Half a thought');
    await tell(() => refused(fake));
    await screen.findByRole('heading', { name: 'This browser is no longer let in' });
    await userEvent.type(await screen.findByRole('textbox', { name: 'Link or code' }), 'ABCD-EFGH{Enter}');
    await tell(() => fake.tellSnapshot([session]));
    const field = await screen.findByRole('textbox', { name: 'Message to Talk' });
    expect((field as HTMLTextAreaElement).value).toBe('Half a thought');
  });
});

describe('a server that was updated', () => {
  it('[MULTI5] suggests to reload, and does not do so by itself', async () => {
    let version = '1.0.0';
    answerRequests({ 'GET /api/health': () => ({ body: { status: 'ok', version } }) });
    const { tell, fake } = renderPage();
    await tell(() => fake.tellSnapshot([aSession()]));
    version = '1.1.0';
    await tell(() => fake.tellSnapshot([aSession()], { clientId: 'c2' }));
    expect(await screen.findByText(/Beckon was updated to 1.1.0/)).toBeTruthy();
  });
});

describe('notifications', () => {
  it('[UI11] sound when another session begins to wait, not for the one that is open', async () => {
    const chime = vi.spyOn(sounds, 'chime').mockResolvedValue(true);
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    history.replaceState(null, '', '/s/s1');
    const { tell, fake } = renderPage();
    const running = [aSession({ status: 'running' }), aSession({ id: 's2', status: 'running' })];
    await tell(() => fake.tellSnapshot(running));
    await tell(() =>
      fake.heard.onAnnouncement?.({ type: 'approval-requested', data: anInteraction({ session: 's1' }) }),
    );
    expect(chime).not.toHaveBeenCalled();
    await tell(() =>
      fake.heard.onAnnouncement?.({
        type: 'approval-requested',
        data: anInteraction({ id: 'i2', session: 's2' }),
      }),
    );
    expect(chime.mock.calls).toEqual([['asks']]);
  });
});
