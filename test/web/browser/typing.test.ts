import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { quietMs } from '../../../src/web/interaction/stillness.ts';
import { eventually } from '../../support/eventually.ts';
import { type ScriptedAsk, startScripted } from '../../support/scripted-claude/scripted-claude.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, stopClock } from './browser.ts';
import { focused } from './focus.ts';
import { withScripted } from './with-scripted.ts';

const room = withScripted('Talk');
const { pending } = room;

const text = 'By the way';
const frameMs = 16;
let asked = 0;
const aQuestion = (): ScriptedAsk => {
  asked += 1;
  const question = {
    question: `Which way, number ${asked}?`,
    header: 'Way',
    options: [
      { label: 'Left', description: '' },
      { label: 'Right', description: '' },
    ],
    multiSelect: false,
  };
  return { id: `question_${asked}`, tool: 'AskUserQuestion', input: { questions: [question] } };
};

const api = async (method: string, path: string) =>
  (await room.beckon.api(method, `/api/sessions/${room.agent.sessionId}${path}`)).body;
const queued = async (): Promise<{ messageId: string; message: string }[]> =>
  (await api('GET', '/queue')).queue;

/** The page at a path, with the caret where messages are written, and a clock that moves only when it is told to. */
async function write(path: string, view = desktop) {
  await room.withdrawAll();
  for (const { messageId } of await queued()) await api('DELETE', `/queue/${messageId}`);
  const { page, problems } = await room.come(path, { ...view, hasClock: true });
  const field = page.getByRole('textbox', { name: 'Message to Talk' });
  await field.waitFor();
  const devtools = await page.context().newCDPSession(page);
  let received = '';
  devtools.on('Network.webSocketFrameReceived', ({ response }) => {
    received += response.payloadData;
  });
  await devtools.send('Network.enable');
  await stopClock(page);
  await field.focus();
  const until = (what: string, isSo: () => Promise<boolean>): Promise<unknown> =>
    eventually(what, async () => {
      if (await isSo()) return true;
      await page.clock.runFor(frameMs);
      return false;
    });
  return {
    page,
    field,
    problems,
    until,
    /** Asks, and resolves when the page shows it. What it still fetches for that takes no time of the page's but a few frames. */
    async ask(question = aQuestion(), withdraw: readonly string[] = []) {
      const [id = ''] = await room.agent.script({ withdraw, ask: [question] });
      await eventually('the page is told', () => received.includes(id));
      const card = page.locator(`[data-ask="${id}"]`).first();
      for (let frames = 0; !(await card.isVisible()); frames += 1) {
        expect(frames).toBeLessThan(14);
        await page.clock.runFor(frameMs);
        await delay(2 ** frames);
      }
      return { id, call: question.id };
    },
  };
}

const isFocused = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => document.activeElement === element);

const purpose = (page: Page, name: 'Answer the question' | 'Say something else') =>
  page.getByRole('main').getByRole('button', { name, pressed: true });

/** With the moments at which a question comes, in letters typed before it: all of them in one place. */
const places = [
  [
    'on the session page',
    () => `/s/${room.agent.sessionId}`,
    Array.from({ length: text.length + 1 }, (_, at) => at),
  ],
  ['in a monitor', () => '/', [0, 3, text.length]],
] as const;

