import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { browserId } from '../../src/web/data/access.ts';
import { latestAt } from '../../src/web/data/interactions.ts';
import { useRoom } from '../../src/web/data/room-context.tsx';
import { Dialogs } from '../../src/web/frame/dialogs-view.tsx';
import { speak } from '../../src/web/i18n/i18n.ts';
import { InteractionCard, type InteractionCardProps } from '../../src/web/interaction/interaction-card.tsx';
import { TooltipProvider } from '../../src/web/ui/tooltip.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { aField, aForm, aSession, aToolAsk, at } from './support/samples.ts';

type Density = NonNullable<InteractionCardProps['density']>;

/** A card as a session shows it: the latest attempt, open or as it ended. */
function Shown({ interaction, ...props }: InteractionCardProps) {
  const known = useRoom((room) => latestAt(room, interaction.interactionId));
  return <InteractionCard interaction={known ?? interaction} {...props} />;
}

async function show(
  interaction: Interaction,
  fake = new FakeTransport(),
  density: Density = 'full',
  isResultSeen = false,
) {
  const page = renderPage(
    fake,
    <TooltipProvider>
      <Shown interaction={interaction} density={density} isResultSeen={isResultSeen} />
      <Dialogs />
    </TooltipProvider>,
  );
  const pending = interaction.status === 'open' ? [interaction] : [];
  await page.tell(() => fake.tellSnapshot([aSession({ status: 'waiting' })], { pending }));
  return page;
}

afterEach(() => speak('en'));

const button = (name: string | RegExp) => screen.getByRole('button', { name }) as HTMLButtonElement;
const field = (name: string) => screen.getByRole('textbox', { name }) as HTMLInputElement;
const over = (interaction: Interaction, changes: Partial<Interaction>): Interaction => ({
  ...interaction,
  status: 'resolved',
  resolvedAt: at(5),
  resolvedBy: { kind: 'person', where: 'Firefox on Linux' },
  ...changes,
});
const submittedBy = (interaction: Interaction, values: Record<string, unknown>) =>
  over(interaction, { outcome: 'submitted', decision: { type: 'submit', values } });
const many = Array.from({ length: 30 }, (_, at) => ({ value: `v${at}`, label: `City ${at}` }));

