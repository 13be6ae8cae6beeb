import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { buildWeb } from '../../../scripts/build-web.ts';
import { addMachine, makeCluster } from '../../../src/cluster/cluster.ts';
import { SessionId } from '../../../src/protocol/ids.ts';
import type { Machine } from '../../../src/protocol/machine.ts';
import { personsGit } from '../../runner/workspace/repositories.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { drilledAgent } from '../../support/drilled-agent.ts';
import { desktop, openBrowser, phone, type View, visitPaired } from './browser.ts';
import { changedRepository } from './changed-repository.ts';
import {
  type DemoSession,
  longAsks,
  longTitles,
  manySessions,
  startSessions,
  threeSessions,
} from './demo-sessions.ts';

/**
 * Pictures of the page with demo sessions, to be looked at:
 * `node test/web/browser/screenshot.ts --out /tmp/shots [--only three,thirty] [--views desktop-light,phone-dark] [--language de]`
 */
interface Shot {
  readonly name: string;
  readonly sessions: readonly DemoSession[];
  readonly path?: (ids: readonly string[]) => string;
  readonly prepare?: (page: Page) => Promise<void>;
  /** Instead of sessions. */
  readonly arrange?: (beckon: Beckon) => Promise<readonly string[]>;
  /** Machines beside the server's own; nobody is there. */
  readonly machines?: readonly string[];
}

let worktreeProject = '';

const shots: readonly Shot[] = [
  { name: 'empty', sessions: [] },
  { name: 'three', sessions: threeSessions },
  { name: 'one', sessions: threeSessions.slice(1, 2) },
  { name: 'twelve', sessions: manySessions(12) },
  { name: 'thirty', sessions: manySessions(30) },
  { name: 'sixty', sessions: manySessions(60) },
  { name: 'long', sessions: longTitles },
  { name: 'focus', sessions: threeSessions, prepare: (page) => page.getByRole('article').nth(1).focus() },
  { name: 'session', sessions: threeSessions, path: (ids) => `/s/${ids[0]}` },
  {
    name: 'details',
    sessions: threeSessions,
    path: (ids) => `/s/${ids[0]}`,
    async prepare(page) {
      const walls = page.getByText(/^(Walls|Wände)$/);
      if (!(await walls.isVisible())) {
        await page
          .getByRole('main')
          .getByRole('button', { name: /^(Actions for|Aktionen für) / })
          .click();
        await page.getByRole('menuitem', { name: /^(Details|Einzelheiten)$/ }).click();
      }
      await walls.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'busy',
    sessions: threeSessions,
    path: (ids) => `/s/${ids[1]}`,
    async prepare(page) {
      await page.getByRole('textbox', { name: /Migrate/ }).fill('Use WAL mode, please');
      await page.getByRole('button', { name: /^(Other ways to send|Andere Arten zu senden)$/ }).click();
    },
  },
  { name: 'session-waiting', sessions: threeSessions, path: (ids) => `/s/${ids[2]}` },
  { name: 'long-ask', sessions: longAsks, path: (ids) => `/s/${ids[0]}` },
  { name: 'long-asks', sessions: longAsks },
  { name: 'inbox', sessions: manySessions(10), path: () => '/inbox' },
  { name: 'inbox-empty', sessions: threeSessions.slice(0, 1), path: () => '/inbox' },
  { name: 'board', sessions: manySessions(12), path: () => '/board' },
  { name: 'sessions', sessions: manySessions(12), path: () => '/sessions' },
  { name: 'settings', sessions: threeSessions, path: () => '/settings' },
  {
    name: 'worktree-choice',
    sessions: [],
    arrange: inWorktrees,
    async prepare(page) {
      await page.keyboard.press('n');
      const own = page.getByRole('switch', { name: /^(In a worktree of its own|In einem eigenen Worktree)/ });
      await page.getByRole('combobox', { name: /^(Directory|Verzeichnis)$/ }).fill(worktreeProject);
      await own.waitFor();
      await page.getByText('.beckon/setup').first().scrollIntoViewIfNeeded();
    },
  },
  { name: 'worktree-session', sessions: [], arrange: inWorktrees, path: (ids) => `/s/${ids[0]}` },
  {
    name: 'worktrees',
    sessions: [],
    arrange: inWorktrees,
    path: () => '/settings',
    prepare: (page) => page.getByText('beckon/faster-cart').scrollIntoViewIfNeeded(),
  },
  {
    name: 'worktree-removal',
    sessions: [],
    arrange: inWorktrees,
    path: () => '/settings',
    prepare: (page) => page.getByRole('button', { name: /faster-cart/ }).click(),
  },
  {
    name: 'machines',
    sessions: threeSessions,
    machines: ['build-2', 'gpu-1'],
    path: () => '/settings',
    async prepare(page) {
      await page.route('**/api/machines', (route) => route.fulfill({ json: { machines: toldMachines() } }));
      await page.reload();
      const section = page.getByRole('region', { name: /^(Machines|Rechner)$/ });
      await section.getByText('ses_of_before').first().waitFor();
      await section.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    },
  },
  { name: 'new', sessions: threeSessions, prepare: (page) => page.keyboard.press('n') },
  {
    name: 'new-directory',
    sessions: threeSessions,
    async prepare(page) {
      await page.keyboard.press('n');
      await page.getByRole('combobox', { name: /^(Directory|Verzeichnis)$/ }).fill(`${process.cwd()}/s`);
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'new-more',
    sessions: threeSessions,
    async prepare(page) {
      await page.keyboard.press('n');
      await page.getByText(/^(More choices|Weitere Angaben)$/).click();
      const add = page.getByRole('button', { name: /^(Add a variable|Variable hinzufügen)$/ });
      await add.click();
      await add.scrollIntoViewIfNeeded();
    },
  },
  { name: 'palette', sessions: threeSessions, prepare: (page) => page.keyboard.press('Control+k') },
  { name: 'help', sessions: threeSessions, prepare: (page) => page.keyboard.press('?') },
  { name: 'changes', sessions: [], arrange: reworked, path: (ids) => `/s/${ids[0]}/changes` },
  {
    name: 'changes-split',
    sessions: [],
    arrange: reworked,
    path: (ids) => `/s/${ids[0]}/changes?file=src/session.ts`,
    async prepare(page) {
      await page
        .getByRole('button', { name: /^(Give the changes all the room|Den Änderungen allen Platz geben)$/ })
        .click({ timeout: 1_000 })
        .catch(() => {});
      await page.keyboard.press('u');
    },
  },
  {
    name: 'changes-files',
    sessions: [],
    arrange: reworked,
    path: (ids) => `/s/${ids[0]}/changes`,
    prepare: (page) => page.getByRole('button', { name: /^(List of files|Liste der Dateien)$/ }).click(),
  },
  { name: 'changes-none', sessions: threeSessions.slice(0, 1), path: (ids) => `/s/${ids[0]}/changes` },
];

const views: Readonly<Record<string, View>> = {
  'desktop-light': { ...desktop, theme: 'light' },
  'desktop-dark': { ...desktop, theme: 'dark' },
  'tablet-light': { width: 1024, height: 768, theme: 'light' },
  'tablet-dark': { width: 1024, height: 768, theme: 'dark' },
  'phone-light': { ...phone, theme: 'light' },
  'phone-dark': { ...phone, theme: 'dark' },
};

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: '/tmp/shots' },
    only: { type: 'string' },
    views: { type: 'string', default: 'desktop-light,desktop-dark,phone-light' },
    language: { type: 'string', default: 'en' },
  },
});
const language = values.language === 'de' ? 'de' : 'en';
await mkdir(values.out, { recursive: true });
await buildWeb();
const browser = await openBrowser();
try {
  for (const shot of shots.filter(
    ({ name }) => values.only === undefined || values.only.split(',').includes(name),
  )) {
    await take(shot);
  }
} finally {
  await browser.close();
  await endBeckons();
}

