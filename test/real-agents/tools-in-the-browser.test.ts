import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Beckon, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { type Visit, withBrowser } from '../web/browser/browser.ts';
import { claudePrograms } from './claude-program.ts';
import { type ModelStandIn, text, toolUse } from './model-stand-in.ts';
import { hasReadAll } from './real-session.ts';
import { cutOff, drills, example, ours } from './tool-files.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

describe.each(claudePrograms())('tools of Claude Code $version, answered in a browser', (program) => {
  const { come } = withBrowser({ pages: 'all tests', servers: 'all tests' });
  let folder: string;
  let notes: string;
  let beckon: Beckon;
  let visit: Visit;
  let page: Page;
  let place: Workplace;
  let model: ModelStandIn;
  const sessions: string[] = [];

  const serve = async (dataDir: string, port = '0'): Promise<Beckon> =>
    startBeckon({
      dataDir,
      env: { NOTIFY_FILE: notes },
      args: [
        '--port',
        port,
        '--claude',
        program.path,
        '--tools',
        example('approval-gate.ts'),
        example('email-field.ts'),
        await impatient('notify-and-answer-late.ts', folder),
        drills,
      ],
    });

  beforeAll(async () => {
    folder = await temporaryDirectory();
    notes = join(folder, 'notes');
    beckon = await serve(await temporaryDirectory());
    visit = await come(beckon);
    page = visit.page;
  });
  beforeEach(async () => {
    place = await openWorkplace();
    model = place.model;
  });
  afterEach(async () => {
    for (const id of sessions.splice(0)) await beckon.api('POST', `/api/sessions/${id}/stop`, {});
    await place.close();
  });
  afterAll(() => {
    // One of the tests takes the server away from the page.
    expect(visit.problems.filter((problem) => !problem.includes('net::ERR_'))).toEqual([]);
  });

  const conversation = (): Locator => page.getByRole('region', { name: 'Conversation' });
  const card = (): Locator => page.getByRole('main').locator('[data-ask]');
  const button = (name: string): Locator => page.getByRole('main').getByRole('button', { name, exact: true });
  const outcome = (words: string | RegExp): Locator => conversation().locator('summary', { hasText: words });
  /** What came of the call, below what it asked. */
  const result = (words: string): Locator => conversation().locator('p', { hasText: `Result: ${words}` });

  /** An idle session of the real program, on the screen of the only client there is. */
  async function open(): Promise<string> {
    const { status, body } = await beckon.api('POST', '/api/sessions', {
      agent: 'claude',
      title: 'Asking',
      cwd: place.cwd,
      env: place.env,
    });
    expect(status, JSON.stringify(body)).toBe(201);
    sessions.push(body.session.id);
    await page.goto(`${beckon.url}/s/${body.session.id}`);
    return body.session.id;
  }

  async function say(words: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Message to Asking' }).fill(words);
    await page.keyboard.press('Enter');
  }

  /** The agent calls the tool when these words are said, and says what it was given. */
  function calls(words: string, tool: string, input: Record<string, unknown> = {}): void {
    model.on(words, [toolUse(ours(tool), input, (given) => [text(`I was given: ${given.text}`)])]);
  }

  /** The result of our tool as the model saw it. */
  const seenByModel = async (tool: string) => (await model.nextResults(ours(tool)))[0];

  const noCard = (): Promise<void> => expect.poll(() => card().count()).toBe(0);

  it('[TOOL12] [TOOL11] ask_user: typed into its card, read by the model, kept in the page', async () => {
    calls('ask', 'ask_user', { question: 'Which port?', inputType: 'text' });
    await open();
    await say('ask');
    await card().getByText('Which port?').waitFor();
    await button('Submit').click();
    await card().getByText('This is needed.').waitFor();
    await card().getByRole('textbox', { name: 'Answer' }).fill('8080');
    await button('Submit').click();
    expect(await seenByModel('ask_user')).toMatchObject({
      isError: false,
      text: '{"ok":true,"answer":"8080"}',
    });
    await outcome(/Submitted.*Which port\?.*by this browser/).waitFor();
    await conversation().getByText('I was given: {"ok":true,"answer":"8080"}').waitFor();
    // It stands alone, as all questionnaires: the result is in the block of the call.
    await conversation()
      .getByRole('button', { name: /^Used ask_user/ })
      .click();
    await conversation().getByText('{"ok":true,"answer":"8080"}', { exact: true }).waitFor();
    await noCard();
  });

  if (program.label === 'old') return;

  it('[TOOL7] the gate: once is asked again, session and always are not', async () => {
    const deployed = '{"deployed":true,"branch":"main","environment":"staging"}';
    for (const words of ['first', 'second', 'third'])
      calls(words, 'deploy', { branch: 'main', environment: 'staging' });
    const passes = async (count: number) => {
      expect(await seenByModel('deploy')).toMatchObject({ isError: false, text: deployed });
      await expect.poll(() => conversation().getByText(`I was given: ${deployed}`).count()).toBe(count);
    };

    await open();
    await say('first');
    await card().getByText('Deploy main to staging?').waitFor();
    await button('Allow').click();
    await passes(1);
    await say('second');
    await card().getByText('Deploy main to staging?').waitFor();
    await button('Allow for session').click();
    await passes(2);
    await say('third');
    await passes(3);
    await expect.poll(() => outcome(/Allowed.*Deploy main to staging\?.*by this browser/).count()).toBe(2);
    await expect.poll(() => result(deployed).count()).toBe(2);

    await open();
    await say('first');
    await button('Always allow').click();
    await passes(1);
    await outcome(/Allowed.*Deploy main to staging\?.*by this browser/).waitFor();
    await open();
    await say('first');
    await passes(1);
    expect(await outcome('Allowed').count()).toBe(0);
  });

  it('[TOOL7] a no reaches the model with the reason that was typed', async () => {
    calls('deploy', 'deploy', { branch: 'main', environment: 'production' });
    await open();
    await say('deploy');
    await card().waitFor();
    expect(await card().getByRole('button').allTextContents()).toEqual([
      'Deny',
      'Allow for session',
      'Allow',
    ]);
    await button('Deny').click();
    await card().locator('textarea:focus').waitFor();
    await page.keyboard.type('Not on a Friday.');
    await page.keyboard.press('Enter');
    const refused = '{"deployed":false,"reason":"Not on a Friday."}';
    expect(await seenByModel('deploy')).toMatchObject({ text: refused });
    await outcome(/Denied.*Not on a Friday\./).waitFor();
    await result(refused).waitFor();
  });

  it('[TOOL5] asked again in the same place: the model sees the last answer alone', async () => {
    calls('ask', 'ask_email', { purpose: 'For the bill.', domain: 'example.com' });
    await open();
    await say('ask');
    const field = card().getByRole('textbox', { name: 'E-mail' });
    await field.fill('ada@elsewhere.org');
    await card().getByRole('textbox', { name: 'Name' }).fill('Ada');
    await button('Submit').click();
    await card()
      .getByRole('alert')
      .getByText('ada@elsewhere.org is not an address at example.com.')
      .waitFor();
    await expect.poll(() => card().count()).toBe(1);
    expect(await field.inputValue()).toBe('ada@elsewhere.org');
    await field.fill('ada@example.com');
    await button('Submit').click();
    const given = '{"given":true,"email":"ada@example.com","name":"Ada"}';
    const request = await model.nextRequest(({ toolResults }) => toolResults.length > 0);
    expect(request.toolResults).toMatchObject([{ toolName: ours('ask_email'), text: given }]);
    expect(JSON.stringify(request.body.messages)).not.toContain('elsewhere');
    await outcome('E-mail submitted ada@example.com').waitFor();
    await conversation().getByText('Asked 2 times').waitFor();
    await result(given).waitFor();
  });

  it('[TOOL6] a late answer is one message in a new turn, and leads back to what was asked', async () => {
    calls('ask', 'ask_reviewer', { question: 'Shall the cache stay?' });
    await open();
    await say('ask');
    await card().getByText('The call that asked this has ended.', { exact: false }).waitFor();
    expect(await readFile(notes, 'utf8')).toBe('Shall the cache stay?\n');
    const queued = await seenByModel('ask_reviewer');
    expect(queued).toMatchObject({ isError: false, text: expect.stringContaining('"status":"queued"') });
    await result('{"status":"queued"').waitFor();
    await conversation().getByText('I was given: {"status":"queued"').waitFor();

    await card().getByRole('radio', { name: 'go on' }).check();
    await card().getByRole('textbox', { name: 'Why' }).fill('It is fast');
    await button('Submit').click();
    const verdict = 'Verdict: go on (It is fast)';
    const request = await model.nextRequest(({ prompt }) => prompt?.includes(verdict) ?? false);
    expect(request.toolResults).toEqual([]);
    expect(request.prompt).toContain('earlier call of the tool "ask_reviewer"');
    await conversation().getByText('Done.', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Answer to: Shall the cache stay\?/ }).click();
    await outcome('Verdict submitted. go on').waitFor();
    await noCard();
    expect(model.requests.filter(({ prompt }) => prompt?.includes(verdict))).toHaveLength(1);
  });

  it('[TOOL9] nobody answers in time: the card says so, and so does the result', async () => {
    // Long enough for the page to show it, however busy the machine is.
    calls('hurry', 'hurry', { ms: 10_000 });
    await open();
    await say('hurry');
    await card().getByText('Quick: which word?').waitFor();
    const words = 'Nobody answered within 10 seconds. (interaction_expired)';
    expect(await seenByModel('hurry')).toMatchObject({ isError: true, text: expect.stringContaining(words) });
    await outcome(/Nobody answered in time.*Quick: which word\?/).waitFor();
    await conversation().getByText(words).first().waitFor();
    await noCard();
  });

  it('[TOOL4] dismissed: the tool hears it, and the model what the tool makes of it', async () => {
    calls('wait', 'wait_for_word');
    await open();
    await say('wait');
    await button('Dismiss').click();
    expect(await seenByModel('wait_for_word')).toMatchObject({ isError: false, text: 'There is no word.' });
    await outcome(/Dismissed.*Which word\?.*by this browser/).waitFor();
    await result('There is no word.').waitFor();
  });

  it('[TOOL9] [SES5] Interrupt while a tool waits: the ask is over, and the model reads that it was cut off', async () => {
    calls('wait', 'wait_for_word');
    calls('again', 'wait_for_word');
    await open();
    await say('wait');
    await card().getByText('Which word?').waitFor();
    await page.getByRole('button', { name: 'Interrupt', exact: true }).click();
    await outcome(/Interrupted.*Which word\?/).waitFor();
    await conversation().getByText('Interrupted.', { exact: true }).waitFor();
    await noCard();
    const row = conversation().getByRole('button', { name: /^Used wait_for_word not finished/ });
    const words = 'this call was stopped while running';
    expect(await conversation().getByText(words).count()).toBe(0);
    await row.click();
    await conversation().getByText(words).waitFor();

    await say('again');
    const told = await model.nextRequest(({ prompt }) => prompt === 'again');
    expect(told.toolResults).toMatchObject([
      { toolName: ours('wait_for_word'), isError: true, text: expect.stringContaining(words) },
    ]);
    await card().getByRole('textbox', { name: 'Word' }).fill('pear');
    await button('Submit').click();
    await result('The word is pear.').waitFor();
  });

  it('[TOOL9] [SES6] Stop while a tool waits: the ask is over, and the agent learns of it when it goes on', async () => {
    calls('wait', 'wait_for_word');
    await open();
    await say('wait');
    await card().getByText('Which word?').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await outcome(/Interrupted.*Which word\?/).waitFor();
    await noCard();

    await button('Resume').first().click();
    await conversation().getByText('The session was resumed.').waitFor();
    await say('go on');
    const told = await model.nextRequest(({ prompt }) => prompt === 'go on');
    // Which of them ends first, the tool, its connection or the agent, is theirs to find out.
    expect(JSON.stringify(told.body.messages)).toMatch(
      /the session ended before this call|connection closed before the tool call|\(run_ended\)/,
    );
    await conversation().getByText('Done.', { exact: true }).waitFor();
  });

  it('[TOOL8] a tool that fails at the answer: a closed card, and the reason for both', async () => {
    calls('stumble', 'stumble');
    await open();
    await say('stumble');
    await card().getByRole('textbox', { name: 'Word' }).fill('plum');
    await button('Submit').click();
    const words = 'The tool "stumble" failed: The word broke the mill. (tool_failed)';
    expect(await seenByModel('stumble')).toMatchObject({
      isError: true,
      text: expect.stringContaining(words),
    });
    await outcome(/Submitted.*Which word will not do\?/).waitFor();
    await result(words).waitFor();
    await conversation()
      .getByRole('button', { name: /^Used stumble failed/ })
      .waitFor();
    await noCard();
  });

  it('[TOOL5] after ten times the tool gives up, for the person and for the model', async () => {
    calls('ask', 'ask_email', { purpose: 'For the bill.', domain: 'example.com' });
    await open();
    await say('ask');
    for (let attempt = 1; attempt <= 11; attempt++) {
      await card().getByRole('textbox', { name: 'E-mail' }).fill(`ada${attempt}@elsewhere.org`);
      await button('Submit').click();
      if (attempt <= 10)
        await card().getByText(`ada${attempt}@elsewhere.org is not an address at example.com.`).waitFor();
    }
    const words = 'It was asked again 10 times in a row, and no answer would do. (too_many_reprompts)';
    expect(await seenByModel('ask_email')).toMatchObject({
      isError: true,
      text: expect.stringContaining(words),
    });
    await result(words).waitFor();
    await conversation().getByText('Asked 11 times').waitFor();
    await noCard();
  });

  it('[TOOL6] [ASK2] kill -9 while a tool waits: the page comes back with the card, and the answer is a message', async () => {
    calls('wait', 'wait_for_word');
    const id = await open();
    await say('wait');
    await card().getByRole('textbox', { name: 'Word' }).fill('fig');
    const { dataDir, url } = beckon;
    await hasReadAll(beckon, id);
    await beckon.kill9();
    await page.getByText('Connection lost.').waitFor();

    beckon = await serve(dataDir, new URL(url).port);
    await card().getByText('Beckon was restarted while this was open', { exact: false }).waitFor();
    expect((await seenByModel('wait_for_word'))?.text).toMatch(cutOff);
    expect(await card().getByRole('textbox', { name: 'Word' }).inputValue()).toBe('fig');
    await button('Submit').click();
    const request = await model.nextRequest(({ prompt }) => prompt?.includes('fig') ?? false);
    expect(request.prompt).toBe('Answer to your earlier question "Which word?": fig');
    await page.getByRole('button', { name: /^Answer to: Which word\?/ }).waitFor();
    await outcome(/Submitted.*Which word\?/).waitFor();
    await noCard();
  });
});

/** An example, with no patience: what it waits for a minute, it waits for half a second. */
async function impatient(name: string, folder: string): Promise<string> {
  const source = await readFile(example(name), 'utf8');
  const file = join(folder, name);
  await writeFile(file, source.replace('60_000', '500'));
  expect(await readFile(file, 'utf8')).not.toBe(source);
  return file;
}