describe('the form of a tool', () => {
  it('[TOOL3] finds one of many by typing, with the keys alone', async () => {
    const ask = aToolAsk(aForm([aField('city', { type: 'select', required: true, options: many })]));
    const { fake } = await show(ask);
    const box = screen.getByRole('combobox', { name: 'city' });
    box.focus();
    expect(box.getAttribute('aria-expanded')).toBe('false');
    await userEvent.keyboard('city 2{ArrowDown}');
    const active = document.getElementById(box.getAttribute('aria-activedescendant') ?? '');
    expect(active?.textContent).toBe('City 12');
    await userEvent.keyboard('{Enter}');
    expect((box as HTMLInputElement).value).toBe('City 12');
    expect(screen.queryAllByRole('option')).toEqual([]);
    await userEvent.keyboard('nothing of the sort');
    expect(screen.getByText('Nothing matches.')).toBeTruthy();
    await userEvent.keyboard('{Escape}');
    expect((box as HTMLInputElement).value).toBe('City 12');
    await userEvent.click(button('Submit'));
    expect(fake.called('respond')[0]?.[1]).toMatchObject({ input: { city: 'v12' } });
  });

  it('[UI33] goes through thousands of options with the keys, and draws only those around the chosen one', async () => {
    const thousands = Array.from({ length: 2_000 }, (_, at) => ({ value: `v${at}`, label: `City ${at}` }));
    await show(aToolAsk(aForm([aField('city', { type: 'select', required: true, options: thousands })])));
    const box = screen.getByRole('combobox', { name: 'city' });
    const active = () => document.getElementById(box.getAttribute('aria-activedescendant') ?? '');
    box.focus();
    const places: (string | null | undefined)[] = [];
    for (const key of [
      'ArrowDown',
      'ArrowDown',
      'End',
      'PageUp',
      'ArrowDown',
      'Home',
      'ArrowUp',
      'PageDown',
    ]) {
      await userEvent.keyboard(`{${key}}`);
      places.push(active()?.textContent);
      expect(screen.getAllByRole('option').length).toBeLessThanOrEqual(60);
    }
    expect(places).toEqual(['0', '1', '1999', '1989', '1990', '0', '1999', '1999'].map((at) => `City ${at}`));
    expect(active()?.getAttribute('aria-posinset')).toBe('2000');
    expect(active()?.getAttribute('aria-setsize')).toBe('2000');
    await userEvent.keyboard('{Enter}{ArrowDown}');
    expect(active()?.textContent).toBe('City 1999');
    expect(active()?.getAttribute('aria-selected')).toBe('true');
  });

  it('[TOOL3] narrows a long list of choices, and keeps what was chosen out of sight', async () => {
    const { fake } = await show(aToolAsk(aForm([aField('cities', { type: 'multiselect', options: many })])));
    const search = screen.getByRole('searchbox', { name: 'Search in: cities' });
    await userEvent.type(search, '29');
    await userEvent.click(screen.getByRole('checkbox', { name: 'City 29' }));
    await userEvent.clear(search);
    await userEvent.type(search, '17');
    expect(screen.getAllByRole('checkbox')).toHaveLength(1);
    await userEvent.click(screen.getByRole('checkbox', { name: 'City 17' }));
    expect(screen.getByText('2 chosen')).toBeTruthy();
    await userEvent.click(button('Submit'));
    expect(fake.called('respond')[0]?.[1]).toMatchObject({ input: { cities: ['v29', 'v17'] } });
  });

  it('[TOOL3] takes a list of free texts, one a line', async () => {
    const { fake } = await show(aToolAsk(aForm([aField('owners', { type: 'multiselect', required: true })])));
    await userEvent.type(field('owners'), 'Ada{Enter} Grace {Enter}');
    await userEvent.click(button('Submit'));
    expect(fake.called('respond')[0]?.[1]).toMatchObject({ input: { owners: ['Ada', 'Grace'] } });
  });

  it('[UI8] ties label, help and error to the field, and leads to the first of several faults', async () => {
    await show(
      aToolAsk(
        aForm([
          aField('name', { required: true, description: 'Of the project' }),
          aField('way', { type: 'radio', required: true, options: [{ value: 'a', label: 'A' }] }),
        ]),
      ),
    );
    expect(field('name').getAttribute('aria-required')).toBe('true');
    await userEvent.click(button('Submit'));
    expect((document.activeElement as HTMLElement).dataset.faults).toBeDefined();
    const said = (field('name').getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent);
    expect(said).toEqual(['Of the project', 'This is needed.']);
    const group = screen.getByRole('radiogroup', { name: /^way/ });
    expect([group.getAttribute('aria-invalid'), group.getAttribute('aria-required')]).toEqual([
      'true',
      'true',
    ]);
    await userEvent.click(button(/^way/));
    expect(document.activeElement).toBe(screen.getByRole('radio', { name: 'A' }));
  });

  it('[ASK3] shows what the server says of a field at that field, with the focus, until it is changed', async () => {
    const fake = new FakeTransport();
    const refusal = new BeckonError('invalid_answer', 422, '"name" is taken.', { field: 'input.name' });
    fake.answers = { respond: () => Promise.reject(refusal) };
    await show(aToolAsk(aForm([aField('other'), aField('name')])), fake);
    await userEvent.type(field('name'), 'x');
    await userEvent.click(button('Submit'));
    await screen.findByText('"name" is taken.');
    expect(document.activeElement).toBe(field('name'));
    await userEvent.keyboard('y');
    expect(screen.queryByText('"name" is taken.')).toBeNull();
    expect(field('name').value).toBe('xy');
  });
});

