import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { ScriptedAsk } from '../../support/scripted-claude/scripted-claude.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone } from './browser.ts';
import { startSessions } from './demo-sessions.ts';
import { withScripted } from './with-scripted.ts';

const room = withScripted('Asking');
let quietId = '';
beforeAll(async () => {
  const quiet = { title: 'Quiet', prompt: 'hello', status: 'idle' };
  [quietId = ''] = await startSessions(room.beckon, [quiet], room.beckon.dataDir);
});

/** One ask of each kind, and all that a person must be able to read before they decide. */
const asks: readonly (ScriptedAsk & { readonly name: string; readonly seen: readonly string[] })[] = [
  {
    id: 'command',
    name: 'Bash',
    input: {
      command: 'npm test -- --watch',
      description: 'Watch the tests',
      run_in_background: true,
      dangerouslyDisableSandbox: true,
      timeout: 4711,
    },
    seen: [
      'May I run this?',
      'npm test -- --watch',
      'Watch the tests',
      'It goes on in the background.',
      'It runs without the sandbox.',
      '4711',
    ],
  },
  {
    id: 'edits',
    name: 'MultiEdit',
    tool: 'MultiEdit',
    input: {
      file_path: 'src/cart.ts',
      edits: [
        { old_string: 'get(token)', new_string: 'get(id)', replace_all: true },
        { old_string: 'const a = 1;', new_string: 'const b = 1;', because: 'a is taken' },
      ],
    },
    seen: [
      'May I change this file?',
      'In every place where the old text stands:',
      'const b = 1;',
      'a is taken',
    ],
  },
  {
    id: 'read',
    name: 'Read',
    tool: 'Read',
    input: { file_path: '/etc/hosts', offset: 12 },
    blockedPath: '/etc/hosts',
    seen: [
      'May I read this?',
      'It reaches out of the session’s directory.',
      'The agent asks because of /etc/hosts',
      '12',
    ],
  },
  {
    id: 'page',
    name: 'WebFetch',
    tool: 'WebFetch',
    input: { url: 'https://docs.example/a?b=c', prompt: 'Sum it up', depth: 3 },
    seen: ['docs.example', 'https://docs.example/a?b=c', 'Sum it up', 'depth', '3'],
  },
  {
    id: 'unknown',
    name: 'shop › refund',
    tool: 'mcp__shop__refund',
    input: { order: { id: 'A-17', lines: [1, 2] }, dangerouslySkipChecks: true },
    seen: ['shop › refund', '"A-17"', 'It has a field that calls itself dangerous.'],
  },
  {
    id: 'plan',
    name: 'ExitPlanMode',
    tool: 'ExitPlanMode',
    input: {
      plan: '# Two steps\n\n1. Look\n2. Act',
      allowedPrompts: [{ tool: 'Bash', prompt: 'run tests' }],
    },
    seen: ['Shall I go on with this plan?', 'Two steps', 'run tests'],
  },
];

it('[ASK15] [UI5] every kind of call is shown with all that goes into it, large and on a phone', async () => {
  const ids = await room.agent.script({ ask: asks });
  for (const view of [desktop, phone]) {
    const { page, problems } = await room.come(`/s/${room.agent.sessionId}`, view);
    for (const [at, { seen }] of asks.entries()) {
      const card = page.locator(`main [data-ask="${ids[at]}"]`);
      await card.waitFor();
      for (const words of seen) await card.getByText(words).first().waitFor();
    }
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  }
  // In the monitor there is little room: what must not be overlooked is there all the same.
  const { page } = await room.come('/');
  for (const words of ['It goes on in the background.', 'It runs without the sandbox.'])
    await page.locator('main article').getByText(words).waitFor();
});

/** Every place that has an Allow, with the way to it. */
const places: readonly {
  readonly name: string;
  readonly path: () => string;
  readonly cards: string;
  readonly open?: (page: Page) => Promise<void>;
}[] = [
  { name: 'the session page', path: () => `/s/${room.agent.sessionId}`, cards: 'main' },
  { name: 'Mission Control', path: () => '/', cards: 'main article' },
  { name: 'the inbox', path: () => '/inbox', cards: 'section[data-inbox]' },
  { name: 'the dock', path: () => `/s/${quietId}`, cards: 'section[aria-label="Waits for you"]' },
  {
    name: 'the dialog',
    path: () => `/s/${quietId}`,
    cards: 'dialog',
    open: (page) => page.getByRole('button', { name: 'Open large' }).click(),
  },
];

