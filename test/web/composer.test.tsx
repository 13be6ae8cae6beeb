import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import type { MessageReceipt } from '../../src/client/transport.ts';
import type { QueuedMessage, Session } from '../../src/protocol/session.ts';
import { Composer } from '../../src/web/composer/composer.tsx';
import { useSession } from '../../src/web/data/room-context.tsx';
import { Announcer } from '../../src/web/ui/announcer.tsx';
import { TooltipProvider } from '../../src/web/ui/tooltip.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { type RenderedPage, renderPage } from './support/render-page.tsx';
import { anAgent, anInteraction, aSession, at, messageId } from './support/samples.ts';

let sessions = 0;

function Alone({ sessionId }: { readonly sessionId: string }) {
  const session = useSession(sessionId);
  return (
    <TooltipProvider>
      {session !== undefined && <Composer session={session} />}
      <Announcer />
    </TooltipProvider>
  );
}

interface Shown extends RenderedPage {
  readonly id: string;
  readonly field: () => HTMLTextAreaElement;
  /** The session's state and queue as the server tells it now. */
  update(changes: Partial<Omit<Session, 'id'>>, queue?: readonly QueuedMessage[]): Promise<void>;
}

/** A composer for a session of its own: drafts are kept by session. */
async function show(
  changes: Partial<Omit<Session, 'id'>> = {},
  more: Parameters<FakeTransport['tellSnapshot']>[1] = {},
): Promise<Shown> {
  sessions += 1;
  const id = `composer-${sessions}`;
  const page = renderPage(new FakeTransport(), <Alone sessionId={id} />);
  const capabilities = anAgent().capabilities;
  const session = (latest: Partial<Omit<Session, 'id'>>) =>
    aSession({ id, title: 'Talk', capabilities, ...latest });
  await page.tell(() =>
    page.fake.tellSnapshot([session(changes)], {
      ...more,
      ...(more.queues === undefined ? {} : { queues: { [id]: Object.values(more.queues)[0] ?? [] } }),
      ...(more.pending === undefined
        ? {}
        : { pending: more.pending.map((each) => ({ ...each, sessionId: session({}).id })) }),
    }),
  );
  return {
    ...page,
    id,
    field: () => screen.getByRole('textbox', { name: 'Message to Talk' }) as HTMLTextAreaElement,
    update: (latest, queue = []) =>
      page.tell(() => page.fake.tellSnapshot([session(latest)], { queues: { [id]: queue } })),
  };
}

const receipt = (changes: Partial<MessageReceipt> = {}): Promise<MessageReceipt> => {
  const queued = { status: 'queued', messageId: 'm', position: 1, requested: 'auto', applied: 'queue' };
  return Promise.resolve({ ...queued, ...changes } as MessageReceipt);
};

const item = (id: string, position: number, changes: Partial<QueuedMessage> = {}): QueuedMessage => ({
  messageId: messageId(id),
  message: `Message ${id}`,
  position,
  disposition: 'auto',
  createdAt: at(position),
  images: 0,
  sending: false,
  ...changes,
});
const two = { queues: { any: [item('a', 1), item('b', 2)] } };
const row = (name: RegExp) => screen.getByRole('listitem', { name });