describe('a tool that asks again', () => {
  const first = aToolAsk(aForm([aField('email')]), { id: 'i1' });
  const again = aToolAsk(
    aForm([aField('email')], { error: 'No such host.', initialValues: { email: 'a@b' } }),
    {
      id: 'i2',
      attempt: 2,
      replaces: 'i1',
    },
  );

  it('[TOOL5] takes the place without the card having left, and the focus with the reason', async () => {
    const answer = Promise.withResolvers<Interaction>();
    const fake = new FakeTransport();
    fake.answers = { respond: () => answer.promise };
    const { tell } = await show(first, fake);
    await userEvent.type(field('email'), 'a@b');
    const element = field('email');
    await userEvent.click(button('Submit'));
    await tell(() => answer.resolve(submittedBy(first, { email: 'a@b' })));
    // It may be asked again at any moment: until then it stays as it was sent.
    expect(field('email').disabled || field('email').closest('fieldset')?.disabled).toBe(true);
    await tell(() => fake.heard.onAnnouncement?.({ type: 'form-requested', data: again }));
    expect(field('email')).toBe(element);
    expect(field('email').value).toBe('a@b');
    expect(document.activeElement).toBe(screen.getByRole('alert'));
    expect(screen.getByRole('alert').textContent).toBe('No such host.');
  });

  it('[TOOL5] turns into how it ended when it is not asked again', async () => {
    const fake = new FakeTransport();
    fake.answers = { respond: () => Promise.resolve(submittedBy(first, { email: 'a@b' })) };
    await show(first, fake);
    await userEvent.click(button('Submit'));
    expect(await screen.findByText('Submitted', {}, { timeout: 3000 })).toBeTruthy();
    expect(screen.getByText('a@b')).toBeTruthy();
  });

  it.each([
    ['is over at once where the result of its call is seen', first, true],
    ['waits also there when it was left open', { ...first, leftOpen: { cause: 'tool' } }, false],
  ] as const)('[TOOL5] %s', async (_, ask, isOver) => {
    const answer = Promise.withResolvers<Interaction>();
    const fake = new FakeTransport();
    fake.answers = { respond: () => answer.promise };
    const { tell } = await show(ask, fake, 'full', true);
    await userEvent.type(field('email'), 'a@b');
    await userEvent.click(button('Submit'));
    await tell(() => answer.resolve(submittedBy(ask, { email: 'a@b' })));
    expect(screen.queryByText('Submitted') !== null).toBe(isOver);
  });

  it('[TOOL5] keeps what is typed here when someone else answered, and takes no focus', async () => {
    const { tell, fake, room } = await show(first);
    await userEvent.type(field('email'), 'mine');
    act(() => field('email').blur());
    await tell(() => {
      fake.heard.onAnnouncement?.({
        type: 'approval-cancelled',
        data: submittedBy(first, { email: 'theirs' }),
      });
      fake.heard.onAnnouncement?.({ type: 'form-requested', data: again });
    });
    expect(field('email').value).toBe('mine');
    expect(document.activeElement).toBe(document.body);
    await userEvent.type(field('email'), '!');
    expect(localStorage.getItem('beckon.answer.i2')).not.toBeNull();
    room.close();
  });
});

