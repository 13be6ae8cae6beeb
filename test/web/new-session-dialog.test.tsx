import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import type { DirectoryCompletion } from '../../src/protocol/directory.ts';
import { setPreferences } from '../../src/web/data/preferences.ts';
import { closeDialog, openDialog } from '../../src/web/frame/dialogs.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { anAgent, aSession } from './support/samples.ts';

const agents = [
  anAgent({ name: 'claude', label: 'Claude Code', version: '2.1.325' }),
  anAgent(),
  anAgent({ name: 'codex', label: 'Codex', available: false, reason: 'Not found.' }),
];

async function open(fake = new FakeTransport(), list = agents) {
  fake.agentList = list;
  const page = renderPage(fake);
  await page.tell(() => fake.tellSnapshot([aSession({ cwd: '/work/before' })]));
  await page.tell(() => openDialog({ is: 'new-session' }));
  await screen.findByRole('textbox', { name: 'First message' });
  return fake;
}

// The page loads it on demand, which on a slow machine takes longer than a test waits for anything.
beforeAll(() => import('../../src/web/session/new-session-dialog.tsx'));
beforeEach(() => {
  closeDialog();
  setPreferences({ lastUsed: {} });
});

describe('the dialog for a new session', () => {
  it('starts what was filled in, leaves the rest to the server, and goes there', async () => {
    const fake = await open();
    fake.answers = { createSession: () => Promise.resolve(aSession({ id: 'new' })) };
    await userEvent.type(screen.getByRole('textbox', { name: 'First message' }), 'Fix the build');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Permission mode' }), 'plan');
    await userEvent.click(screen.getByRole('button', { name: /^Start/ }));
    expect(fake.called('createSession')).toEqual([
      [{ agent: 'claude', prompt: 'Fix the build', permissionMode: 'plan' }],
    ]);
    await waitFor(() => expect(location.pathname).toBe('/s/new'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('remembers what was used last', async () => {
    setPreferences({
      lastUsed: { agent: 'demo', cwd: '/work/api', choices: { demo: { permissionMode: 'plan' } } },
    });
    await open();
    expect((screen.getByRole('radio', { name: /Demo agent/ }) as HTMLInputElement).checked).toBe(true);
    expect((screen.getByRole('combobox', { name: 'Directory' }) as HTMLInputElement).value).toBe('/work/api');
    expect((screen.getByRole('combobox', { name: 'Permission mode' }) as HTMLSelectElement).value).toBe(
      'plan',
    );
  });

  it('says at the field what is wrong with it, and keeps everything', async () => {
    const fake = await open();
    const refusal = new BeckonError('directory_not_found', 422, 'There is no directory /nowhere.');
    fake.answers = { createSession: () => Promise.reject(refusal) };
    const directory = screen.getByRole('combobox', { name: 'Directory' }) as HTMLInputElement;
    await userEvent.type(directory, '/nowhere');
    await userEvent.type(
      screen.getByRole('textbox', { name: 'First message' }),
      'Hello{Control>}{Enter}{/Control}',
    );
    expect(await screen.findByText('There is no directory /nowhere.')).toBeTruthy();
    expect(directory.getAttribute('aria-invalid')).toBe('true');
    expect(directory.value).toBe('/nowhere');
  });

  it('[SES20] says in which mode this server starts an agent, and leaves it to the server unless another is chosen', async () => {
    const fake = new FakeTransport();
    await open(fake, [
      anAgent({ name: 'claude', label: 'Claude Code', defaultPermissionMode: 'bypassPermissions' }),
      anAgent(),
    ]);
    const mode = () => screen.getByRole('combobox', { name: 'Permission mode' }) as HTMLSelectElement;
    const hint = 'This server starts Claude Code in the mode “Allow everything” unless you choose another.';
    expect(screen.getByText(hint).id).toBe(mode().getAttribute('aria-describedby'));
    expect(mode().selectedOptions[0]?.textContent).toBe('Server: Allow everything');
    await userEvent.click(screen.getByRole('radio', { name: /Demo agent/ }));
    expect(screen.queryByText(hint)).toBeNull();
    expect(mode().selectedOptions[0]?.textContent).toBe("The agent's own");
    await userEvent.click(screen.getByRole('radio', { name: /Claude Code/ }));
    await userEvent.click(screen.getByRole('button', { name: /^Start/ }));
    expect(fake.called('createSession')[0]?.[0]).toMatchObject({ agent: 'claude' });
    expect(fake.called('createSession')[0]?.[0]).not.toHaveProperty('permissionMode');
  });

  it('[SES23] an agent that never asks says so before it is started, and one press lets it ask', async () => {
    const fake = new FakeTransport();
    const variable = { name: 'OPENCODE_PERMISSION', value: '{"bash":"ask"}' };
    await open(fake, [
      anAgent({ name: 'claude', label: 'Claude Code', asking: { byDefault: 'always' } }),
      anAgent({ name: 'opencode', label: 'opencode', asking: { byDefault: 'never', variable } }),
      anAgent({
        name: 'codex',
        label: 'Codex',
        asking: { byDefault: 'sometimes', mode: 'read-only' },
        capabilities: { ...anAgent().capabilities, permissionModes: [] },
      }),
      anAgent({ name: 'pi', label: 'pi', asking: { byDefault: 'never' } }),
    ]);
    const note = () => screen.queryByRole('note');
    expect(note()).toBeNull();
    await userEvent.click(screen.getByRole('radio', { name: /^pi/ }));
    expect(note()?.textContent).toBe(
      'pi runs commands and changes files without asking you. It has no way to ask.',
    );
    expect(screen.queryByRole('button', { name: 'Let it ask' })).toBeNull();
    await userEvent.click(screen.getByRole('radio', { name: /Codex/ }));
    expect(note()?.textContent).toContain('Codex decides by itself');
    await userEvent.click(screen.getByRole('button', { name: 'Let it ask' }));
    const mode = screen.getByRole('combobox', { name: 'Permission mode' }) as HTMLSelectElement;
    expect(mode.value).toBe('read-only');
    expect(note()).toBeNull();
    await userEvent.click(screen.getByRole('radio', { name: /opencode/ }));
    await userEvent.click(screen.getByRole('button', { name: 'Let it ask' }));
    expect(note()).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: /^Start/ }));
    expect(fake.called('createSession')[0]?.[0]).toMatchObject({
      agent: 'opencode',
      env: { OPENCODE_PERMISSION: '{"bash":"ask"}' },
    });
  });

  it('[SES23] known agents that are not installed are folded away with how to install them', async () => {
    await open(new FakeTransport(), [
      anAgent({ signIn: { command: 'demo login', variable: 'DEMO_KEY' } }),
      anAgent({ name: 'kimi', label: 'Kimi Code', available: false, install: 'npm install -g kimi' }),
    ]);
    expect(
      screen.getByText('To sign in, run “demo login” in a terminal, or give it a key in DEMO_KEY.'),
    ).toBeTruthy();
    expect(screen.queryByRole('radio', { name: /Kimi/ })).toBeNull();
    const group = screen.getByText('1 more is known and not installed here').closest('details');
    expect(group?.open).toBe(false);
    await userEvent.click(screen.getByText('1 more is known and not installed here'));
    expect(group?.textContent).toContain('Kimi Codenpm install -g kimi');
  });

  it('[UI23] asks for directories one question at a time, and shows the answer to what stands there', async () => {
    const fake = new FakeTransport();
    const asked: ReturnType<typeof Promise.withResolvers<DirectoryCompletion>>[] = [];
    fake.answers = {
      directories: () => {
        const answer = Promise.withResolvers<DirectoryCompletion>();
        asked.push(answer);
        return answer.promise;
      },
    };
    await open(fake);
    const answerNext = async (...paths: string[]) => {
      const directories = paths.map((path) => ({ path, isRepository: false }));
      await waitFor(() => expect(asked).not.toEqual([]));
      await act(async () => asked.shift()?.resolve({ directories, isAll: true }));
    };
    await userEvent.type(screen.getByRole('combobox', { name: 'Directory' }), '/w/a');
    expect(fake.called('directories')).toEqual([[{}]]);
    await answerNext('/start');
    await answerNext('/w/api', '/w/app');
    expect(fake.called('directories')).toEqual([[{}], [{ path: '/w/a' }]]);
    const options = within(screen.getByRole('listbox')).getAllByRole('option');
    expect(options.map(({ textContent }) => textContent)).toEqual(['/w/api', '/w/app']);
    await userEvent.keyboard('p');
    // Not before the server has said so: what it found for something else is no longer offered.
    await userEvent.keyboard('x');
    expect(screen.queryByRole('listbox')).toBeNull();
    await userEvent.keyboard('{Backspace}');
    await answerNext('/w/api', '/w/app', '/w/apt');
    expect(fake.called('directories')).toHaveLength(3);
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{Tab}');
    expect((screen.getByRole('combobox', { name: 'Directory' }) as HTMLInputElement).value).toBe('/w/app');
    expect(screen.queryByRole('listbox')).toBeNull();
  });

  it('[UI23] says how long an agent may think, where that can be said', async () => {
    const fake = new FakeTransport();
    await open(fake, [
      anAgent({ name: 'claude', label: 'Claude Code', thinkingVariable: 'THINK' }),
      anAgent(),
    ]);
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Thinking' }), '31999');
    await userEvent.click(screen.getByRole('button', { name: /^Start/ }));
    expect(fake.called('createSession')[0]?.[0]).toMatchObject({ agent: 'claude', env: { THINK: '31999' } });
    await userEvent.click(screen.getByRole('radio', { name: /Demo agent/ }));
    expect(screen.queryByRole('combobox', { name: 'Thinking' })).toBeNull();
  });

  it('says why an agent cannot be chosen', async () => {
    await open();
    expect((screen.getByRole('radio', { name: /Codex/ }) as HTMLInputElement).disabled).toBe(true);
    expect(screen.getByText('Not found.')).toBeTruthy();
  });

  it('[UI8] closes with Escape', async () => {
    await open();
    screen.getByRole('dialog').dispatchEvent(new Event('cancel', { cancelable: true }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});
