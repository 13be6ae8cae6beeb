import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import { shownDigest } from '../../src/model/shown-digest.ts';
import type { GrantPreview } from '../../src/protocol/grant.ts';
import type { FormField, Interaction } from '../../src/protocol/interaction.ts';
import type { Session } from '../../src/protocol/session.ts';
import { useRoom } from '../../src/web/data/room-context.tsx';
import { InteractionCard } from '../../src/web/interaction/interaction-card.tsx';
import { TooltipProvider } from '../../src/web/ui/tooltip.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { anAgent, anInteraction, aSession, at } from './support/samples.ts';

const modes = ['default', 'acceptEdits', 'plan'];
const session = aSession({
  title: 'Tests',
  status: 'waiting',
  capabilities: { ...anAgent().capabilities, permissionModes: modes },
});

/** A card as a session shows it. */
function Shown({ interaction }: { readonly interaction: Interaction }) {
  const known = useRoom((room) => room.known[interaction.interactionId]?.interaction);
  return <InteractionCard interaction={known ?? interaction} />;
}

async function show(
  interaction: Interaction,
  fake = new FakeTransport(),
  of: Session = session,
): ReturnType<typeof showPage> {
  return showPage(interaction, fake, of);
}

async function showPage(interaction: Interaction, fake: FakeTransport, of: Session) {
  const page = renderPage(
    fake,
    <TooltipProvider>
      <Shown interaction={interaction} />
    </TooltipProvider>,
  );
  await page.tell(() =>
    fake.tellSnapshot([of], { pending: interaction.status === 'open' ? [interaction] : [] }),
  );
  return page;
}

const button = (name: string | RegExp) => screen.getByRole('button', { name }) as HTMLButtonElement;
const resolved = (changes: Partial<Interaction>): Interaction => ({
  ...anInteraction(),
  status: 'resolved',
  resolvedAt: at(5),
  resolvedBy: { kind: 'person', where: 'Firefox on a phone' },
  ...changes,
});
const taking = (interaction: Interaction) => () => Promise.resolve(interaction);

