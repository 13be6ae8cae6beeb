import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches } from '../support/watch.ts';
import { phone, type View, withBrowser } from '../web/browser/browser.ts';
import { acpClaudeConfig } from './acp-claude.ts';
import { claudePrograms } from './claude-program.ts';
import { gate, type ModelRequest, type ModelStandIn, text, toolUse } from './model-stand-in.ts';
import { question } from './question.ts';
import { type RealSession, startSession } from './real-session.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

interface Driver {
  readonly agent: string;
  readonly editsInput: boolean;
  readonly hearsReasons: boolean;
  readonly tellsPath: boolean;
}

const drivers: readonly Driver[] = [
  { agent: 'claude', editsInput: true, hearsReasons: true, tellsPath: true },
  { agent: 'claude-sdk', editsInput: true, hearsReasons: true, tellsPath: true },
  { agent: 'claude-acp', editsInput: false, hearsReasons: false, tellsPath: false },
];

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
/** What the page showed for the first driver, by the moment: the others are held against it. */
const first = new Map<string, string>();

beforeAll(async () => {
  const config = await acpClaudeConfig(await temporaryDirectory());
  const [program] = claudePrograms();
  beckon = await startBeckon({
    args: ['--claude', program?.path ?? '', '--config', config],
    // The Agent SDK is found from the directory that the server is started in.
    cwd: import.meta.dirname,
  });
});