describe('the approval of a tool', () => {
  const gate = (changes: Partial<Interaction> = {}) =>
    aToolAsk(undefined, {
      kind: 'approval',
      title: 'Deploy to production?',
      input: { environment: 'production' },
      approvalScopes: ['always', 'once'],
      ...changes,
    });

  it('[TOOL2] shows the prompt and the arguments, and offers the scopes of the tool and no others', async () => {
    const { fake } = await show(gate());
    expect(screen.getByText('Deploy to production?')).toBeTruthy();
    expect(screen.getByText('environment').nextSibling?.textContent).toBe('production');
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Deny',
      'Always allow',
      'Allow',
    ]);
    await userEvent.click(button('Always allow'));
    expect(fake.called('respond')).toEqual([
      ['s1', { interactionId: 'i1', action: 'approve', approvalScope: 'always' }],
    ]);
    expect(fake.called('approve')).toEqual([]);
  });

  it('[TOOL4] wants what stands beside it filled in, and sends it along', async () => {
    const { fake } = await show(
      gate({ form: aForm([aField('ticket', { required: true })], { message: '' }) }),
    );
    await userEvent.click(button('Allow'));
    expect(screen.getByText('This is needed.')).toBeTruthy();
    expect(document.activeElement).toBe(field('ticket'));
    expect(fake.called('respond')).toEqual([]);
    await userEvent.type(field('ticket'), 'CHG-1');
    await userEvent.click(button('Allow'));
    expect(fake.called('respond')).toEqual([
      ['s1', { interactionId: 'i1', action: 'approve', approvalScope: 'once', input: { ticket: 'CHG-1' } }],
    ]);
  });

  it('[TOOL4] is denied with a reason that goes to the tool', async () => {
    const { fake } = await show(gate());
    await userEvent.click(button('Deny'));
    expect(screen.queryByRole('button', { name: 'Deny and interrupt' })).toBeNull();
    await userEvent.keyboard('Not today{Enter}');
    expect(fake.called('respond')).toEqual([
      ['s1', { interactionId: 'i1', action: 'deny', reason: 'Not today' }],
    ]);
    expect(fake.called('deny')).toEqual([]);
  });

  it('[UI5] can be given in a small card', async () => {
    const { fake } = await show(gate(), new FakeTransport(), 'compact');
    await userEvent.click(button('Allow'));
    expect(fake.called('respond')).toHaveLength(1);
  });

  it('[UI5] opens large from a small card when there is much to fill in', async () => {
    const form = aForm([aField('why', { type: 'textarea' })]);
    await show(gate({ form }), new FakeTransport(), 'compact');
    expect(screen.queryByRole('textbox')).toBeNull();
    await userEvent.click(button('Answer…'));
    expect(within(await screen.findByRole('dialog')).getByRole('textbox', { name: 'why' })).toBeTruthy();
  });
});

describe('a small card', () => {
  it('[UI5] has a short form in it, and sends it from there', async () => {
    const { fake } = await show(aToolAsk(aForm([aField('name')])), new FakeTransport(), 'compact');
    await userEvent.type(field('name'), 'Ada');
    await userEvent.click(button('Submit'));
    expect(fake.called('respond')[0]?.[1]).toMatchObject({ input: { name: 'Ada' } });
  });
});

describe('an ask that was left open', () => {
  it.each([
    ['tool', /The call that asked this has ended/],
    ['server-ended', /Beckon was restarted while this was open/],
  ] as const)('[TOOL6] says what becomes of the answer: %s', async (cause, words) => {
    await show(
      aToolAsk(aForm([aField('a')]), { leftOpen: { cause, message: 'No hurry.' }, expiresAt: at(60) }),
    );
    expect(screen.getByText(words)).toBeTruthy();
    expect(screen.getByText('No hurry.')).toBeTruthy();
    expect(screen.getByText('Left open')).toBeTruthy();
    expect(screen.queryByText(/left$|any moment/)).toBeNull();
    expect(button('Submit').disabled).toBe(false);
  });
});