/** All values in an input, as they are written. */
const valuesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(valuesIn)
    : String(value).split(/\n+/);

it.each(places)(
  '[ASK15] [UI19] every value of every kind of call, and the tool’s name, is in $name',
  async ({ path, cards, open }) => {
    await room.withdrawAll();
    const { page, problems } = await room.come(path());
    const idOf = ({ id }: ScriptedAsk) => `${id} in ${cards}`;
    for (const [at, { name, ...ask }] of asks.entries()) {
      // The one before it goes at the same moment.
      const withdraw = asks.slice(Math.max(0, at - 1), at).map(idOf);
      const [interactionId = ''] = await room.agent.script({ withdraw, ask: [{ ...ask, id: idOf(ask) }] });
      const card = page.locator(`${cards} [data-ask="${interactionId}"]`);
      await page.locator(`[data-ask="${interactionId}"]`).first().waitFor();
      await open?.(page);
      await card.getByText(name, { exact: true }).first().waitFor();
      const said = async () => ((await card.textContent()) ?? '').replaceAll(/\s+/g, ' ');
      for (const value of valuesIn(ask.input))
        await expect.poll(said, { message: name }).toContain(words(value));
      // What does not fit is counted where it is cut off.
      const uncounted = async (): Promise<number> =>
        (await card.locator('[data-more]').count()) -
        (await card.getByRole('button', { name: /more line|\+\d+ field/ }).count());
      await expect.poll(uncounted).toBeLessThanOrEqual(0);
      if (open !== undefined) await page.keyboard.press('Escape');
    }
    expect(problems).toEqual([]);
  },
);

/** A plan is shown as a document, a flag in a change as a sentence. */
const words = (value: string): string =>
  value === 'true' ? '' : value.replace(/^(#|\d+\.) /, '').replaceAll(/\s+/g, ' ');

it.each(places.filter(({ name }) => name !== 'the dialog'))(
  '[UI19] [UI14] Allow opens what is dangerous and not in view, and allows nothing: $name',
  async ({ path, cards }) => {
    await room.withdrawAll();
    const { page } = await room.come(path());
    const id = `hidden in ${cards}`;
    const command = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join('\n');
    const input = { command, run_in_background: true, timeout: 99 };
    const [interactionId = ''] = await room.agent.script({ ask: [{ id, input }] });
    const card = page.locator(`${cards} [data-ask="${interactionId}"]`);
    const allow = card.getByRole('button', { name: 'Allow', exact: true });
    await card.getByText('It goes on in the background.').waitFor();
    const isInView = (): Promise<boolean> =>
      card.getByText('It goes on in the background.').evaluate((line) => {
        const { left, bottom } = line.getBoundingClientRect();
        return line.parentElement?.contains(document.elementFromPoint(left + 4, bottom - 4)) === true;
      });
    await expect.poll(isInView).toBe(true);
    await expect.poll(() => allow.getAttribute('aria-disabled')).toBeNull();
    await allow.click();
    const large = page.locator(`dialog [data-ask="${interactionId}"]`);
    await large.waitFor();
    expect((await room.agent.told())[id]).toBeUndefined();
    await large.getByRole('button', { name: /more lines/ }).click();
    await large.locator('[data-more]').waitFor();
    const scrollOn = async (): Promise<number> => {
      const boxes = large.locator('[data-more]');
      await boxes.evaluateAll((all) => {
        for (const box of all) box.scrollTo(0, box.scrollHeight);
      });
      return boxes.count();
    };
    await expect.poll(scrollOn).toBe(0);
    const allowLarge = large.getByRole('button', { name: 'Allow', exact: true });
    await expect.poll(() => allowLarge.getAttribute('aria-disabled')).toBeNull();
    await allowLarge.click();
    await eventually('it is allowed', async () => (await room.agent.told())[id] !== undefined);
  },
);
