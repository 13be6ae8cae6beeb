import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BeckonError } from '../../src/client/beckon-error.ts';
import type { Grant } from '../../src/protocol/grant.ts';
import { setPreferences, usePreferences } from '../../src/web/data/preferences.ts';
import { chooseLanguage } from '../../src/web/i18n/i18n.ts';
import { useNotificationPreferences } from '../../src/web/notifications/notification-preferences.ts';
import { SettingsPage } from '../../src/web/pages/settings-page.tsx';
import { Toaster } from '../../src/web/ui/toast.tsx';
import { TooltipProvider } from '../../src/web/ui/tooltip.tsx';
import { answerRequests } from './support/fake-server.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { anAgent, aSession, at, sessionId } from './support/samples.ts';

const grant: Grant = {
  id: 'g1' as Grant['id'],
  toolName: 'Bash',
  pattern: 'npm run *',
  literal: false,
  subjectKind: 'command',
  scope: 'session',
  sessionId: sessionId('s1'),
  createdAt: at(0),
  by: { kind: 'person', where: 'Firefox on Linux' },
};
const device = (id: string, name: string, current: boolean) => ({
  id,
  name,
  current,
  createdAt: at(0),
  lastSeenAt: at(0),
});

async function open(fake = new FakeTransport(), routes: Parameters<typeof answerRequests>[0] = {}) {
  const asked = answerRequests({
    'GET /api/health': () => ({ body: { status: 'ok', version: '1.2.3' } }),
    'GET /api/devices': () => ({ body: { devices: [device('d1', 'Chrome on Linux', true)] } }),
    ...routes,
  });
  fake.agentList = [
    anAgent(),
    anAgent({ name: 'claude', label: 'Claude Code', available: false, reason: 'Not on the PATH.' }),
  ];
  fake.answers = { grants: () => Promise.resolve([]), ...fake.answers };
  const page = renderPage(
    fake,
    <TooltipProvider>
      <SettingsPage />
      <Toaster />
    </TooltipProvider>,
  );
  await page.tell(() => fake.tellSnapshot([aSession({ title: 'Fix the build' })]));
  return { ...page, asked };
}
const section = (name: string) => within(screen.getByRole('region', { name }));

afterEach(async () => {
  vi.unstubAllGlobals();
  setPreferences({ theme: 'system' });
  await chooseLanguage('en');
});