describe('an approval', () => {
  it('[UI5] has its actions in one order, and nothing preselected', async () => {
    await show(anInteraction());
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Deny',
      'Edit',
      'Always…',
      'Allow for session',
      'Allow',
    ]);
    expect(document.activeElement).toBe(document.body);
  });

  it('[ASK8] allows once and for the session', async () => {
    const { fake } = await show(anInteraction());
    await userEvent.click(button('Allow for session'));
    expect(fake.called('approve')).toEqual([
      ['s1', { requestId: 'i1', decision: 'allow', scope: 'session' }],
    ]);
  });

  it('[UI7] is submitting, with the spinner in the button that was pressed, until the server says so', async () => {
    const answer = Promise.withResolvers<Interaction>();
    const fake = new FakeTransport();
    fake.answers = { approve: () => answer.promise };
    const { tell } = await show(anInteraction(), fake);
    await userEvent.click(button('Allow'));
    expect(button('Allow').getAttribute('aria-busy')).toBe('true');
    expect(button('Deny').disabled).toBe(true);
    expect(button('Allow for session').getAttribute('aria-busy')).toBeNull();
    await tell(() => answer.resolve(resolved({ outcome: 'allowed' })));
    expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull();
    expect(screen.getByText('Allowed')).toBeTruthy();
    expect(screen.getByText(/· by this browser/)).toBeTruthy();
  });

  it('[ASK8] [UI8] denies with a reason by Enter, and Shift+Enter breaks the line', async () => {
    const { fake } = await show(anInteraction());
    await userEvent.click(button('Deny'));
    const field = screen.getByRole('textbox', { name: /Why not/ });
    expect(document.activeElement).toBe(field);
    await userEvent.keyboard('one{Shift>}{Enter}{/Shift}two');
    expect(fake.called('deny')).toEqual([]);
    await userEvent.keyboard('{Enter}');
    expect(fake.called('deny')).toEqual([['s1', { requestId: 'i1', reason: 'one\ntwo' }]]);
    expect(fake.called('approve')).toEqual([]);
  });

  it('[ASK8] denies and interrupts', async () => {
    const { fake } = await show(anInteraction());
    await userEvent.click(button('Deny'));
    await userEvent.click(button('Deny and interrupt'));
    expect(fake.called('deny')).toEqual([['s1', { requestId: 'i1', interrupt: true }]]);
  });

  it('[UI8] gives the focus back to what opened a part of it, and keeps what was typed', async () => {
    await show(anInteraction());
    await userEvent.click(button('Deny'));
    await userEvent.keyboard('because{Escape}');
    expect(document.activeElement).toBe(button('Deny'));
    await userEvent.click(button('Deny'));
    expect((screen.getByRole('textbox') as HTMLTextAreaElement).value).toBe('because');
  });

  it('[ASK6] [ASK8] allows an edited command, shown as an edit before it is sent', async () => {
    const input = { command: 'npm test', timeout: 9 };
    const { fake } = await show(anInteraction({ input }));
    await userEvent.click(button('Edit'));
    expect(button('Allow as edited').disabled).toBe(true);
    await userEvent.type(screen.getByRole('textbox', { name: 'Command' }), ' -- --run');
    await waitFor(() => expect(document.body.textContent).toContain('−npm test+npm test -- --run'));
    await userEvent.click(button('Allow as edited'));
    expect(fake.called('approve')).toEqual([
      [
        's1',
        {
          requestId: 'i1',
          decision: 'allow',
          scope: 'once',
          updatedInput: { command: 'npm test -- --run', timeout: 9 },
        },
      ],
    ]);
  });

  it('[ASK6] checks an input that is edited as JSON', async () => {
    await show(anInteraction({ toolName: 'mcp__a__b', input: { x: 1 }, title: 'b' }));
    await userEvent.click(button('Edit'));
    const field = screen.getByRole('textbox', { name: 'Input, as JSON' });
    await userEvent.clear(field);
    await userEvent.type(field, '{{"x": 2');
    expect(screen.getByText('This is not JSON yet.')).toBeTruthy();
    expect(button('Allow as edited').disabled).toBe(true);
    await userEvent.type(field, '}');
    expect(button('Allow as edited').disabled).toBe(false);
  });

  it('offers no edit where the agent cannot be given another input', async () => {
    const capabilities = { ...anAgent().capabilities, editInput: false };
    await show(anInteraction(), new FakeTransport(), aSession({ capabilities }));
    expect(screen.queryByRole('button', { name: 'Edit' })).toBeNull();
  });

  it('[GRANT2] [GRANT9] previews a pattern as it is edited, with what it would let through and a warning, and saves it', async () => {
    const fake = new FakeTransport();
    const earlier = anInteraction({ id: 'old', subject: { kind: 'command', value: 'npm run lint' } });
    const offers = ['npm test', 'npm test -- *'];
    const nothing = { matches: [], reach: { also: [], not: [] }, warnings: [], offers };
    const wide: GrantPreview = {
      matches: [earlier],
      reach: { also: ['npm publish'], not: ['npm x && rm -rf ~'] },
      warnings: [{ code: 'runs-any-program', about: 'npm', message: '' }],
      offers,
    };
    fake.answers = {
      previewPattern: ({ pattern }) => Promise.resolve(pattern === 'npm *' ? wide : nothing),
    };
    await show(anInteraction(), fake);
    await userEvent.click(button('Always…'));
    expect(await screen.findByRole('button', { name: 'npm test -- *' })).toBeTruthy();
    const field = screen.getByRole('textbox', { name: 'Bash may be used for' });
    await userEvent.clear(field);
    await userEvent.type(field, 'yarn');
    expect(screen.getByText('This does not match what is asked now.')).toBeTruthy();
    expect(button('Always allow').disabled).toBe(true);
    await userEvent.clear(field);
    await userEvent.type(field, 'npm *');
    expect(await screen.findByText('npm run lint')).toBeTruthy();
    expect(screen.getByText('It would have allowed 1 ask so far:')).toBeTruthy();
    expect(screen.getByText('npm publish')).toBeTruthy();
    expect(screen.getByText('npm x && rm -rf ~')).toBeTruthy();
    expect(screen.getByText('“npm” can be told to run any other program.')).toBeTruthy();
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'How long' }), 'For an hour');
    await userEvent.click(button('Always allow'));
    const [[, approval] = []] = fake.called('approve');
    expect(approval).toMatchObject({ decision: 'allow', scope: 'always', pattern: 'npm *' });
    expect(Date.parse(approval?.expiresAt ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
  });

  it('[GRANT2] [UI8] does not allow by Enter in the pattern', async () => {
    const { fake } = await show(anInteraction());
    await userEvent.click(button('Always…'));
    await userEvent.keyboard('{Enter}');
    expect(fake.called('approve')).toEqual([]);
  });

  it('[GRANT5] offers no standing approval where a person is needed', async () => {
    await show(anInteraction({ requiresPerson: true }));
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Deny',
      'Edit',
      'Allow',
    ]);
  });

  it('wants a second press where the agent’s default is no, and steps back when one looks away', async () => {
    const { fake } = await show(anInteraction({ defaultToNo: true }));
    await userEvent.click(button('Allow'));
    expect(button('Press again to allow')).toBeTruthy();
    await userEvent.tab();
    expect(button('Allow')).toBeTruthy();
    await userEvent.click(button('Allow'));
    await userEvent.click(button('Press again to allow'));
    expect(fake.called('approve')).toHaveLength(0);
    await waitFor(() => expect(button('Press again to allow').getAttribute('aria-disabled')).toBeNull());
    await userEvent.click(button('Press again to allow'));
    expect(fake.called('approve')).toHaveLength(1);
  });

  it('[UI13] [ASK14] names what was shown in every answer', async () => {
    const asked = anInteraction({ input: { command: 'npm test', timeout: 9 } });
    const { fake } = await show(asked);
    await userEvent.click(button('Allow'));
    expect(fake.shown).toEqual([shownDigest(asked)]);
  });

  it('[UI12] shows the reason without escapes, and keeps the agent’s suggestions to itself', async () => {
    await show(
      anInteraction({ reason: '\u001b[31mRule\u001b[0m says so', suggestions: [{ type: 'addRules' }] }),
    );
    expect(screen.getByText('Rule says so')).toBeTruthy();
    expect(document.body.textContent).not.toContain('addRules');
  });

  it('[SES12] says that a sub-agent asks, and how long is left', async () => {
    const expiresAt = new Date(Date.now() + 150_000).toISOString();
    const createdAt = new Date(Date.now() - 10_000).toISOString();
    await show(anInteraction({ agentId: 'a1', createdAt, expiresAt, parked: true }));
    expect(screen.getByText('Sub-agent')).toBeTruthy();
    expect(screen.getByText('2 min left')).toBeTruthy();
    expect(screen.getByText('Parked')).toBeTruthy();
  });

  it('[SES12] says so also of a tool that a sub-agent has called', async () => {
    await show(anInteraction({ parentToolCallId: 'task-1' }));
    expect(screen.getByText('Sub-agent')).toBeTruthy();
  });
});