/** Sessions in worktrees of a project that wants them, one of which is left over with work in it. */
async function inWorktrees(beckon: Beckon): Promise<readonly string[]> {
  const { tree, write } = await changedRepository(
    {
      'src/cart.ts': sourceOf('Cart'),
      '.gitignore': '.env\nnode_modules/\n',
      '.worktreeinclude': '.env\n',
      '.beckon/worktree.json': '{"default": true}',
      '.beckon/setup': '#!/bin/sh\nset -e\nnpm install --no-audit\nnpm run build\n',
    },
    beckon,
  );
  worktreeProject = tree;
  write('.env', 'TOKEN=1\n');
  const start = async (title: string) => {
    const request = { agent: 'demo', cwd: tree, title, worktree: {} };
    const { body } = await beckon.api('POST', '/api/sessions', request);
    return body.session;
  };
  const kept = await start('Search that forgives typing errors');
  const left = await start('Faster cart');
  writeFileSync(join(left.cwd, 'src/cart.ts'), 'export const cart = [];\n');
  personsGit(left.cwd, ['commit', '-qam', 'Count the cart once']);
  writeFileSync(join(left.cwd, 'src/cart.ts'), 'export const cart = [1];\n');
  writeFileSync(join(left.cwd, 'notes.md'), 'to do\n');
  await beckon.api('POST', `/api/sessions/${left.id}/stop`);
  await beckon.api('DELETE', `/api/sessions/${left.id}`);
  return [kept.id];
}