describe.each(places)('what is typed %s', (_, path, moments) => {
  it('[UI17] [MSG4] stays a message whenever a question comes, by Enter and by Ctrl+Enter', async () => {
    const { page, field, ask } = await write(path());
    let before: string[] = [];
    for (const typed of moments) {
      await page.keyboard.type(text.slice(0, typed));
      const { id, call } = await ask(aQuestion(), before);
      before = [call];
      await page.keyboard.type(text.slice(typed));
      expect(await isFocused(field)).toBe(true);
      expect(await field.inputValue()).toBe(text);
      await page.keyboard.press(typed % 2 === 0 ? 'Enter' : 'Control+Enter');
      await eventually('it is sent as a message', async () =>
        (await queued()).some(({ message }) => message === text),
      );
      expect((await pending()).map(({ interactionId }) => interactionId)).toContain(id);
      // A second message after the first is none either.
      await page.clock.runFor(quietMs + frameMs);
      await page.keyboard.type('and this');
      await page.keyboard.press('Enter');
      await eventually('so is the next', async () => (await queued()).length === 2);
      expect((await pending()).map(({ interactionId }) => interactionId)).toContain(id);
      for (const { messageId } of await queued()) await api('DELETE', `/queue/${messageId}`);
    }
  });

  it('[UI17] [MSG4] pasted, dropped or dictated, is an answer only if it was begun when the question could be seen', async () => {
    const { page, field, ask } = await write(path());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    const soon = (): Promise<void> => page.clock.runFor(quietMs / 2);
    const later = (): Promise<void> => page.clock.runFor(quietMs + frameMs);
    const down = (key: string) => (): Promise<void> => page.keyboard.down(key);
    const press = (key: string) => (): Promise<void> => page.keyboard.press(key);
    const openMenu = (): Promise<void> => field.dispatchEvent('pointerdown', { button: 2 });
    const dragOver = (): Promise<void> => field.dispatchEvent('dragenter');
    const insert = (): Promise<void> => page.keyboard.insertText(text);
    const moments = [
      { name: 'at once', isAnswer: false, after: [press('Control+V')] },
      { name: 'a moment later', isAnswer: false, after: [soon, press('Control+V')] },
      {
        name: 'with a key from before',
        isAnswer: false,
        before: [down('Control')],
        after: [later, press('v')],
      },
      { name: 'with a key from at once', isAnswer: false, after: [soon, down('Control'), later, press('v')] },
      { name: 'from a menu of before', isAnswer: false, before: [openMenu], after: [later, insert] },
      { name: 'dragged from before', isAnswer: false, before: [dragOver], after: [later, insert] },
      { name: 'dictated at once', isAnswer: false, after: [press('Shift'), insert] },
      { name: 'pasted later', isAnswer: true, after: [later, press('Control+V')] },
      { name: 'from a menu of later', isAnswer: true, before: [openMenu], after: [later, openMenu, insert] },
      { name: 'in two goes', isAnswer: false, after: [soon, press('Control+V'), later, press('Control+V')] },
    ];
    let call: string[] = [];
    for (const { name, isAnswer, before = [], after } of moments) {
      for (const step of before) await step();
      const asked = await ask(aQuestion(), call);
      call = [asked.call];
      for (const step of after) await step();
      await page.keyboard.up('Control');
      await page.keyboard.press('Enter');
      await eventually(`${name}: it is ${isAnswer ? 'the answer' : 'a message'}`, async () =>
        isAnswer ? (await room.agent.told())[asked.call] !== undefined : (await queued()).length === 1,
      );
      expect([name, (await room.agent.told())[asked.call] !== undefined]).toEqual([name, isAnswer]);
      for (const { messageId } of await queued()) await api('DELETE', `/queue/${messageId}`);
      await page.clock.runFor(3000);
      await field.focus();
    }
  });

  it('[UI17] [UI18] answers what was there before it was begun, or when one chooses so; what is typed meanwhile is a message', async () => {
    const { page, field, ask, until } = await write(path());
    const first = await ask();
    await page.clock.runFor(quietMs + frameMs);
    await page.keyboard.type('Straight on');
    const reply = Promise.withResolvers<void>();
    await page.route('**/answer', async (route) => {
      const response = await route.fetch();
      await reply.promise;
      await route.fulfill({ response });
    });
    await page.keyboard.press('Enter');
    await eventually('it is the answer', async () => (await room.agent.told())[first.call] !== undefined);
    expect(JSON.stringify((await room.agent.told())[first.call])).toContain('Straight on');

    // The page does not know yet that its answer was taken.
    await page.keyboard.type('Back');
    reply.resolve();
    await until('that is said', () => page.getByText('Answered').first().isVisible());
    await page.keyboard.type('wards');
    expect(await field.inputValue()).toBe('Backwards');
    const second = await ask();
    await page.getByRole('main').getByRole('button', { name: 'Answer the question' }).click();
    await page.keyboard.press('Enter');
    await eventually('so is this', async () => (await room.agent.told())[second.call] !== undefined);
    expect(JSON.stringify((await room.agent.told())[second.call])).toContain('Backwards');
    expect(await queued()).toEqual([]);
  });

  it('[UI17] [UI13] is for one question only: in place of another it answers none, and is sent as nothing else at once', async () => {
    const { page, field, ask, until } = await write(path());
    const first = await ask();
    await page.clock.runFor(quietMs + frameMs);
    await page.keyboard.type('Left, then');
    const second = await ask(aQuestion(), [first.call]);
    await page.keyboard.press('Enter');
    await page.clock.runFor(quietMs);
    expect(await field.inputValue()).toBe('Left, then');
    expect(await isFocused(field)).toBe(true);
    expect(await queued()).toEqual([]);
    const send = page.getByRole('main').locator('form:has(textarea) button[type=submit]').last();
    await until('it can be sent', async () => (await send.getAttribute('aria-disabled')) === null);
    await page.keyboard.press('Enter');
    await until('it is a message', async () => (await queued()).length === 1);
    expect((await room.agent.told())[second.call]).toBeUndefined();
  });
});