describe('a plan', () => {
  const plan = anInteraction({
    toolName: 'ExitPlanMode',
    title: 'Approve the plan',
    plan: '# Small steps\n\n1. Look',
    input: { plan: '# Small steps\n\n1. Look' },
    requiresPerson: true,
  });

  it('[ASK8] is approved with the mode to go on in', async () => {
    const { fake } = await show(plan);
    expect(await screen.findByText('Small steps')).toBeTruthy();
    const choice = screen.getByRole('combobox', { name: 'Go on in mode' }) as HTMLSelectElement;
    expect([...choice.options].map(({ text }) => text)).toEqual(['Ask', 'Accept edits']);
    await userEvent.selectOptions(choice, 'Accept edits');
    await userEvent.click(button('Approve'));
    expect(fake.called('approve')[0]?.[1]).toEqual({
      requestId: 'i1',
      decision: 'allow',
      scope: 'once',
      mode: 'acceptEdits',
    });
  });

  it('[ASK8] is sent back with comments', async () => {
    const { fake } = await show(plan);
    await userEvent.click(button('Send back'));
    await userEvent.keyboard('Look twice{Enter}');
    expect(fake.called('deny')).toEqual([['s1', { requestId: 'i1', reason: 'Look twice' }]]);
  });
});

describe('questions', () => {
  const asking = anInteraction({
    kind: 'question',
    toolName: 'AskUserQuestion',
    title: 'Which?',
    questions: [
      {
        question: 'Which database?',
        header: 'Database',
        options: [{ label: 'Postgres', description: 'A server' }, { label: 'SQLite' }],
        multiSelect: false,
      },
      { question: 'Which extras?', options: [{ label: 'Tests' }, { label: 'Docs' }], multiSelect: true },
      { question: 'What name?', options: [], multiSelect: false },
    ],
  });
  const group = (name: RegExp) => within(screen.getByRole('group', { name }));

  it('[UI6] [ASK9] are answered by radio, checkbox, Other and text, once all of them are', async () => {
    const { fake } = await show(asking);
    expect(screen.getByText('Database')).toBeTruthy();
    expect(screen.getByText('A server')).toBeTruthy();
    await userEvent.click(group(/database/).getByRole('radio', { name: /Postgres/ }));
    await userEvent.type(group(/database/).getByRole('textbox'), 'DuckDB');
    expect((group(/database/).getByRole('radio', { name: 'Other' }) as HTMLInputElement).checked).toBe(true);
    await userEvent.click(group(/extras/).getByRole('checkbox', { name: 'Docs' }));
    await userEvent.click(group(/extras/).getByRole('checkbox', { name: 'Tests' }));
    expect(button('Answer').disabled).toBe(true);
    expect(screen.getByText('1 to go')).toBeTruthy();
    await userEvent.type(group(/What name/).getByRole('textbox'), 'Beckon{Enter}now');
    expect(fake.called('answer')).toEqual([]);
    await userEvent.click(button('Answer'));
    expect(fake.called('answer')).toEqual([
      [
        's1',
        {
          requestId: 'i1',
          answers: [
            { selected: [], other: 'DuckDB' },
            { selected: ['Tests', 'Docs'] },
            { selected: [], other: 'Beckon\nnow' },
          ],
        },
      ],
    ]);
  });

  it('[UI6] focuses the text of Other when it is chosen', async () => {
    await show(asking);
    await userEvent.click(group(/database/).getByRole('radio', { name: 'Other' }));
    expect(document.activeElement).toBe(group(/database/).getByRole('textbox'));
  });

  it('[ASK4] can be dismissed', async () => {
    const { fake } = await show(asking);
    await userEvent.click(button('Dismiss'));
    expect(fake.called('respond')).toEqual([['s1', { interactionId: 'i1', action: 'cancel' }]]);
  });

  it('[UI7] keep every answer when sending failed', async () => {
    const fake = new FakeTransport();
    fake.answers = { answer: () => Promise.reject(new BeckonError('unreachable', 0, 'gone')) };
    const [single] = asking.questions ?? [];
    await show({ ...asking, questions: single === undefined ? [] : [single] }, fake);
    await userEvent.click(screen.getByRole('radio', { name: /SQLite/ }));
    await userEvent.click(button('Answer'));
    expect((await screen.findByRole('alert')).textContent).toMatch(/cannot be reached/);
    expect((screen.getByRole('radio', { name: /SQLite/ }) as HTMLInputElement).checked).toBe(true);
    expect(button('Answer').disabled).toBe(false);
  });
});

