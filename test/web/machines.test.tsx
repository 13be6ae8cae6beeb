import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Machine, MachineState } from '../../src/protocol/machine.ts';
import { setPreferences } from '../../src/web/data/preferences.ts';
import { closeDialog, openDialog } from '../../src/web/frame/dialogs.ts';
import { chooseLanguage } from '../../src/web/i18n/i18n.ts';
import { noFilter, setFilter } from '../../src/web/session/session-filter.ts';
import { answerRequests } from './support/fake-server.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { anAgent, anInteraction, aSession, asked, logOf, resolvedAsk, sessionId } from './support/samples.ts';

let since = '';
const state = (name: string, is: MachineState['state']): MachineState => ({ name, state: is, since });
let both: readonly MachineState[] = [];
let away: readonly MachineState[] = [];
const machine = (of: MachineState, changes: Partial<Machine> = {}): Machine => ({
  ...of,
  agents: [anAgent({ name: 'claude', label: 'Claude Code', version: '2.1.325' })],
  sessions: 2,
  pending: 1,
  unclaimed: [],
  ...changes,
});
const sessions = [
  aSession({ id: 's1', title: 'Here', cwd: '/work/here' }),
  aSession({ id: 's2', title: 'There', cwd: '/data/there', machine: 'gpu-1' }),
];

async function open(path: string, machines: readonly MachineState[] | undefined, fake = new FakeTransport()) {
  answerRequests({
    'GET /api/health': () => ({ body: { status: 'ok', version: '1.2.3' } }),
    'GET /api/devices': () => ({ body: { devices: [] } }),
  });
  history.replaceState(null, '', path);
  fake.answers = { grants: () => Promise.resolve([]), ...fake.answers };
  fake.agentList = [anAgent()];
  const page = renderPage(fake);
  await page.tell(() => fake.tellSnapshot(sessions, machines && { machines }));
  return page;
}

// Parts that are fetched on demand take longer on a slow machine than a test waits for anything.
beforeAll(() =>
  Promise.all([
    import('../../src/web/pages/settings-page.tsx'),
    import('../../src/web/pages/session/session-page.tsx'),
    import('../../src/web/session/session-filter-bar.tsx'),
    import('../../src/web/session/new-session-dialog.tsx'),
    import('../../src/web/machines/machine-away.tsx'),
  ]),
);
beforeEach(() => {
  // For each test anew: on a busy machine the file takes longer than the minute in which "40 min" is shown.
  since = new Date(Date.now() - 40.01 * 60_000).toISOString();
  both = [state('local', 'reachable'), state('gpu-1', 'reachable')];
  away = [state('local', 'reachable'), state('gpu-1', 'unreachable')];
  closeDialog();
  setPreferences({ lastUsed: {}, isListOpen: true });
  setFilter('sidebar', noFilter);
});
afterEach(async () => {
  vi.unstubAllGlobals();
  history.replaceState(null, '', '/');
  await chooseLanguage('en');
});

