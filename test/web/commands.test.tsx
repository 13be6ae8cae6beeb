import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { matchingCommands, typedMention, typedName } from '../../src/model/mentions.ts';
import type { AgentCommand, Session } from '../../src/protocol/session.ts';
import { Composer } from '../../src/web/composer/composer.tsx';
import { useSession } from '../../src/web/data/room-context.tsx';
import { TooltipProvider } from '../../src/web/ui/tooltip.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { type RenderedPage, renderPage } from './support/render-page.tsx';
import { anAgent, anInteraction, aSession, at } from './support/samples.ts';

const command = (name: string, more: Partial<AgentCommand> = {}): AgentCommand => ({
  name,
  description: `Does ${name}`,
  ...more,
});
const offered = [
  command('code-review', { hint: '<branch>' }),
  command('compact'),
  command('review-all'),
  command('review'),
];

describe('which commands are meant', () => {
  it('only a slash at the very start, and a name without a space, is a command', () => {
    expect(['/', '/rev', '/a/b'].map(typedName)).toEqual(['', 'rev', 'a/b']);
    expect(['', 'x', ' /rev', 'see /rev', '/rev ', '/rev x', '/rev\n'].map(typedName)).toEqual(
      Array(7).fill(undefined),
    );
  });

  it('the one of that name is first, then those that begin so, then those that have it inside', () => {
    const names = (typed: string) => matchingCommands(offered, typed).map(({ name }) => name);
    expect(names('')).toEqual(['code-review', 'compact', 'review-all', 'review']);
    expect(names('rev')).toEqual(['review-all', 'review', 'code-review']);
    expect(names('REVIEW')).toEqual(['review', 'review-all', 'code-review']);
    expect(names('nothing')).toEqual([]);
  });
});

describe('[UI24] which file is meant', () => {
  it('what follows an @ at the beginning of a word, up to the caret', () => {
    const typed = (draft: string, caret = draft.length) => typedMention(draft, caret)?.typed;
    expect(['@', 'see @src/a', 'a\n@b'].map((draft) => typed(draft))).toEqual(['', 'src/a', 'b']);
    expect(typed('see @src/a and @b', 8)).toBe('src');
    const none = ['', 'me@home.example', '@a b', '@"a', 'see @src/a '];
    expect(none.map((draft) => typed(draft))).toEqual(none.map(() => undefined));
  });
});

let sessions = 0;

function Alone({ sessionId }: { readonly sessionId: string }) {
  const session = useSession(sessionId);
  return <TooltipProvider>{session !== undefined && <Composer session={session} />}</TooltipProvider>;
}

async function show(
  commands: readonly AgentCommand[],
  { isAsked = false } = {},
): Promise<RenderedPage & { readonly id: Session['id'] }> {
  sessions += 1;
  const fake = new FakeTransport();
  fake.answers = {
    agentCommands: () => Promise.resolve(commands),
    sendMessage: () =>
      Promise.resolve({ status: 'sent', messageId: 'm', requested: 'auto', applied: 'send' }),
  };
  const session = aSession({
    id: `commands-${sessions}`,
    title: 'Talk',
    capabilities: anAgent().capabilities,
  });
  const page = renderPage(fake, <Alone sessionId={session.id} />);
  const questions = [{ question: 'Which?', header: 'Which', multiSelect: false, options: [] }];
  const pending = isAsked
    ? [{ ...anInteraction({ kind: 'question', questions }), sessionId: session.id }]
    : [];
  await page.tell(() => fake.tellSnapshot([session], { pending }));
  return { ...page, id: session.id };
}

const name = 'Message to Talk';
const plain = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name });
const choosing = () => screen.findByRole<HTMLTextAreaElement>('combobox', { name });
const options = () => within(screen.getByRole('listbox')).getAllByRole('option');
const namesShown = () => options().map((option) => /^\/\S+?(?=<|Does|$)/.exec(option.textContent ?? '')?.[0]);
const isClosed = () => screen.queryByRole('listbox') === null;