describe('the composer', () => {
  it('[UI4] [MSG5] sends the trimmed text with an id of its own, shows it while it is on its way, and never twice', async () => {
    const { fake, field } = await show();
    const reply = Promise.withResolvers<MessageReceipt>();
    fake.answers = { sendMessage: () => reply.promise };
    await userEvent.type(field(), '  Hello {Enter}');
    expect(field().value).toBe('');
    expect(await screen.findByText('Sending…')).toBeTruthy();
    expect(screen.getByText('Hello')).toBeTruthy();
    reply.reject(new BeckonError('unreachable', 0, 'gone'));
    const kept = await screen.findByRole('region', { name: 'Not sent' });
    expect(localStorage.getItem('beckon.outbox')).toContain('Hello');
    fake.answers = { sendMessage: () => receipt({ status: 'sent', applied: 'send' }) };
    await userEvent.click(within(kept).getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Not sent' })).toBeNull());
    const [first, second] = fake.called('sendMessage').map(([, message]) => message);
    expect(first?.message).toBe('Hello');
    expect(second).toEqual(first);
    expect(localStorage.getItem('beckon.outbox')).toBeNull();
  });

  it('[UI4] puts a message that was refused back to be edited, behind what was typed since', async () => {
    const { fake, field } = await show();
    fake.answers = {
      sendMessage: () => Promise.reject(new BeckonError('session_failed', 409, 'It failed.')),
    };
    await userEvent.type(field(), 'First{Enter}');
    expect(await screen.findByText('It failed.')).toBeTruthy();
    await userEvent.type(field(), 'Second');
    await userEvent.click(screen.getByRole('button', { name: 'Edit' }));
    await waitFor(() => expect(field().value).toBe('Second\n\nFirst'));
    expect(screen.queryByRole('region', { name: 'Not sent' })).toBeNull();
  });

  it('[MSG6] sends no blank message', async () => {
    const { fake, field } = await show();
    await userEvent.type(field(), '   {Enter}');
    expect(fake.called('sendMessage')).toEqual([]);
    expect((screen.getByRole('button', { name: /^Send/ }) as HTMLButtonElement).disabled).toBe(true);
  });

  it('[MSG1] interrupts with Ctrl+Enter, steers from the menu, and says when it became another', async () => {
    const { fake, field } = await show({ status: 'running' });
    fake.answers = {
      sendMessage: (_, { disposition }) =>
        disposition === 'interrupt'
          ? receipt({ requested: 'interrupt', applied: 'interrupt' })
          : receipt({ requested: 'steer', applied: 'queue', reason: 'There is no turn to steer right now.' }),
    };
    await userEvent.type(field(), 'Stop that{Control>}{Enter}{/Control}');
    expect(fake.called('sendMessage').at(-1)?.[1]).toMatchObject({
      message: 'Stop that',
      disposition: 'interrupt',
    });
    expect(screen.queryByText(/instead/)).toBeNull();
    await userEvent.type(field(), 'A hint');
    await userEvent.click(screen.getByRole('button', { name: 'Other ways to send' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: /^Steer/ }));
    expect(await screen.findByText('Queued instead. There is no turn to steer right now.')).toBeTruthy();
    expect(fake.called('sendMessage').at(-1)?.[1]).toMatchObject({
      message: 'A hint',
      disposition: 'steer',
    });
  });

  it('[UI4] says why nothing can be sent, offers to resume, and keeps the draft readable', async () => {
    const { fake, field } = await show({ status: 'stopped' });
    expect(screen.getByText('This session was stopped. Resume it to go on.')).toBeTruthy();
    expect(field().readOnly).toBe(true);
    await userEvent.click(screen.getByRole('button', { name: 'Resume' }));
    expect(fake.called('resume')).toHaveLength(1);
  });

  it('[MULTI5] keeps the draft and sends nothing while there is no connection', async () => {
    const { fake, field, tell } = await show();
    await tell(() =>
      fake.heard.onConnection?.({ state: 'lost', attempt: 1, retryInMs: 1000, error: new Error('gone') }),
    );
    await userEvent.type(field(), 'Later{Enter}');
    expect(fake.called('sendMessage')).toEqual([]);
    expect(field().value).toBe('Later');
    expect(screen.getByText('Not connected. What you type is safe.')).toBeTruthy();
  });

  it('[MSG6] takes pasted images, refuses other files with the reason, and sends what was not removed', async () => {
    const { fake, field } = await show();
    fake.answers = { sendMessage: () => receipt({ status: 'sent', applied: 'send' }) };
    const files = [
      new File(['first'], 'a.png', { type: 'image/png' }),
      new File(['second'], 'b.png', { type: 'image/png' }),
      new File(['x'], 'notes.txt', { type: 'text/plain' }),
    ];
    fireEvent.paste(field(), { clipboardData: { files } });
    await userEvent.click(await screen.findByRole('button', { name: 'Remove b.png' }));
    expect(screen.getByText(/notes.txt: Only PNG/)).toBeTruthy();
    await userEvent.type(field(), '{Enter}');
    expect(fake.called('sendMessage').at(-1)?.[1]).toMatchObject({
      message: '',
      images: [{ mediaType: 'image/png', data: btoa('first') }],
    });
    expect(screen.queryByRole('button', { name: 'Remove a.png' })).toBeNull();
  });

  it('[UI4] [MSG4] answers the one open question, unless one chooses to say something else', async () => {
    const question = anInteraction({
      kind: 'question',
      questions: [{ question: 'Which way?', options: [{ label: 'Left' }], multiSelect: false }],
    });
    const { fake, field } = await show({ status: 'waiting', pendingCount: 1 }, { pending: [question] });
    fake.answers = {
      answer: () => Promise.resolve({ ...question, status: 'resolved' }),
      sendMessage: () => receipt(),
    };
    expect(screen.getByRole('button', { name: 'Answer the question', pressed: true })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Say something else' }));
    await userEvent.type(field(), 'By the way{Enter}');
    expect(fake.called('answer')).toEqual([]);
    expect(fake.called('sendMessage').at(-1)?.[1].message).toBe('By the way');
    await userEvent.click(screen.getByRole('button', { name: 'Answer the question' }));
    await userEvent.type(field(), 'Straight on{Control>}{Enter}{/Control}');
    expect(fake.called('answer').map(([, given]) => given)).toEqual([
      { requestId: 'i1', answers: [{ selected: [], other: 'Straight on' }] },
    ]);
    await waitFor(() => expect(field().value).toBe(''));
    expect(fake.called('sendMessage')).toHaveLength(1);
  });

  it('[UI17] [MSG4] what was typed before a question came is sent as a message, unless one chooses to answer', async () => {
    const { fake, field, tell, id } = await show({ status: 'running' });
    fake.answers = { sendMessage: () => receipt() };
    const question = anInteraction({
      session: id,
      kind: 'question',
      questions: [{ question: 'Which way?', options: [], multiSelect: false }],
    });
    await userEvent.type(field(), 'By the way');
    await tell(() => fake.heard.onAnnouncement?.({ type: 'question-requested', data: question }));
    expect(screen.getByText('What you have typed is sent as a message.')).toBeTruthy();
    await userEvent.type(field(), '{Enter}');
    expect(fake.called('sendMessage').at(-1)?.[1].message).toBe('By the way');
    await userEvent.type(field(), 'Left');
    await userEvent.click(screen.getByRole('button', { name: 'Answer the question' }));
    await userEvent.type(field(), '{Enter}');
    expect(fake.called('answer')).toHaveLength(1);
    expect(fake.called('sendMessage')).toHaveLength(1);
  });

  it('[ASK3] keeps an answer that was refused, with the reason', async () => {
    const question = anInteraction({
      kind: 'question',
      questions: [{ question: 'Which way?', options: [], multiSelect: false }],
    });
    const { fake, field } = await show({ status: 'waiting' }, { pending: [question] });
    const refusal = new BeckonError('interaction_gone', 410, 'The interaction ended without an answer.');
    fake.answers = { answer: () => Promise.reject(refusal) };
    await userEvent.type(field(), 'Left{Enter}');
    expect(await screen.findByText('The interaction ended without an answer.')).toBeTruthy();
    expect(field().value).toBe('Left');
  });
});

describe('the queue above the composer', () => {
  it('[MSG2] is edited in place; ↑ in an empty composer takes the last one', async () => {
    const { fake, field } = await show({ status: 'running', queueLength: 2 }, two);
    fake.answers = { patchQueued: () => Promise.resolve([]) };
    await userEvent.type(field(), '{ArrowUp}');
    const editor = screen.getByRole('textbox', { name: 'Edit the queued message' }) as HTMLTextAreaElement;
    expect(editor.value).toBe('Message b');
    expect(document.activeElement).toBe(editor);
    await userEvent.type(editor, ', please{Enter}');
    expect(fake.called('patchQueued').map(([, id, changes]) => [id, changes])).toEqual([
      ['b', { message: 'Message b, please' }],
    ]);
    await waitFor(() => expect(document.activeElement).toBe(field()));
  });

  it('[MSG2] [UI8] is reordered and cut short by keyboard, in the order that the server says', async () => {
    const { fake, update } = await show({ status: 'running', queueLength: 2 }, two);
    fake.answers = { patchQueued: () => Promise.resolve([]), removeQueued: () => Promise.resolve([]) };
    row(/1: Message a/).focus();
    await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
    expect(fake.called('patchQueued').map(([, id, changes]) => [id, changes])).toEqual([
      ['a', { position: 2 }],
    ]);
    await update({ status: 'running' }, [item('b', 1), item('a', 2)]);
    expect(document.activeElement).toBe(row(/2: Message a/));
    await userEvent.keyboard('{Delete}');
    expect(fake.called('removeQueued').map(([, id]) => id)).toEqual(['a']);
  });

  it('[MSG2] [UI8] gives the focus to the next one when one is removed by a key, also where the reply comes before its row is gone', async () => {
    const { fake, update } = await show({ status: 'running', queueLength: 2 }, two);
    fake.answers = { removeQueued: () => Promise.resolve([]) };
    row(/1: Message a/).focus();
    await userEvent.keyboard('{Delete}');
    await waitFor(() => expect(document.activeElement).toBe(row(/2: Message b/)));
    await update({ status: 'running' }, [item('b', 1)]);
    expect(document.activeElement).toBe(row(/1: Message b/));
  });

  it('[MSG2] says so when a change comes too late', async () => {
    const { fake } = await show({ status: 'running', queueLength: 2 }, two);
    const refusal = new BeckonError('message_already_sent', 409, 'The message has left the queue.');
    fake.answers = { removeQueued: () => Promise.reject(refusal) };
    await userEvent.click(within(row(/1: Message a/)).getByRole('button', { name: 'Remove' }));
    expect(await screen.findByText('Too late: the message has been sent already.')).toBeTruthy();
  });

  it('[MSG2] keeps the edited text of a message that was sent meanwhile', async () => {
    const { field, update } = await show({ status: 'running', queueLength: 2 }, two);
    await userEvent.type(field(), '{ArrowUp}');
    await userEvent.type(screen.getByRole('textbox', { name: 'Edit the queued message' }), '!');
    await update({ status: 'running' }, [item('a', 1)]);
    expect(screen.getByText('It was sent before your change was saved. Your version:')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Use as a new message' }));
    expect(field().value).toBe('Message b!');
  });

  it('[MSG3] leaves what is being sent alone', async () => {
    await show({ status: 'running', queueLength: 1 }, { queues: { any: [item('a', 1, { sending: true })] } });
    expect(within(row(/1: Message a/)).getByText('Sending…')).toBeTruthy();
    expect(within(row(/1: Message a/)).queryByRole('button', { name: 'Remove' })).toBeNull();
  });
});
