import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudePrograms } from './claude-program.ts';
import { gate, type ModelStandIn, text, toolUse } from './model-stand-in.ts';
import { isAsk, isResult, RawClaude } from './raw-claude.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

describe.each(claudePrograms())('Claude Code $version against the stand-in', (program) => {
  const running: RawClaude[] = [];
  let place: Workplace;
  let model: ModelStandIn;

  beforeEach(async () => {
    place = await openWorkplace();
    model = place.model;
  });

  afterEach(async () => {
    for (const claude of running.splice(0)) await claude.kill();
    await place.close();
  });

  async function start(name = 'one'): Promise<{ claude: RawClaude; cwd: string }> {
    const [home, cwd] = [join(place.home, name), join(place.cwd, name)];
    await mkdir(home);
    await mkdir(cwd);
    const claude = new RawClaude({ program, baseUrl: model.url, home, cwd });
    running.push(claude);
    return { claude, cwd };
  }

  it('runs a command only after it was allowed, and the model sees its result', async () => {
    model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('It is there.')])]);
    const { claude, cwd } = await start();
    claude.say('make a file');

    const ask = await claude.next('ask', isAsk);
    expect(ask.request).toMatchObject({ tool_name: 'Bash', input: { command: 'touch made.txt' } });
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);

    claude.respond(ask.request_id, { behavior: 'allow', updatedInput: ask.request.input });
    expect(await claude.next('result', isResult)).toMatchObject({ result: 'It is there.', is_error: false });
    expect(existsSync(join(cwd, 'made.txt'))).toBe(true);
    const request = await model.nextRequest(({ toolResults }) => toolResults.length > 0);
    expect(request.toolResults).toMatchObject([{ toolName: 'Bash', isError: false }]);
  });

  it('keeps two sessions apart, and hands the reason of a refusal to the model', async () => {
    model.on('first', [toolUse('Bash', { command: 'touch first.txt' }, (result) => [text(result.text)])]);
    model.on('second', [toolUse('Bash', { command: 'touch second.txt' }, (result) => [text(result.text)])]);
    const [one, two] = await Promise.all([start('one'), start('two')]);
    one.claude.say('first');
    two.claude.say('second');

    const asks = await Promise.all([one.claude.next('ask', isAsk), two.claude.next('ask', isAsk)]);
    two.claude.respond(asks[1].request_id, { behavior: 'deny', message: 'Not the second.' });
    one.claude.respond(asks[0].request_id, { behavior: 'deny', message: 'Not the first.' });

    expect(await one.claude.next('result', isResult)).toMatchObject({ result: 'Not the first.' });
    expect(await two.claude.next('result', isResult)).toMatchObject({ result: 'Not the second.' });
    const refused = model.requests.flatMap(({ toolResults }) => toolResults).filter(({ isError }) => isError);
    expect(refused.map(({ text: reason }) => reason).sort()).toEqual(['Not the first.', 'Not the second.']);
  });

  it('holds a text back at a gate, so that a turn can be interrupted in the middle', async () => {
    const never = gate();
    model.on('tell', [text('Once ', never.opened, 'upon a time')]).on('again', [text('Here I am.')]);
    const { claude } = await start();
    claude.say('tell');
    const request = await model.nextRequest(({ prompt }) => prompt === 'tell');
    await claude.next('the first words', (line) => JSON.stringify(line).includes('"text":"Once "'));

    claude.request('stop', { subtype: 'interrupt' });
    expect(await claude.next('result', isResult)).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(await request.ended).toBe('hung-up');
    claude.say('again');
    expect(await claude.next('result', isResult)).toMatchObject({ result: 'Here I am.' });
  });

  it('answers a sub-agent by its own prompt', async () => {
    const helper = { description: 'look', prompt: 'look around', subagent_type: 'general-purpose' };
    const call = toolUse('Agent', { ...helper, run_in_background: false }, (result) => [text(result.text)]);
    model.on('send someone', [call]).on('look around', [text('All is quiet.')]);
    const { claude } = await start();
    claude.say('send someone');
    const result = await claude.next('result', isResult);
    expect(result.result).toContain('All is quiet.');
  });
});
