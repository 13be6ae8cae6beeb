import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import {
  anAgent,
  anInteraction,
  aSession,
  at,
  called,
  logOf,
  sessionId,
  taken,
  text,
} from './support/samples.ts';

const monitors = (): string[] =>
  screen.getAllByRole('article').map((each) => each.getAttribute('aria-label') ?? '');
const monitor = (title: string) => within(screen.getByRole('article', { name: title }));

describe('Mission Control', () => {
  it('[UI1] has a monitor for every live session, those that need you first', async () => {
    const { tell, fake } = renderPage();
    await tell(() =>
      fake.tellSnapshot(
        [
          aSession({ id: 'a', title: 'Idle one', createdAt: at(1) }),
          aSession({ id: 'b', title: 'Asking one', status: 'waiting' }),
          aSession({ id: 'c', title: 'Stopped one', status: 'stopped' }),
        ],
        { pending: [anInteraction({ session: 'b' })] },
      ),
    );
    expect(monitors()).toEqual(['Asking one', 'Idle one']);
    expect(document.title).toBe('(1) Beckon');
  });

  it('[UI1] shows a new session by itself', async () => {
    const { tell, fake } = renderPage();
    await tell(() => fake.tellSnapshot([aSession({ id: 'a', title: 'First' })]));
    const second = {
      ...aSession({ id: 'b', title: 'Second', createdAt: at(9) }),
      sessionId: sessionId('b'),
      sessionKey: null,
    };
    await tell(() => fake.heard.onAnnouncement?.({ type: 'session-started', data: second }));
    expect(monitors()).toContain('Second');
  });

  it('[UI1] shows the last words of a session, live', async () => {
    const fake = new FakeTransport();
    fake.logs.set(
      'a',
      logOf(taken('u1', 'Fix the **login**'), text('m1', 'I am **looking** at it.'), called('t1')),
    );
    const { tell } = renderPage(fake);
    const session = aSession({ id: 'a', title: 'Login', status: 'running', lastSeq: 3 });
    await tell(() => fake.tellSnapshot([session]));
    await waitFor(() => expect(fake.heard.sessions).toEqual(['a']));
    await tell(() => fake.tellFollowed('a'));
    expect(monitor('Login').getByText('I am looking at it.')).toBeTruthy();
    await tell(() => fake.heard.onDelta?.('a', { messageId: 'm2', block: 0, kind: 'text', text: 'Found' }));
    await tell(() => fake.heard.onDelta?.('a', { messageId: 'm2', block: 0, kind: 'text', text: ' it' }));
    expect(monitor('Login').getByText('Found it')).toBeTruthy();
  });

  it('[UI5] [UI7] lets one allow in the monitor, and changes only on the server’s word', async () => {
    const { tell, fake } = renderPage();
    const answer = Promise.withResolvers<ReturnType<typeof anInteraction>>();
    fake.answers = { approve: () => answer.promise };
    const asking = aSession({ id: 's1', title: 'Tests', status: 'waiting', pendingCount: 1 });
    await tell(() => fake.tellSnapshot([asking], { pending: [anInteraction()] }));
    expect(monitor('Tests').getByText('npm test')).toBeTruthy();

    const allow = monitor('Tests').getByRole('button', { name: 'Allow' });
    await userEvent.click(allow);
    expect(fake.called('approve')).toEqual([['s1', { requestId: 'i1', decision: 'allow', scope: 'once' }]]);
    expect((allow as HTMLButtonElement).disabled).toBe(true);
    await userEvent.click(monitor('Tests').getByRole('button', { name: 'Deny' }));
    expect(fake.called('deny')).toEqual([]);

    await tell(() => answer.resolve(anInteraction({ status: 'resolved', outcome: 'allowed' })));
    expect(monitor('Tests').getByText(/^Allowed/)).toBeTruthy();
  });

  it('[UI7] leaves a card answerable when the request failed, with the reason', async () => {
    const { tell, fake } = renderPage();
    fake.answers = {
      deny: () => Promise.reject(new BeckonError('internal_error', 500, 'The disk is full.')),
    };
    await tell(() =>
      fake.tellSnapshot([aSession({ title: 'Tests', status: 'waiting' })], { pending: [anInteraction()] }),
    );
    await userEvent.click(monitor('Tests').getByRole('button', { name: 'Deny' }));
    await userEvent.keyboard('{Enter}');
    expect((await monitor('Tests').findByRole('alert')).textContent).toBe('The disk is full.');
    expect((monitor('Tests').getByRole('button', { name: 'Deny' }) as HTMLButtonElement).disabled).toBe(
      false,
    );
  });

  it('wants a second press where the agent’s default is no', async () => {
    const { tell, fake } = renderPage();
    const pending = [anInteraction({ defaultToNo: true })];
    await tell(() => fake.tellSnapshot([aSession({ title: 'Tests', status: 'waiting' })], { pending }));
    await userEvent.click(monitor('Tests').getByRole('button', { name: 'Allow' }));
    expect(fake.called('approve')).toEqual([]);
    const again = monitor('Tests').getByRole('button', { name: 'Press again to allow' });
    await waitFor(() => expect(again.getAttribute('aria-disabled')).toBeNull());
    await userEvent.click(again);
    expect(fake.called('approve')).toHaveLength(1);
  });

  it('[UI6] [ASK9] answers a single choice with one press', async () => {
    const { tell, fake } = renderPage();
    const question = {
      question: 'Which one?',
      options: [{ label: 'Red' }, { label: 'Blue' }],
      multiSelect: false,
    };
    const pending = [anInteraction({ kind: 'question', questions: [question] })];
    await tell(() => fake.tellSnapshot([aSession({ title: 'Paint', status: 'waiting' })], { pending }));
    await userEvent.click(monitor('Paint').getByRole('button', { name: 'Blue' }));
    expect(fake.called('answer')).toEqual([['s1', { requestId: 'i1', answers: [{ selected: ['Blue'] }] }]]);
  });

  it('[MULTI2] shows what is asked read-only, with a hint, where answering is switched off', async () => {
    const { tell, fake, room } = renderPage();
    await tell(() => {
      room.store.setState({ interaction: 'disabled' });
      fake.tellSnapshot([aSession({ title: 'Tests', status: 'waiting' })], { pending: [anInteraction()] });
    });
    expect(monitor('Tests').queryByRole('button', { name: 'Allow' })).toBeNull();
    expect(monitor('Tests').getByText(/switched off in this browser/)).toBeTruthy();
  });

  it('[UI4] [MSG5] sends with Enter, breaks the line with Shift+Enter, and keeps what could not be sent', async () => {
    const { tell, fake } = renderPage();
    fake.answers = { sendMessage: () => Promise.reject(new BeckonError('unreachable', 0, 'gone')) };
    await tell(() => fake.tellSnapshot([aSession({ title: 'Talk' })]));
    const composer = monitor('Talk').getByRole('textbox') as HTMLTextAreaElement;
    await userEvent.type(composer, 'one{Shift>}{Enter}{/Shift}two{Enter}');
    const notSent = await monitor('Talk').findByRole('region', { name: 'Not sent' });
    expect(notSent.textContent).toContain('one\ntwo');

    fake.answers = {
      sendMessage: () =>
        Promise.resolve({ status: 'sent', messageId: 'm', requested: 'auto', applied: 'send' }),
    };
    await userEvent.click(monitor('Talk').getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(monitor('Talk').queryByRole('region', { name: 'Not sent' })).toBeNull());
    const [first, second] = fake.called('sendMessage');
    expect(second?.[1]).toMatchObject({ message: 'one\ntwo', clientMessageId: first?.[1].clientMessageId });
  });

  it('begins with the demo and Claude Code when there is nothing yet', async () => {
    const fake = new FakeTransport();
    fake.agentList = [
      anAgent({ name: 'claude', label: 'Claude Code', available: false, reason: 'Not on the PATH.' }),
    ];
    fake.answers = { createSession: () => Promise.resolve(aSession({ id: 'new' })) };
    const { tell } = renderPage(fake);
    await tell(() => fake.tellSnapshot([]));
    expect(await screen.findByText('Not on the PATH.')).toBeTruthy();
    expect((screen.getByRole('button', { name: 'Start Claude Code' }) as HTMLButtonElement).disabled).toBe(
      true,
    );
    await userEvent.click(screen.getByRole('button', { name: 'Try the demo' }));
    expect(fake.called('createSession')[0]?.[0]).toMatchObject({ agent: 'demo', prompt: 'tour' });
    await waitFor(() => expect(location.pathname).toBe('/s/new'));
  });

  it('[UI8] says a new ask to those who do not look', async () => {
    const { tell, fake } = renderPage();
    await tell(() => fake.tellSnapshot([aSession({ title: 'Tests' })]));
    await tell(() => fake.heard.onAnnouncement?.({ type: 'approval-requested', data: anInteraction() }));
    expect(screen.getByText('Tests asks: Bash: npm test')).toBeTruthy();
  });

  it('[MULTI5] shows a lost connection quietly, with all that was there', async () => {
    const { tell, fake } = renderPage();
    await tell(() => fake.tellSnapshot([aSession({ title: 'Tests' })]));
    const error = new Error('gone');
    await tell(() => fake.heard.onConnection?.({ state: 'lost', attempt: 1, retryInMs: 1000, error }));
    expect(screen.getByText(/Connection lost/)).toBeTruthy();
    expect(monitors()).toEqual(['Tests']);
    await tell(() => fake.heard.onConnection?.({ state: 'connected' }));
    expect(screen.queryByText(/Connection lost/)).toBeNull();
  });

  it('[SEC1] asks for a code when this browser is not known', async () => {
    const { tell, fake } = renderPage();
    const error = new BeckonError('unauthorized', 401, 'no');
    await tell(() => fake.heard.onConnection?.({ state: 'closed', error }));
    expect(await screen.findByRole('textbox', { name: 'Link or code' })).toBeTruthy();
  });
});