describe.each(drivers)('$agent in the page', ({ agent, editsInput, hearsReasons, tellsPath }) => {
  let place: Workplace;
  let model: ModelStandIn;
  let cwd: string;
  const sessions: RealSession[] = [];

  beforeEach(async () => {
    place = await openWorkplace();
    ({ model, cwd } = place);
  });

  afterEach(async () => {
    endWatches();
    await Promise.all(sessions.splice(0).map((session) => session.post('stop')));
    await place.close();
  });

  interface Started extends RealSession {
    readonly page: Page;
    readonly conversation: Locator;
    readonly problems: readonly string[];
  }

  async function start(prompt: string, more: object = {}, view?: View): Promise<Started> {
    const session = await startSession(() => beckon, place, { agent, title: 'Alike', prompt, ...more });
    sessions.push(session);
    const { page, problems } = await come(beckon, `/s/${session.id}`, view);
    const conversation = page.getByRole('region', { name: 'Conversation' });
    return { ...session, page, problems, conversation };
  }

  /** The whole conversation, as it is read out, is the same as with the first driver, but for what is named. */
  async function expectAlike(moment: string, { conversation }: Started, but = /^$/): Promise<string> {
    const look = async (): Promise<string> =>
      withoutFigures(await conversation.ariaSnapshot())
        .replaceAll(cwd, '.')
        // A card that has just come does not react yet; how soon it does is not the agent's doing.
        .replaceAll(' [disabled]', '')
        // Which path made the agent ask is not told by ACP.
        .replace(/ *- paragraph:\n *- text: The agent asks because of\n *- code: .*\n/, '')
        .split('\n')
        // Fetched later, and what it offers depends on whether the agent can be forked.
        .filter((line) => !but.test(line.trim()) && !line.includes('"What can be done with this turn"'))
        .join('\n');
    const seen = await settled(look);
    const expected = first.get(moment) ?? seen;
    first.set(moment, expected);
    // An agent may tell a little later what another told at once.
    await expect.poll(look).toBe(expected);
    return expected;
  }

  const button = (within: Locator | Page, name: string | RegExp): Locator =>
    within.getByRole('button', { name, exact: true });

  const untilTurnEnds = ({ conversation }: Started): Promise<void> =>
    conversation
      .getByText(/^[\d.]+ s · \d+ tokens/)
      .first()
      .waitFor();

  it('[ASK5] [UI5] a command waits for Allow, and runs', async () => {
    model.on('make it', [
      text('I make it.'),
      toolUse('Bash', { command: 'touch made.txt', description: 'Make an empty file' }, [text('Made.')]),
    ]);
    const session = await start('make it');
    const { conversation, problems } = session;
    await button(conversation, 'Allow').waitFor();
    await expect.poll(() => button(conversation, 'Edit').count()).toBe(editsInput ? 1 : 0);
    const card = await expectAlike('a command is asked for', session, editButton);
    expect(card).toContain('May I run this?');
    expect(card).toContain('touch made.txt');
    const path = conversation.getByText('The agent asks because of');
    expect(await path.count()).toBe(tellsPath ? 1 : 0);
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);

    await button(conversation, 'Allow').click();
    await untilTurnEnds(session);
    await button(conversation, /^Ran touch made\.txt exit 0/).click();
    await expectAlike('a command was run', session);
    expect(existsSync(join(cwd, 'made.txt'))).toBe(true);
    expect(problems).toEqual([]);
  });

  it('[UI3] [ASK5] an edit is shown as the same change, before and after it is made', async () => {
    const path = join(cwd, 'a.txt');
    await writeFile(path, 'one\ntwo\nthree\n');
    const edit = { file_path: path, old_string: 'two', new_string: 'second\nand a half' };
    model.on('edit it', [toolUse('Read', { file_path: path }, [toolUse('Edit', edit, [text('Edited.')])])]);
    const session = await start('edit it');
    const { conversation, problems } = session;
    await conversation.getByText('and a half').waitFor();
    const before = await expectAlike('an edit is asked for', session, editButton);
    expect(before).toContain('− two + second + and a half');

    await button(conversation, 'Allow').click();
    await untilTurnEnds(session);
    await button(conversation, /^Edited a\.txt \+2 −1/).click();
    await conversation.getByText('three', { exact: true }).waitFor();
    const after = await expectAlike('an edit was made', session);
    expect(after).toContain('one − two + second + and a half three');
    expect(await readFile(path, 'utf8')).toBe('one\nsecond\nand a half\nthree\n');
    expect(problems).toEqual([]);
  });

  it('[ASK9] [UI6] a question is answered, on a phone too, and the answer reaches the model', async () => {
    const questions = [question('Which size?', ['Big', 'Small'])];
    model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('Thank you.')])]);
    const session = await start('ask me', {}, phone);
    const { conversation, problems } = session;
    await conversation.getByRole('radio', { name: 'Small About Small' }).waitFor();
    await expectAlike('a question is asked', session);

    await conversation.getByRole('radio', { name: 'Small About Small' }).click();
    await button(conversation, 'Answer').click();
    await untilTurnEnds(session);
    const answered = await expectAlike('a question was answered', session);
    expect(answered).toContain('Answered Which size? · Small · by this browser');
    const [answer] = await model.nextResults('AskUserQuestion');
    expect(answer?.text).toContain('"Which size?"="Small"');
    expect(problems).toEqual([]);
  });

  it('[ASK8] [ASK10] a plan is read as a document, approved, and gone on with in the mode chosen', async () => {
    // By ACP the mode to go on in is asked for when the plan is left, and no sooner, while the model goes on.
    const modeChanged = gate();
    model.on('plan it', ({ body }) => [
      toolUse('Write', { file_path: planFileIn(body), content: '# Tidy up\n\n1. Look around\n2. Sweep\n' }, [
        toolUse('ExitPlanMode', {}, [text('I go on.', modeChanged.opened, ' All is tidy.')]),
      ]),
    ]);
    const session = await start('plan it', { permissionMode: 'plan' });
    const { conversation, problems } = session;
    await conversation.getByRole('heading', { name: 'Tidy up' }).waitFor();
    const card = await expectAlike(
      'a plan is asked for',
      session,
      /^- (button "Edit"|option "Don't ask, deny")$/,
    );
    expect(card).toContain('Shall I go on with this plan?');
    expect(card).toContain('- listitem: Sweep');

    await conversation.getByRole('combobox', { name: 'Go on in mode' }).selectOption('Accept edits');
    await button(conversation, 'Approve').click();
    await session.watch.event('mode.changed', ({ permissionMode }) => permissionMode === 'acceptEdits');
    modeChanged.open();
    await untilTurnEnds(session);
    await button(conversation, /^Planned/).click();
    await conversation.getByRole('heading', { name: 'Tidy up' }).waitFor();
    await expectAlike('a plan was approved', session);
    expect((await session.get()).body.session.permissionMode).toBe('acceptEdits');
    expect(problems).toEqual([]);
  });

  it('[SES5] Interrupt ends the turn as interrupted', async () => {
    model.on('never stop', [text('And on ', new Promise(() => {}))]);
    const session = await start('never stop');
    const { page, conversation, problems } = session;
    await conversation.getByText('And on').waitFor();
    await button(page, 'Interrupt').click();
    await conversation.getByText('Interrupted.', { exact: true }).waitFor();
    await expectAlike('a turn was interrupted', session);
    await button(page, 'Interrupt').waitFor({ state: 'detached' });
    const { body } = await session.get('events?limit=500');
    expect(body.events).toContainEqual(
      expect.objectContaining({ type: 'turn.ended', outcome: 'interrupted' }),
    );
    expect((await session.get()).body.session.status).toBe('idle');
    expect(problems).toEqual([]);
  });

  it('[MSG1] [ASK8] what the agent cannot do is not offered, or said', async () => {
    model.on('make it', [toolUse('Bash', { command: 'touch made.txt' }, [text('Understood.')])]);
    const isReason = ({ prompt }: ModelRequest): boolean => prompt?.endsWith('Not on Sundays') ?? false;
    model.on(isReason, [text('I see.')]);
    const session = await start('make it');
    const { page, conversation, problems } = session;
    await button(conversation, 'Deny').waitFor();
    await page.getByRole('textbox', { name: 'Message to Alike' }).fill('and then');
    await button(page, 'Other ways to send').click();
    await page.getByRole('menuitem', { name: /^Interrupt/ }).waitFor();
    expect(await page.getByRole('menuitem').count()).toBe(3);
    expect(await page.getByRole('menuitem', { name: /^Steer/ }).count()).toBe(1);
    await page.keyboard.press('Escape');

    await button(conversation, 'Deny').click();
    await conversation.getByRole('textbox', { name: 'Why not? (optional)' }).fill('Not on Sundays');
    const hint = hearsReasons ? /^The agent reads this\./ : /^This agent takes no reason with a denial/;
    await conversation.getByText(hint).waitFor();
    await expectAlike(
      'a denial is given a reason',
      session,
      /agent reads this|takes no reason with a denial/,
    );
    await button(conversation, 'Deny').click();
    await untilTurnEnds(session);
    // Where the reason is a message of its own, another turn follows.
    if (hearsReasons) await expectAlike('a call was denied', session);
    else await model.nextRequest(isReason);
    await conversation.getByText('Denied', { exact: true }).click();
    const kept = hearsReasons ? 'The agent was told' : 'Sent to the agent as a message of its own';
    await conversation.getByText(kept, { exact: true }).waitFor();
    const [result] = await model.nextResults('Bash');
    expect(result?.isError).toBe(true);
    expect(result?.text.includes('Not on Sundays')).toBe(hearsReasons);
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
    expect(problems).toEqual([]);
  });
});

const editButton = /^- button "Edit"$/;

/** What is shown when nothing is under way any more, and nothing moves: an agent may ask before it tells how the call before it ended. */
async function settled(look: () => Promise<string>): Promise<string> {
  let shown = '';
  const isStill = async (): Promise<boolean> => {
    const before = shown;
    shown = await look();
    return shown === before && !/button "\w+ing /.test(shown);
  };
  await expect.poll(isStill).toBe(true);
  return shown;
}

/** How long things took, what they cost, and where a plan is kept differ from run to run. */
function withoutFigures(snapshot: string): string {
  return snapshot
    .replace(/- time: .*/g, '- time')
    .replace(/ [\d.]+ s"/g, '"')
    .replace(/- text: [\d.]+ s\b.*/g, '- text: figures')
    .replace(/\S+\/plans\/\S+\.md/g, 'plan.md');
}

/** Claude's model is told in which file to write its plan, which is then read from there. */
function planFileIn(request: object): string {
  const [, path] = /create your plan at (\S+) using/.exec(JSON.stringify(request)) ?? [];
  if (path === undefined) throw new Error('The model was not told where to write its plan');
  return path;
}
