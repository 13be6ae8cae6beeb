import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Interaction } from '../../src/protocol/interaction.ts';
import type { Capabilities, Session } from '../../src/protocol/session.ts';
import { InteractionCard } from '../../src/web/interaction/interaction-card.tsx';
import { SessionDetails } from '../../src/web/pages/session/session-details.tsx';
import { SessionHeader } from '../../src/web/pages/session/session-header.tsx';
import { TooltipProvider } from '../../src/web/ui/tooltip.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { anAgent, anInteraction, aSession, at } from './support/samples.ts';

const agentThat = (cannot: Partial<Capabilities>): Session =>
  aSession({ status: 'running', capabilities: { ...anAgent().capabilities, ...cannot } });

async function showCard(interaction: Interaction, session: Session): Promise<void> {
  const fake = new FakeTransport();
  const { tell } = renderPage(
    fake,
    <TooltipProvider>
      <InteractionCard interaction={interaction} />
    </TooltipProvider>,
  );
  const pending = interaction.status === 'open' ? [interaction] : [];
  await tell(() => fake.tellSnapshot([session], { pending }));
}

const denied = (interrupt: boolean): Interaction => ({
  ...anInteraction(),
  status: 'resolved',
  outcome: 'denied',
  resolvedAt: at(5),
  decision: { type: 'deny', message: 'Not on Sundays', interrupt },
});

const press = (name: string): Promise<void> => userEvent.click(screen.getByRole('button', { name }));

describe('what an agent cannot do', () => {
  it.each([
    [true, 1],
    [false, 0],
  ])(
    '[SES5] the header has Interrupt only for an agent that can be interrupted: %s',
    async (interrupt, count) => {
      const fake = new FakeTransport();
      const session = agentThat({ interrupt });
      const { tell } = renderPage(
        fake,
        <TooltipProvider>
          <SessionHeader
            session={session}
            conversation={undefined}
            shape={0}
            areDetailsShown={false}
            onDetails={() => {}}
            changed={null}
            areChangesShown={false}
            onChanges={() => {}}
            onBell={() => {}}
            onJump={() => {}}
          />
        </TooltipProvider>,
      );
      await tell(() => fake.tellSnapshot([session]));
      expect(screen.queryAllByRole('button', { name: 'Interrupt' })).toHaveLength(count);
      expect(screen.getByRole('button', { name: 'Stop' })).toBeTruthy();
    },
  );

  it.each([
    [true, 0],
    [undefined, 0],
    [false, 1],
  ])('[SES17] the details say of one that it ends with the server: %s', async (outlivesServer, count) => {
    const fake = new FakeTransport();
    const session = agentThat(outlivesServer === undefined ? {} : { outlivesServer });
    const { tell } = renderPage(
      fake,
      <SessionDetails session={session} feed={null} shape={0} isReading={false} onReveal={() => {}} />,
    );
    await tell(() => fake.tellSnapshot([session]));
    expect(screen.queryAllByText('Ends with the server')).toHaveLength(count);
  });

  it('[ASK8] a denial does not offer to interrupt one that cannot be', async () => {
    await showCard(anInteraction(), agentThat({ interrupt: false }));
    await press('Deny');
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Cancel', 'Deny']);
  });

  it.each([
    [true, 'The agent reads this. Enter sends, Shift+Enter starts a new line.'],
    [
      false,
      'This agent takes no reason with a denial: it gets it as a message of its own. Enter sends, Shift+Enter starts a new line.',
    ],
  ])('[ASK8] a reason is said to be heard or not: %s', async (denyReason, words) => {
    await showCard(anInteraction(), agentThat({ denyReason }));
    await press('Deny');
    expect(screen.getByText(words)).toBeTruthy();
  });

  it.each([
    [true, false, 'The agent was told'],
    [true, true, 'The agent was told, and interrupted'],
    [false, false, 'Sent to the agent as a message of its own'],
    [false, true, 'Kept here; the agent was told no reason, and interrupted'],
  ])(
    '[ASK4] afterwards, a reason counts as told only where it was: %s, %s',
    async (denyReason, interrupt, words) => {
      await showCard(denied(interrupt), agentThat({ denyReason }));
      expect(screen.getByText(words).nextElementSibling?.textContent).toBe('Not on Sundays');
    },
  );
});

describe('a plan that was never written', () => {
  it.each(['full', 'compact'] as const)(
    '[ASK8] is said to be none, and can be answered: %s',
    async (density) => {
      const fake = new FakeTransport();
      const interaction = anInteraction({
        toolName: 'ExitPlanMode',
        plan: '',
        input: {},
        requiresPerson: true,
      });
      const { tell } = renderPage(
        fake,
        <TooltipProvider>
          <InteractionCard interaction={interaction} density={density} />
        </TooltipProvider>,
      );
      await tell(() => fake.tellSnapshot([agentThat({})], { pending: [interaction] }));
      expect(screen.getByText('The agent has written no plan.')).toBeTruthy();
      expect(screen.getByRole('button', { name: 'Approve' })).toBeTruthy();
    },
  );
});

describe('[SEC12] the details say whether the agent is behind walls', () => {
  const shown = async (isolation: Session['isolation']) => {
    const fake = new FakeTransport();
    const session = aSession({ isolation });
    const { tell } = renderPage(
      fake,
      <SessionDetails session={session} feed={null} shape={0} isReading={false} onReveal={() => {}} />,
    );
    await tell(() => fake.tellSnapshot([session]));
    return screen.queryByText('Walls')?.parentElement?.textContent;
  };

  it.each([
    ['walls', 'WallsBehind wallsIt sees neither Beckon’s files nor other processes.'],
    ['none', 'WallsNoneIt can read Beckon’s files, and whatever else you can.'],
    [null, undefined],
  ] as const)('%s', async (isolation, words) => {
    expect(await shown(isolation)).toBe(words);
  });
});

describe('[SES13] the options of an agent', () => {
  const onOff = [
    { value: 'on', label: 'On' },
    { value: 'off', label: 'Off' },
  ];
  const session = aSession({
    status: 'idle',
    context: { used: 32_000, size: 128_000 },
    usage: { ...aSession().usage, turns: 1 },
    options: [
      { id: 'effort', label: 'Effort', value: 'off', choices: onOff },
      { id: 'allow_all', label: 'Allow All', value: 'off', choices: onOff, asksLess: ['on'] },
    ],
  });

  async function open(): Promise<FakeTransport> {
    const fake = new FakeTransport();
    const { tell } = renderPage(
      fake,
      <SessionDetails session={session} feed={null} shape={0} isReading={false} onReveal={() => {}} />,
    );
    await tell(() => fake.tellSnapshot([session]));
    return fake;
  }

  it('are set by one press, but for what makes it ask less, which takes a second', async () => {
    const fake = await open();
    await press('Effort: Off');
    await userEvent.click(screen.getByRole('menuitemradio', { name: 'On' }));
    expect(fake.called('patch')).toEqual([['s1', { option: { id: 'effort', value: 'on' } }]]);
    await press('Allow All: Off');
    await userEvent.click(screen.getByRole('menuitemradio', { name: 'On' }));
    expect(fake.called('patch')).toHaveLength(1);
    expect(screen.getByRole('alert').textContent).toContain('lets the agent act without asking you');
    await press('Set it');
    expect(fake.called('patch')[1]).toEqual(['s1', { option: { id: 'allow_all', value: 'on' } }]);
  });

  it('[SES1] stand beside how full its context is', async () => {
    await open();
    expect(screen.getByText('32,000 of 128,000 (25 %)')).toBeTruthy();
  });
});