describe('the settings', () => {
  it('[GRANT4] list what is allowed for good, and take it back after a second press', async () => {
    const fake = new FakeTransport();
    let grants = [grant];
    fake.answers = {
      grants: () => Promise.resolve(grants),
      revokeGrant: () => {
        grants = [];
        return Promise.resolve();
      },
    };
    await open(fake);
    const approvals = section('Standing approvals');
    expect(await approvals.findByText('npm run *')).toBeTruthy();
    expect(approvals.getByRole('link', { name: 'Fix the build' })).toBeTruthy();
    expect(approvals.getByText('by Firefox on Linux')).toBeTruthy();
    await userEvent.click(approvals.getByRole('button', { name: /^Revoke/ }));
    expect(fake.called('revokeGrant')).toEqual([]);
    await userEvent.click(approvals.getByRole('button', { name: 'Press again to revoke' }));
    expect(fake.called('revokeGrant')).toEqual([['g1']]);
    expect(await approvals.findByText(/There are none: every request comes to you/)).toBeTruthy();
  });

  it('[GRANT4] take a first press back when one looks away', async () => {
    const fake = new FakeTransport();
    fake.answers = { grants: () => Promise.resolve([grant]) };
    await open(fake);
    await userEvent.click(await screen.findByRole('button', { name: /^Revoke/ }));
    await userEvent.tab();
    await userEvent.click(screen.getByRole('button', { name: /^Revoke/ }));
    expect(fake.called('revokeGrant')).toEqual([]);
  });

  it('[SEC1] list the devices that are let in, this one marked, and let none of them stay against one’s will', async () => {
    let devices = [device('d1', 'Chrome on Linux', true), device('d2', 'Safari on iOS', false)];
    const { asked } = await open(new FakeTransport(), {
      'GET /api/devices': () => ({ body: { devices } }),
      'DELETE /api/devices/d2': () => {
        devices = devices.slice(0, 1);
        return { body: { status: 'ok' } };
      },
    });
    expect(await section('Devices').findByText('This device')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Remove: Safari on iOS' }));
    await userEvent.click(screen.getByRole('button', { name: 'Press again to remove' }));
    await waitFor(() => expect(screen.queryByText('Safari on iOS')).toBeNull());
    expect(asked.filter(({ route }) => route.startsWith('DELETE'))).toHaveLength(1);
  });

  it('[SEC1] make a link with which one more device is let in', async () => {
    await open(new FakeTransport(), {
      'POST /api/pairing-code': () => ({
        status: 201,
        body: {
          code: 'ABCD-EFGH-JKMN',
          expiresAt: new Date(Date.now() + 600_000).toISOString(),
          url: 'http://127.0.0.1:4590/#pair=ABCD-EFGH-JKMN',
        },
      }),
    });
    await userEvent.click(screen.getByRole('button', { name: 'Pair another device' }));
    expect(await screen.findByText('ABCD-EFGH-JKMN')).toBeTruthy();
    expect(screen.getByText(`${location.origin}/#pair=ABCD-EFGH-JKMN`)).toBeTruthy();
    expect(await screen.findByRole('img', { name: /pairing link/ })).toBeTruthy();
  });

  it('[MULTI1] switch answering off when the server knows, and not when it does not', async () => {
    const fake = new FakeTransport();
    const { room } = await open(fake);
    const answering = screen.getByRole('switch', { name: /Answer agents in this browser/ });
    fake.answers = { setInteractionEnabled: () => Promise.reject(new BeckonError('unreachable', 0, 'gone')) };
    await userEvent.click(answering);
    expect(await section('Answering').findByRole('alert')).toBeTruthy();
    expect(room.store.getState().interaction).toBe('enabled');
    fake.answers = { setInteractionEnabled: () => Promise.resolve() };
    await userEvent.click(answering);
    await waitFor(() => expect(room.store.getState().interaction).toBe('disabled'));
    expect(fake.called('setInteractionEnabled').at(-1)).toEqual(['c1', { enabled: false }]);
    expect(usePreferences.getState().interaction).toBe('disabled');
    setPreferences({ interaction: 'enabled' });
  });

  it('[UI11] switch sound and desktop notification for each urgency, and keep it', async () => {
    await open();
    const sound = screen.getByRole('switch', { name: 'An agent is done: Sound' }) as HTMLInputElement;
    expect(sound.checked).toBe(false);
    await userEvent.click(sound);
    expect(useNotificationPreferences.getState().sound).toEqual({ asks: true, failed: true, finished: true });
    expect(JSON.parse(localStorage.getItem('beckon.notifications') ?? '{}').sound.finished).toBe(true);
  });

  it('[UI10] speak German and change the theme at once', async () => {
    await open();
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Theme' }), 'dark');
    expect(usePreferences.getState().theme).toBe('dark');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'de');
    expect(await screen.findByRole('heading', { name: 'Einstellungen' })).toBeTruthy();
    expect(document.documentElement.lang).toBe('de');
  });

  it('say which version runs, and why an agent was not found', async () => {
    await open();
    expect(await section('About').findByText('1.2.3')).toBeTruthy();
    expect(await section('About').findByText('Not on the PATH.')).toBeTruthy();
  });

  it('say so when a list cannot be read, and read it again', async () => {
    const fake = new FakeTransport();
    fake.answers = { grants: () => Promise.reject(new BeckonError('unreachable', 0, 'gone')) };
    await open(fake);
    const approvals = section('Standing approvals');
    await approvals.findByRole('alert');
    fake.answers = { grants: () => Promise.resolve([grant]) };
    await userEvent.click(approvals.getByRole('button', { name: 'Try again' }));
    expect(await approvals.findByText('npm run *')).toBeTruthy();
  });
});

describe('the tools', () => {
  const catalogue = {
    tools: [
      { name: 'ask_user', description: 'Asks.', source: 'built-in', askFirst: false },
      { name: 'deploy', description: 'Deploys.', source: '/tools/deploy.ts', askFirst: true },
    ],
    problems: [{ file: '/tools/broken.ts', error: 'Unexpected token', line: 3 }],
  };

  it('[TOOL13] are listed with where they come from, after those that could not be loaded, with why', async () => {
    const fake = new FakeTransport();
    fake.answers = { tools: () => Promise.resolve(catalogue) };
    await open(fake);
    const rows = section('Tools')
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
    expect(rows).toEqual([
      'This file could not be loaded:/tools/broken.ts:3Unexpected token',
      'ask_userAsks.Built in',
      'deployThe agent asks before each callDeploys./tools/deploy.ts',
    ]);
  });

  it('[TOOL7] what was approved under a tool’s own name reads as such', async () => {
    const fake = new FakeTransport();
    const key: Grant = {
      ...grant,
      toolName: 'deploy',
      subjectKind: 'key',
      pattern: 'production',
      literal: true,
    };
    fake.answers = { grants: () => Promise.resolve([key]) };
    await open(fake);
    expect(section('Standing approvals').getByText('approved under the name')).toBeTruthy();
    expect(section('Standing approvals').queryByText('exactly this')).toBeNull();
  });
});