describe('how it ended', () => {
  const form = aForm([
    aField('db', { type: 'radio', label: 'Database', options: [{ value: 's', label: 'SQLite' }] }),
    aField('https', { type: 'checkbox', label: 'HTTPS' }),
  ]);

  it('[UI5] shows what was submitted, by label', async () => {
    await show(submittedBy(aToolAsk(form), { db: 's', https: true }));
    expect(screen.getByText('Database').nextSibling?.textContent).toBe('SQLite');
    expect(screen.getByText('HTTPS').nextSibling?.textContent).toBe('Yes');
  });

  it('[TOOL2] [UI12] shows the tool’s own sentence instead, as text', async () => {
    const summary = '<b>{db}</b> it is';
    await show(submittedBy(aToolAsk({ ...form, completedView: { summary } }), { db: 's' }));
    expect(screen.getByText(/<b>SQLite<\/b> it is/)).toBeTruthy();
  });

  it('[TOOL2] [UI10] shows a sentence on a denial as well, in the words of the language, and why', async () => {
    const summaryTemplate = 'Deployment {{action}}';
    const ask = aToolAsk({ ...form, completedView: { summaryTemplate } }, { kind: 'approval' });
    const decision = { type: 'deny', message: 'Not today.', interrupt: false } as const;
    await show(over(ask, { outcome: 'denied', decision }));
    expect(screen.getByText(/^Deployment denied · Not today\./)).toBeTruthy();
    document.body.replaceChildren();
    await speak('de');
    await show(over(ask, { outcome: 'denied', decision }));
    expect(screen.getByText(/^Deployment abgelehnt · Not today\./)).toBeTruthy();
  });

  it.each([
    [{ summaryTemplate: 'Done' }, false, true],
    [{ summaryTemplate: 'Done', showInputs: true }, true, true],
    [{ showInputs: false }, false, false],
    [{}, true, true],
  ] as const)(
    '[TOOL2] shows what was filled in as the tool wants it: %o',
    async (completedView, isInSight, isThere) => {
      await show(submittedBy(aToolAsk({ ...form, completedView }), { db: 's' }));
      const value = () => screen.queryByText('Database')?.nextSibling?.textContent;
      const details = document.querySelector('details');
      expect(value() === 'SQLite' && !details?.contains(screen.queryByText('Database'))).toBe(isInSight);
      expect(value() === 'SQLite').toBe(isThere);
      if (!isThere) expect(document.body.textContent).not.toContain('SQLite');
    },
  );

  it.each([
    ['withdrawn', 'Withdrawn: the tool has ended'],
    ['lost', 'Lost: the tool was gone'],
    ['expired', 'Nobody answered in time'],
    ['interrupted', 'Interrupted'],
    ['dismissed', 'Dismissed'],
    ['denied', 'Denied'],
  ] as const)('[ASK4] has its own words for %s, and why', async (outcome, words) => {
    await show(over(aToolAsk(form), { outcome, resolvedReason: 'Because of this.' }));
    await userEvent.click(screen.getByText(words));
    expect(screen.getByText('Because of this.')).toBeTruthy();
  });

  it('[ASK4] knows this browser’s own answers, also after a reload', async () => {
    const by = (clientId: string) => ({ kind: 'person', where: 'Firefox', clientId }) as const;
    await show({ ...submittedBy(aToolAsk(form), {}), resolvedBy: by(browserId()) });
    expect(screen.getByText(/· by this browser/)).toBeTruthy();
    document.body.replaceChildren();
    await show({ ...submittedBy(aToolAsk(form, { id: 'i9' }), {}), resolvedBy: by('another-browser') });
    expect(screen.getByText(/· by Firefox/)).toBeTruthy();
  });
});

describe('a page that does not answer', () => {
  it('[MULTI2] shows the form read-only with what was asked, and is answerable at once when it is on', async () => {
    const fake = new FakeTransport();
    fake.answers = { setInteractionEnabled: () => Promise.resolve() };
    const { tell, room } = await show(aToolAsk(aForm([aField('name', { defaultValue: 'Ada' })])), fake);
    await tell(() => room.store.setState({ interaction: 'disabled' }));
    expect(field('name').closest('fieldset')?.disabled).toBe(true);
    expect(screen.queryByRole('button', { name: 'Submit' })).toBeNull();
    await userEvent.click(button('Switch it on'));
    await waitFor(() => button('Submit'));
    await userEvent.click(button('Submit'));
    expect(fake.called('respond')[0]?.[1]).toMatchObject({ input: { name: 'Ada' } });
  });
});

describe('more room to write', () => {
  it('[UI5] [UI8] opens a long text large with what was typed, keeps it on Escape, and gives the focus back', async () => {
    await show(aToolAsk(aForm([aField('notes', { type: 'textarea' })])));
    await userEvent.type(field('notes'), 'one');
    const open = button('Write in a larger field: notes');
    await userEvent.click(open);
    const large = within(await screen.findByRole('dialog')).getByRole('textbox', { name: 'notes' });
    expect(document.activeElement).toBe(large);
    await userEvent.keyboard(' two');
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Close' }));
    expect(field('notes').value).toBe('one two');
  });
});