describe('a form', () => {
  const options = [
    { value: 's', label: 'Small' },
    { value: 'l', label: 'Large' },
  ];
  const fields: FormField[] = [
    { id: 'name', type: 'text', label: 'Name', required: true, description: 'Of the project' },
    { id: 'notes', type: 'textarea', label: 'Notes', required: false },
    { id: 'port', type: 'number', label: 'Port', required: false, minimum: 1, maximum: 65535 },
    { id: 'size', type: 'select', label: 'Size', required: true, options, defaultValue: 's' },
    { id: 'speed', type: 'radio', label: 'Speed', required: true, options },
    { id: 'parts', type: 'multiselect', label: 'Parts', required: false, options },
    { id: 'https', type: 'checkbox', label: 'HTTPS', required: false, defaultValue: true },
    { id: 'day', type: 'date', label: 'Day', required: false },
  ];
  const form = anInteraction({
    kind: 'form',
    title: 'Set up',
    form: { message: 'How should it be?', presentation: 'questionnaire', source: 'demo', fields },
  });
  const fill = async () => {
    await userEvent.type(screen.getByLabelText('Name'), 'Beckon');
    await userEvent.click(screen.getByRole('radio', { name: 'Large' }));
  };

  it('[TOOL3] has every kind of field, and sends what was filled in', async () => {
    const { fake } = await show(form);
    await fill();
    await userEvent.type(screen.getByLabelText('Notes'), 'a{Enter}b');
    await userEvent.type(screen.getByLabelText('Port'), '4590');
    await userEvent.selectOptions(screen.getByLabelText('Size'), 'Large');
    await userEvent.click(screen.getByRole('checkbox', { name: 'Small' }));
    await userEvent.click(button('Submit'));
    expect(fake.called('respond')).toEqual([
      [
        's1',
        {
          interactionId: 'i1',
          action: 'submit',
          input: {
            name: 'Beckon',
            notes: 'a\nb',
            port: 4590,
            size: 'l',
            speed: 'l',
            parts: ['s'],
            https: true,
          },
        },
      ],
    ]);
  });

  it('says at each field what is wrong, and sends nothing', async () => {
    const { fake } = await show(form);
    await userEvent.type(screen.getByLabelText('Port'), '70000');
    await userEvent.click(button('Submit'));
    expect(screen.getByRole('alert').textContent).toBe('3 fields need a look');
    expect(screen.getByLabelText('Port').getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('A number from 1 to 65,535.')).toBeTruthy();
    expect(screen.getAllByText('This is needed.')).toHaveLength(2);
    expect(fake.called('respond')).toEqual([]);
  });

  it('[ASK3] shows what the server says of a field at that field', async () => {
    const fake = new FakeTransport();
    const refusal = new BeckonError('invalid_answer', 422, '"Name" is taken.', { field: 'input.name' });
    fake.answers = { respond: () => Promise.reject(refusal) };
    await show(form, fake);
    await fill();
    await userEvent.click(button('Submit'));
    expect(await screen.findByText('"Name" is taken.')).toBeTruthy();
    expect(screen.getByLabelText('Name').getAttribute('aria-invalid')).toBe('true');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('can be declined and dismissed, which are different', async () => {
    const { fake } = await show(form);
    await userEvent.click(button('Decline'));
    expect(fake.called('deny')).toEqual([['s1', { requestId: 'i1' }]]);
  });

  it('[UI12] shows an address with its host, and makes no link of anything but the web', async () => {
    const at = (url: string) =>
      anInteraction({
        kind: 'form',
        form: { message: 'Sign in', presentation: 'questionnaire', fields: [], url },
      });
    await show(at('https://good.example@evil.example/'));
    const link = screen.getByRole('link', { name: 'Open evil.example' });
    expect(link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(button('Done there')).toBeTruthy();
  });

  it('[UI12] leaves an address that is none as text', async () => {
    const fields: FormField[] = [];
    await show(
      anInteraction({
        kind: 'form',
        form: { message: 'Sign in', presentation: 'questionnaire', fields, url: 'javascript:alert(1)' },
      }),
    );
    expect(screen.queryByRole('link')).toBeNull();
    expect(screen.getByText('javascript:alert(1)')).toBeTruthy();
  });
});

describe('how it ended', () => {
  it('[UI7] [ASK4] turns into the outcome when someone else was first, and that is no error', async () => {
    const fake = new FakeTransport();
    const denied = resolved({
      outcome: 'denied',
      decision: { type: 'deny', message: 'Use pnpm', interrupt: false },
    });
    const late = new BeckonError('interaction_already_resolved', 409, 'late', { interaction: denied });
    fake.answers = { approve: () => Promise.reject(late) };
    await show(anInteraction(), fake);
    await userEvent.click(button('Allow'));
    expect(await screen.findByText('Denied')).toBeTruthy();
    expect(screen.getByText(/Use pnpm · by Firefox on a phone/)).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('[ASK4] is told by the stream, also while one types a reason', async () => {
    const { tell, fake } = await show(anInteraction());
    await userEvent.click(button('Deny'));
    await userEvent.keyboard('thinking');
    const interaction = resolved({ outcome: 'withdrawn', resolvedBy: { kind: 'agent' } });
    await tell(() => fake.heard.onAnnouncement?.({ type: 'approval-cancelled', data: interaction }));
    expect(screen.getByText('Withdrawn by the agent')).toBeTruthy();
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(screen.queryByText(/another device/)).toBeNull();
  });

  it.each([
    ['allowed', 'Allowed', 'text-done-ink'],
    ['answered', 'Answered', 'text-done-ink'],
    ['submitted', 'Submitted', 'text-done-ink'],
    ['denied', 'Denied', 'text-fail-ink'],
    ['lost', 'Lost: the agent was gone', 'text-fail-ink'],
    ['dismissed', 'Dismissed', 'text-faint'],
    ['withdrawn', 'Withdrawn by the agent', 'text-faint'],
    ['interrupted', 'Interrupted', 'text-faint'],
    ['expired', 'Nobody answered in time', 'text-faint'],
  ] as const)('[ASK4] is a read-only line of its own for %s', async (outcome, words, tone) => {
    await show(resolved({ outcome }));
    const line = screen.getByText(words).closest('p');
    expect(line?.className).toContain(tone);
    expect(screen.queryByRole('button')).toBeNull();
    expect(screen.getByText(/· by Firefox on a phone/)).toBeTruthy();
  });

  it.each([
    [{ kind: 'person', via: 'device', device: { id: 'd', name: 'Chrome on macOS' } }, 'by Chrome on macOS'],
    [{ kind: 'person', via: 'token', client: 'terminal' }, 'with the token (terminal)'],
    [{ kind: 'person', via: 'token' }, 'with the token'],
    [{ kind: 'person', via: 'library' }, 'through the library'],
    [{ kind: 'grant' }, 'by a standing approval'],
  ] as const)(
    '[ASK14] [ASK4] says what may have reached the agent, and by whom: %j',
    async (resolvedBy, who) => {
      const decision = { type: 'allow', scope: 'once' } as const;
      await show(resolved({ outcome: 'unknown', decision, resolvedBy, resolvedReason: 'It was lost.' }));
      const line = screen.getByText('Allowed; may have reached the agent').closest('p');
      expect(line?.className).toContain('text-fail-ink');
      expect(line?.textContent).toContain(` · ${who}`);
    },
  );

  it('[ASK6] marks an edited input as edited, and opens to the edit', async () => {
    const updatedInput = { command: 'npm test -- --run' };
    await show(resolved({ outcome: 'allowed', decision: { type: 'allow', scope: 'once', updatedInput } }));
    expect(screen.getByText('edited')).toBeTruthy();
    await userEvent.click(screen.getByText('Allowed'));
    await waitFor(() => expect(document.body.textContent).toContain('−npm test+npm test -- --run'));
  });

  it('[GRANT1] says that a standing approval answered', async () => {
    await show(resolved({ outcome: 'allowed', resolvedBy: { kind: 'grant' } }));
    expect(screen.getByText(/· by a standing approval/)).toBeTruthy();
  });
});

describe('a page that does not answer', () => {
  it('[MULTI2] shows everything read-only with the switch, and answers at once when it is on', async () => {
    const fake = new FakeTransport();
    fake.answers = {
      setInteractionEnabled: () => Promise.resolve(),
      approve: taking(resolved({ outcome: 'allowed' })),
    };
    const { tell, room } = await show(anInteraction(), fake);
    await tell(() => room.store.setState({ interaction: 'disabled' }));
    expect(screen.getByText('npm test')).toBeTruthy();
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Switch it on']);
    await userEvent.click(button('Switch it on'));
    expect(fake.called('setInteractionEnabled')).toEqual([['c1', { enabled: true }]]);
    await waitFor(() => button('Allow'));
    await userEvent.click(button('Allow'));
    expect(await screen.findByText('Allowed')).toBeTruthy();
  });
});

describe('what was typed into a card', () => {
  it('is there again after a reload, until the interaction ends', async () => {
    const first = await show(anInteraction());
    await userEvent.click(button('Deny'));
    await userEvent.keyboard('half a reason');
    expect(localStorage.getItem('beckon.answer.i1')).toContain('half a reason');
    first.room.close();
    document.body.replaceChildren();

    const fake = new FakeTransport();
    fake.answers = { deny: taking(resolved({ outcome: 'denied' })) };
    await show(anInteraction(), fake);
    const field = screen.getByRole('textbox') as HTMLTextAreaElement;
    expect(field.value).toBe('half a reason');
    expect(document.activeElement).not.toBe(field);
    await userEvent.click(button('Deny'));
    await screen.findByText('Denied');
    expect(localStorage.getItem('beckon.answer.i1')).toBeNull();
  });
});