describe('the list of commands', () => {
  it('[UI4] opens at a slash with name, hint and description, and is filtered as one types', async () => {
    const { fake } = await show(offered);
    expect(fake.called('agentCommands')).toEqual([]);
    await userEvent.type(plain(), '/');
    const field = await choosing();
    expect(field.getAttribute('aria-expanded')).toBe('true');
    expect(screen.getByRole('listbox', { name: 'Commands of the agent' }).id).toBe(
      field.getAttribute('aria-controls'),
    );
    expect(options()[0]?.textContent).toBe('/code-review<branch>Does code-review');
    await userEvent.type(field, 'rev');
    expect(namesShown()).toEqual(['/review-all', '/review', '/code-review']);
    await userEvent.type(field, 'x');
    expect(isClosed()).toBe(true);
    expect(plain().hasAttribute('aria-expanded')).toBe(false);
  });

  it('[UI8] arrow keys choose and go round, Enter and Tab pick, and nothing is sent', async () => {
    const { fake } = await show(offered);
    await userEvent.type(plain(), '/rev');
    const field = await choosing();
    const chosen = () => options().find((option) => option.getAttribute('aria-selected') === 'true');
    expect(field.getAttribute('aria-activedescendant')).toBe(options()[0]?.id);
    await userEvent.keyboard('{ArrowDown}{ArrowDown}');
    expect(chosen()?.textContent).toContain('/code-review');
    expect(field.getAttribute('aria-activedescendant')).toBe(chosen()?.id);
    await userEvent.keyboard('{ArrowDown}{ArrowUp}{ArrowUp}');
    expect(chosen()?.textContent).toContain('/review');
    await userEvent.keyboard('{Enter}');
    expect(plain().value).toBe('/review ');
    expect(isClosed()).toBe(true);
    await userEvent.clear(plain());
    await userEvent.type(plain(), '/comp{Tab}');
    expect(plain().value).toBe('/compact ');
    expect(document.activeElement).toBe(plain());
    expect(fake.called('sendMessage')).toEqual([]);
    await userEvent.keyboard('now{Enter}');
    expect(fake.called('sendMessage')).toMatchObject([[expect.any(String), { message: '/compact now' }]]);
  });

  it('[UI4] a name that is typed in full is sent by Enter, unless another is chosen', async () => {
    const { fake } = await show(offered);
    await userEvent.type(plain(), '/review');
    await choosing();
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(plain().value).toBe('/review-all ');
    await userEvent.clear(plain());
    await userEvent.type(plain(), '/review{Enter}');
    expect(fake.called('sendMessage')).toMatchObject([[expect.any(String), { message: '/review' }]]);
  });

  it('[UI8] Escape closes it until another command is begun, and then Enter sends what is there', async () => {
    const { fake } = await show(offered);
    await userEvent.type(plain(), '/re');
    await choosing();
    await userEvent.keyboard('{Escape}');
    expect(isClosed()).toBe(true);
    expect(plain().value).toBe('/re');
    await userEvent.keyboard('v{Enter}');
    expect(fake.called('sendMessage')).toMatchObject([[expect.any(String), { message: '/rev' }]]);
    await userEvent.type(plain(), '/');
    await choosing();
  });

  it('[UI10] a press picks, and the field keeps the focus', async () => {
    const { fake } = await show(offered);
    await userEvent.type(plain(), '/');
    await choosing();
    await userEvent.click(screen.getByRole('option', { name: /compact/ }));
    expect(plain().value).toBe('/compact ');
    expect(document.activeElement).toBe(plain());
    expect(fake.called('sendMessage')).toEqual([]);
  });

  it('[UI4] shows nothing for an agent without commands', async () => {
    const { fake } = await show([]);
    await userEvent.type(plain(), '/re');
    expect(fake.called('agentCommands')).toHaveLength(1);
    expect(isClosed()).toBe(true);
    await userEvent.keyboard('{Enter}');
    expect(fake.called('sendMessage')).toMatchObject([[expect.any(String), { message: '/re' }]]);
  });

  it('[UI4] an answer to a question is no command', async () => {
    const { fake } = await show(offered, { isAsked: true });
    await userEvent.type(plain(), '/re');
    expect(fake.called('agentCommands')).toEqual([]);
    expect(isClosed()).toBe(true);
  });

  it('is never older than what was heard: a reply that comes after the news does not undo it', async () => {
    const { fake, room, tell, id } = await show([]);
    const late = Promise.withResolvers<readonly AgentCommand[]>();
    fake.answers = { ...fake.answers, agentCommands: () => late.promise };
    const followed = room.follow(id, 'tail');
    await userEvent.type(plain(), '/');
    await tell(() =>
      fake.heard.onEvent?.(id, { type: 'commands.changed', commands: [command('newer')], seq: 9, at: at(9) }),
    );
    await choosing();
    await tell(() => late.resolve([command('older')]));
    expect(namesShown()).toEqual(['/newer']);
    followed.release();
  });

  it('[UI12] text of the agent is shown as text', async () => {
    await show([command('x', { description: '<b>bold</b> \u001b[31mred\u202e', hint: 'a\nb' })]);
    await userEvent.type(plain(), '/');
    await choosing();
    expect(options()[0]?.textContent).toBe('/xa b<b>bold</b> red');
    expect(options()[0]?.querySelector('b')).toBeNull();
  });
});