const questionnaire = (id: string): ScriptedAsk => ({
  id,
  tool: 'AskUserQuestion',
  input: {
    questions: [
      { question: 'Which colour?', header: 'Colour', options: options('Red', 'Blue'), multiSelect: false },
      { question: 'Which sizes?', header: 'Sizes', options: options('Small', 'Large'), multiSelect: true },
      { question: 'Which name?', header: 'Name', options: options('Ada', 'Bob'), multiSelect: false },
    ],
  },
});
const options = (...labels: string[]) => labels.map((label) => ({ label, description: '' }));
const given = async (call: string): Promise<string> => JSON.stringify((await room.agent.told())[call]);

it('[UI31] [UI4] several questions are answered one after the other, and go out together with the last', async () => {
  const { page, field, ask, until, problems } = await write(`/s/${room.agent.sessionId}`);
  const { id, call } = await ask(questionnaire('first_form'));
  const card = page.locator(`main [data-ask="${id}"]`);
  const step = (words: string) => until(words, () => page.getByText(words, { exact: true }).isVisible());
  await page.clock.runFor(quietMs + frameMs);
  await step('1 of 3:');
  const button = (name: string) => page.getByRole('main').getByRole('button', { name });
  await page.keyboard.type('2');
  await until('it is chosen', () => button('2 Blue').and(page.locator('[aria-pressed=true]')).isVisible());
  await page.keyboard.press('Enter');
  await step('2 of 3:');
  expect(await field.inputValue()).toBe('');
  expect(await isFocused(field)).toBe(true);
  // What was answered here is on the card, and the other way round.
  const blue = card.getByRole('radio', { name: 'Blue' });
  await until('it is on the card', async () => (await blue.isVisible()) && (await blue.isChecked()));
  await card.getByRole('checkbox', { name: 'Small' }).check();
  await step('3 of 3:');
  await button('The question before').click();
  await step('2 of 3:');
  await until('that answer is there', async () => (await field.inputValue()) === 'Small');
  await focused(field);
  await page.keyboard.type(', a bit larger');
  await button('The question before').click();
  await until('so is the one before', async () => (await field.inputValue()) === 'Blue');
  await page.clock.resume();
  expect(await violationsOf(page)).toEqual([]);
  await button('Say something else').click();
  await field.fill('One moment');
  await page.keyboard.press('Enter');
  await until('it is a message', async () => (await queued()).length === 1);
  await button('Answer the question').click();
  await step('1 of 3:');
  await focused(field);
  await page.keyboard.type('Red');
  await page.keyboard.press('Enter');
  await step('2 of 3:');
  expect(await field.inputValue()).toBe('Small, a bit larger');
  await page.keyboard.press('Enter');
  await step('3 of 3:');
  expect((await room.agent.told())[call]).toBeUndefined();
  await page.keyboard.type('Eve');
  await page.keyboard.press('Enter');
  await until('all are answered', async () => (await room.agent.told())[call] !== undefined);
  expect(await given(call)).toContain(
    '"answers":{"Which colour?":"Red","Which sizes?":"Small, a bit larger","Which name?":"Eve"}',
  );
  await until('the field is empty', async () => (await field.inputValue()) === '');
  expect(problems).toEqual([]);
});