describe('with one machine', () => {
  it('[CLU26] nothing on the page tells of machines', async () => {
    await open('/settings', undefined);
    await screen.findByRole('region', { name: 'Devices' });
    expect(screen.queryByRole('region', { name: 'Machines' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Filter and sort' }));
    await screen.findByRole('combobox', { name: 'Status' });
    expect(screen.queryByRole('combobox', { name: 'Machine' })).toBeNull();
    openDialog({ is: 'new-session' });
    await screen.findByRole('textbox', { name: 'First message' });
    expect(screen.queryByRole('combobox', { name: 'Machine' })).toBeNull();
  });
});

describe('with several machines', () => {
  it('[CLU26] lists say where a session is, and can be filtered by it', async () => {
    await open('/', both);
    const list = within(screen.getByRole('complementary'));
    const rows = () => list.getAllByRole('link').map((row) => row.getAttribute('title'));
    expect(list.getByRole('link', { name: /There.*gpu-1/ })).toBeTruthy();
    expect(list.getByRole('link', { name: /Here/ }).textContent).not.toContain('local');
    await userEvent.click(screen.getByRole('button', { name: 'Filter and sort' }));
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Machine' }), 'gpu-1');
    await waitFor(() => expect(rows()).toEqual(expect.not.arrayContaining(['Here'])));
    expect(rows()).toContain('There');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Machine' }), 'local');
    await waitFor(() => expect(rows()).toContain('Here'));
    expect(rows()).not.toContain('There');
  });

  it('[CLU13] a template chooses its machine where that is there, and keeps the one that was chosen', async () => {
    const fake = new FakeTransport();
    fake.answers = {
      agents: () => Promise.resolve([anAgent()]),
      saveTemplate: () => Promise.resolve(),
      templates: () =>
        Promise.resolve([
          { name: 'train', prompt: 'Train it', machine: 'gpu-1' },
          { name: 'old', prompt: 'As before', machine: 'gone' },
        ]),
    };
    await open('/', both, fake);
    openDialog({ is: 'new-session' });
    const templates = await screen.findByRole('combobox', { name: 'Template' });
    const choice = () => (screen.getByRole('combobox', { name: 'Machine' }) as HTMLSelectElement).value;
    await userEvent.selectOptions(templates, 'old');
    expect(choice()).toBe('');
    await userEvent.selectOptions(templates, 'train · gpu-1');
    await waitFor(() => expect(choice()).toBe('gpu-1'));
    await userEvent.click(await screen.findByRole('button', { name: 'Keep as a template' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Keep' }));
    expect(fake.called('saveTemplate')).toMatchObject([[{ name: 'train', machine: 'gpu-1' }]]);
    // What was typed outlives the dialog.
    await userEvent.clear(screen.getByRole('textbox', { name: 'First message' }));
  });

  it('[CLU26] a new session is given a machine, and a directory there', async () => {
    const fake = new FakeTransport();
    fake.answers = {
      directories: (query) =>
        Promise.resolve({
          typed: { path: query?.machine === 'gpu-1' ? '/home/me' : '/work', isRepository: false },
          directories: [],
          isAll: true,
        }),
      createSession: () => Promise.resolve(aSession({ id: 'new' })),
      agents: (query) =>
        Promise.resolve([anAgent({ label: query?.machine === 'gpu-1' ? 'Over there' : 'Over here' })]),
    };
    await open('/', [...both, state('build-2', 'unreachable')], fake);
    openDialog({ is: 'new-session' });
    const choice = (await screen.findByRole('combobox', { name: 'Machine' })) as HTMLSelectElement;
    expect([...choice.options].map(({ text, disabled }) => `${text}${disabled ? ' –' : ''}`)).toEqual([
      "The server's own",
      'gpu-1',
      'build-2 (unreachable) –',
    ]);
    await userEvent.selectOptions(choice, 'gpu-1');
    await screen.findByText('Its home: /home/me');
    await screen.findByRole('radio', { name: /Over there/ });
    expect(screen.getByRole('button', { name: '/data/there' })).toBeTruthy();
    await userEvent.type(screen.getByRole('textbox', { name: 'First message' }), 'Hello');
    await userEvent.click(screen.getByRole('button', { name: /^Start/ }));
    expect(fake.called('createSession')).toEqual([[{ agent: 'demo', machine: 'gpu-1', prompt: 'Hello' }]]);
  });

  it('[CLU26] a session says where it is, and since when that cannot be reached', async () => {
    const { fake, tell } = await open('/s/s2', both);
    const header = within(await screen.findByRole('banner'));
    expect(header.getByText('gpu-1')).toBeTruthy();
    await tell(() => fake.heard.onAnnouncement({ type: 'machines-changed', data: { machines: away } }));
    expect(header.getByRole('status').textContent).toMatch(/^gpu-1 unreachable for\s*40 min$/);
    await tell(() => fake.heard.onAnnouncement({ type: 'machines-changed', data: { machines: both } }));
    expect(header.queryByRole('status')).toBeNull();
  });

  it('[CLU28] what is asked says on which machine it would be done, if that is not the server’s own', async () => {
    const { fake, tell } = await open('/', both);
    const ask = (id: string) => anInteraction({ id: `i-${id}`, session: id });
    await tell(() => fake.tellSnapshot(sessions, { machines: both, pending: [ask('s1'), ask('s2')] }));
    const card = (id: string) => document.querySelector(`[data-ask="i-${id}"]`)?.textContent;
    expect(card('s2')).toContain('gpu-1');
    expect(card('s1')).not.toMatch(/gpu-1|local/);
  });

  it('[CLU26] an answer that waits for its machine is told as not yet delivered, until it is', async () => {
    const fake = new FakeTransport();
    const events = logOf(
      asked('i1'),
      {
        type: 'interaction.decided',
        interactionId: 'i1' as never,
        outcome: 'allowed',
        decision: { type: 'allow', scope: 'once' },
        by: { kind: 'person', where: 'Firefox' },
      },
      { type: 'interaction.undelivered', interactionId: 'i1' as never, machine: 'gpu-1' },
    );
    fake.logs.set('s2', events);
    const { tell } = await open('/s/s2', away, fake);
    await tell(() => fake.tellFollowed('s2'));
    expect(await screen.findByText('not yet delivered: gpu-1 cannot be reached')).toBeTruthy();
    const delivered = logOf(...events, resolvedAsk('i1')).slice(-1);
    await tell(() => {
      for (const event of delivered) fake.heard.onEvent('s2', event);
    });
    await waitFor(() => expect(screen.queryByText(/not yet delivered/)).toBeNull());
  });
});

describe('the page of machines', () => {
  const section = async () => within(await screen.findByRole('region', { name: 'Machines' }));

  it('[CLU26] tells what was found on each, its sessions, its load, and since when it is there or not', async () => {
    const fake = new FakeTransport();
    const gibibyte = 2 ** 30;
    fake.answers = {
      machines: () =>
        Promise.resolve([
          machine(state('local', 'reachable'), { pending: 0 }),
          machine(state('gpu-1', 'unreachable'), { agents: [], problem: 'It speaks version 9.' }),
          machine(state('build-2', 'reachable'), {
            version: '1.2.3',
            sessions: 1,
            load: { processors: 0.42, memoryFree: 3.25 * gibibyte, memoryTotal: 16 * gibibyte },
          }),
        ]),
    };
    await open('/settings', away, fake);
    const [local, gpu, build] = await (await section())
      .findAllByRole('listitem')
      .then((items) => items.filter((item) => item.querySelector('p')));
    expect(local?.textContent).toContain("The server's ownReachable for 40 min");
    expect(local?.textContent).toContain('Claude Code 2.1.325');
    expect(gpu?.textContent).toMatch(
      /gpu-1Unreachable for 40 min.*It speaks version 9\..*2 sessions.*1 ask waits for you/,
    );
    expect(build?.textContent).toContain(
      '1 session1 ask waits for you42% busy, 3.3 of 16 GB memory freeBeckon 1.2.3',
    );
    expect((await section()).getAllByRole('button', { name: /Give up/ })).toHaveLength(1);
  });

  it('[CLU24] says what ends before a machine is given up', async () => {
    const fake = new FakeTransport();
    let machines = [machine(state('gpu-1', 'unreachable'))];
    fake.answers = {
      machines: () => Promise.resolve(machines),
      giveUpMachine: () => {
        machines = [machine(state('gpu-1', 'unreachable'), { sessions: 0, pending: 0 })];
        return Promise.resolve({ status: 'ok', sessions: 2, asks: 1 });
      },
    };
    await open('/settings', away, fake);
    await userEvent.click(await (await section()).findByRole('button', { name: 'Give up… gpu-1' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Give up gpu-1?' }));
    expect(dialog.getByText('2 sessions end as failed. Their conversations stay.')).toBeTruthy();
    expect(dialog.getByText('What is asked there (1) ends as lost: nobody will have answered.')).toBeTruthy();
    expect(fake.called('giveUpMachine')).toEqual([]);
    await userEvent.click(dialog.getByRole('button', { name: 'Give it up' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(fake.called('giveUpMachine')).toEqual([['gpu-1']]);
    await waitFor(async () =>
      expect((await section()).queryByRole('button', { name: /Give up/ })).toBeNull(),
    );
  });

  it('[CLU15] an agent of a session that is not known says what it is, and goes on in a new one once that is confirmed', async () => {
    const fake = new FakeTransport();
    const unknown = {
      sessionId: sessionId('of-before'),
      isRunning: true,
      agent: 'claude',
      cwd: '/data/shop',
    };
    const unclaimed = [
      { ...unknown, runId: 'run_1', canBeTaken: true },
      { ...unknown, runId: 'run_2', canBeTaken: false },
    ];
    fake.answers = {
      machines: () => Promise.resolve([machine(state('gpu-1', 'reachable'), { unclaimed })]),
      takeRun: () => Promise.resolve(),
    };
    await open('/settings', both, fake);
    expect(await screen.findAllByText('/data/shop')).toHaveLength(2);
    const button = screen.getByRole('button', { name: /^Go on in a new session/ });
    await userEvent.click(button);
    expect(fake.called('takeRun')).toEqual([]);
    await userEvent.click(await screen.findByRole('button', { name: /^End it there, and go on\?/ }));
    expect(fake.called('takeRun')).toEqual([['gpu-1', 'run_1']]);
  });

  it('[CLU32] an agent that is ahead of its session is ended and gone on with there, once that is confirmed', async () => {
    const fake = new FakeTransport();
    const run = { runId: 'r1', sessionId: sessionId('s2'), title: 'There', isRunning: true };
    const unclaimed = [{ ...run, canBeTaken: true, endsWhenTaken: true }];
    fake.answers = {
      machines: () => Promise.resolve([machine(state('gpu-1', 'reachable'), { unclaimed })]),
      takeRun: () => Promise.resolve(),
    };
    await open('/settings', both, fake);
    await userEvent.click(await screen.findByRole('button', { name: 'Go on in its session: There' }));
    expect(screen.queryByRole('button', { name: /^Take back/ })).toBeNull();
    expect(fake.called('takeRun')).toEqual([]);
    await userEvent.click(await screen.findByRole('button', { name: /^End it there, and go on\?/ }));
    expect(fake.called('takeRun')).toEqual([['gpu-1', 'r1']]);
    await screen.findByText('“There” goes on with your next message.');
  });

  it('[CLU25] agents that no session has are listed, and taken back or ended, in German as well', async () => {
    const fake = new FakeTransport();
    const run = { sessionId: sessionId('s2'), isRunning: true };
    fake.answers = {
      machines: () =>
        Promise.resolve([
          machine(state('gpu-1', 'reachable'), {
            unclaimed: [
              { ...run, runId: 'r1', title: 'There', canBeTaken: true },
              { ...run, runId: 'r2', canBeTaken: false },
            ],
          }),
        ]),
      takeRun: () => Promise.resolve(),
      endRun: () => Promise.resolve(),
    };
    await open('/settings', both, fake);
    await userEvent.click(await (await section()).findByRole('button', { name: 'Take back: There' }));
    expect(fake.called('takeRun')).toEqual([['gpu-1', 'r1']]);
    await chooseLanguage('de');
    const german = within(await screen.findByRole('region', { name: 'Rechner' }));
    await userEvent.click(
      await german.findByRole('button', { name: 'Beenden: Eine Sitzung, die dieser Server nicht kennt' }),
    );
    expect(fake.called('endRun')).toEqual([]);
    await userEvent.click(german.getByRole('button', { name: 'Noch einmal drücken, um ihn zu beenden' }));
    expect(fake.called('endRun')).toEqual([['gpu-1', 'r2']]);
    expect(german.queryByRole('button', { name: /Zurückholen: Eine/ })).toBeNull();
  });
});