/** A session that has changed files of all kinds, beside a person who has, too. */
async function reworked(beckon: Beckon): Promise<readonly string[]> {
  const { id, write, turn } = await changedRepository(
    {
      'src/session.ts': sourceOf('Session'),
      'src/web/page.tsx': sourceOf('Page'),
      'src/old/names.ts': sourceOf('Names'),
      'docs/guide.md': '# Guide\n\nHow it is used.\n',
      'package-lock.json': '{}\n',
      'logo.svg': picture('#2f6f5e'),
    },
    beckon,
  );
  write('logo.svg', picture('#8a4f00'));
  await turn('sed -i -e "s/count + 1/count + step/" -e "s/private/readonly/" src/session.ts');
  write('docs/guide.md', '# Guide\n\nHow it is used, and why.\n\nIt began with a question.\n');
  await turn(
    'git mv src/old/names.ts src/names.ts; seq 1 60 > package-lock.json; rm src/web/page.tsx; printf "export const added = true;\\n" > src/added.ts',
  );
  return [id];
}

function sourceOf(name: string): string {
  return [
    `/** Keeps the count of a ${name}. */`,
    `export class ${name} {`,
    '  private count = 0;',
    '',
    ...Array.from({ length: 30 }, (_, at) => `  get part${at}(): string {\n    return 'part ${at}';\n  }\n`),
    '  next(step: number): number {',
    '    this.count = this.count + 1;',
    '    return this.count;',
    '  }',
    '}',
    '',
  ].join('\n');
}

function picture(colour: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64"><rect width="96" height="64" rx="12" fill="${colour}"/></svg>`;
}

async function take(shot: Shot): Promise<void> {
  const beckon: Beckon = await startBeckon({
    args: ['--claude', drilledAgent(await temporaryDirectory()), ...(await clusterOf(shot.machines))],
  });
  const ids =
    (await shot.arrange?.(beckon)) ??
    (await startSessions(beckon, shot.sessions, await temporaryDirectory()));
  for (const name of values.views.split(',')) {
    const view = views[name];
    if (view === undefined)
      throw new Error(`There is no view ${name}; there are ${Object.keys(views).join(', ')}`);
    const { context, page, problems } = await visitPaired(browser, beckon, shot.path?.(ids) ?? '/', {
      ...view,
      language,
    });
    await page.locator('main [aria-busy]').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('load');
    await page.evaluate(() => document.fonts.ready);
    await shot.prepare?.(page);
    // Long enough for the first words of the streams, and for lazy parts to be drawn.
    await page.waitForTimeout(700);
    const path = join(values.out, `${shot.name}-${name}${language === 'en' ? '' : `-${language}`}.png`);
    await page.screenshot({ path });
    process.stdout.write(`${path}\n${problems.map((problem) => `  ! ${problem}\n`).join('')}`);
    await context.close();
  }
  await beckon.stop();
}

async function clusterOf(machines: readonly string[] | undefined): Promise<readonly string[]> {
  if (machines === undefined) return [];
  const dir = await temporaryDirectory();
  // Nobody listens there.
  const address = '127.0.0.1:1';
  let cluster = makeCluster({ address, listen: address, store: join(dir, 'jetstream') });
  for (const name of machines) cluster = addMachine(cluster, name).cluster;
  const file = join(dir, 'room.json');
  await writeFile(file, JSON.stringify(cluster.room), { mode: 0o600 });
  return ['--cluster', file];
}

/** As a server tells of machines of every kind. */
function toldMachines(): readonly Machine[] {
  const since = new Date(Date.now() - 40 * 60_000).toISOString();
  const capabilities = { resume: true } as Machine['agents'][number]['capabilities'];
  const agent = (name: string, label: string, version: string) => ({
    name,
    label,
    version,
    available: true,
    capabilities,
  });
  const empty = { since, agents: [], sessions: 0, pending: 0, unclaimed: [] };
  const run = { sessionId: SessionId.parse('ses_of_before'), isRunning: true, canBeTaken: true };
  return [
    {
      ...empty,
      name: 'local',
      state: 'reachable',
      agents: [agent('claude', 'Claude Code', '2.1.325')],
      sessions: 3,
      pending: 1,
    },
    {
      ...empty,
      name: 'build-2',
      state: 'unreachable',
      sessions: 2,
      pending: 1,
      problem: 'Another runner with the same name is at work.',
    },
    {
      ...empty,
      name: 'gpu-1',
      state: 'reachable',
      version: '0.1.0',
      load: { processors: 0.42, memoryFree: 21 * 2 ** 30, memoryTotal: 64 * 2 ** 30 },
      agents: [agent('claude', 'Claude Code', '2.1.325'), agent('gemini', 'Gemini CLI', '0.43.0')],
      sessions: 4,
      unclaimed: [
        { ...run, runId: 'run_1', title: 'Fix the failing test', endsWhenTaken: true },
        { ...run, runId: 'run_2', title: 'Migrate the database to SQLite' },
        {
          ...run,
          runId: 'run_3',
          endsWhenTaken: true,
          agent: 'claude',
          cwd: '/data/projects/a-long-name/shop',
        },
        { ...run, runId: 'run_4', isRunning: false, canBeTaken: false },
      ],
    },
  ];
}