it('[UI31] several single questions are answered one after the other, also from a monitor', async () => {
  const { page, field, ask, until } = await write('/', phone);
  const one = await ask();
  const two = aQuestion();
  await room.agent.script({ ask: [two] });
  await until('both are there', async () => (await page.getByText('1 of 2:').count()) === 1);
  await page.clock.resume();
  expect(await violationsOf(page)).toEqual([]);
  await page.clock.runFor(quietMs + frameMs);
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await until('the first is answered', async () => (await room.agent.told())[one.call] !== undefined);
  expect(await given(one.call)).toContain('"2"');
  await until('the field is empty', async () => (await field.inputValue()) === '');
  expect((await room.agent.told())[two.id]).toBeUndefined();
  await until('the second is shown', async () => (await page.getByText('1 of 2:').count()) === 0);
  await page.clock.runFor(3000);
  await field.focus();
  await page.keyboard.type('Right');
  await page.keyboard.press('Enter');
  await until('the second is answered', async () => (await room.agent.told())[two.id] !== undefined);
  expect(await given(two.id)).toContain('Right');
  expect(await queued()).toEqual([]);
});

it('[UI17] says what Enter does with a draft when a question comes, and changes that by one press', async () => {
  for (const view of [desktop, { ...phone, theme: 'dark' as const }]) {
    const { page, ask, problems } = await write(`/s/${room.agent.sessionId}`, view);
    await page.keyboard.type(text);
    await ask();
    await purpose(page, 'Say something else').waitFor();
    await page.getByText('What you have typed is sent as a message.').waitFor();
    await page.clock.resume();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Answer the question' }).click();
    await purpose(page, 'Answer the question').waitFor();
    expect(problems).toEqual([]);
  }
});

it('[UI18] a monitor stays as long as someone types in it, also when its session was stopped', async () => {
  const stopped = await startScripted(room.beckon, 'Stopped');
  const { page } = await room.come('/');
  const field = page.getByRole('textbox', { name: 'Message to Stopped' });
  await field.focus();
  await page.keyboard.type('not yet');
  await room.beckon.api('POST', `/api/sessions/${stopped.sessionId}/stop`, {});
  await expect.poll(() => field.getAttribute('readonly')).not.toBeNull();
  expect(await isFocused(field)).toBe(true);
  await field.blur();
  await field.waitFor({ state: 'detached' });
});

it('[UI18] keys that were meant for a field that has gone do nothing', async () => {
  await write(`/s/${room.agent.sessionId}`);
  const { page } = await room.come('/inbox', { ...desktop, hasClock: true });
  const command = (id: string): ScriptedAsk => ({ id, input: { command: `rm -rf ${id}` } });
  const [one = ''] = await room.agent.script({ ask: [command('first')] });
  const card = (id: string) => page.locator(`section[data-inbox] [data-ask="${id}"]`);
  await card(one).getByRole('button', { name: 'Deny', exact: true }).waitFor();
  // What the server takes is no pause in typing.
  await stopClock(page);
  await page.clock.runFor(quietMs + frameMs);
  await card(one).getByRole('button', { name: 'Deny', exact: true }).click();
  await focused(card(one).getByRole('textbox'));
  await page.keyboard.type('B');
  const [two = ''] = await room.agent.script({ withdraw: ['first'], ask: [command('second')] });
  await eventually('the second is shown', async () => {
    if (await card(two).isVisible()) return true;
    await page.clock.runFor(quietMs - frameMs);
    await page.keyboard.press('d');
    return false;
  });
  for (const key of 'adsa gb a') {
    await page.clock.runFor(quietMs - frameMs);
    await page.keyboard.press(key === ' ' ? 'Space' : key);
  }
  expect(new URL(page.url()).pathname).toBe('/inbox');
  expect((await room.agent.told()).second).toBeUndefined();
  expect((await pending()).map(({ interactionId }) => interactionId)).toContain(two);
  expect(await card(two).getByRole('textbox').count()).toBe(0);
  // After a pause they are keys of the inbox again.
  await page.clock.runFor(5000);
  await page.keyboard.press('a');
  await eventually('it is allowed', async () => (await room.agent.told()).second !== undefined);
});
