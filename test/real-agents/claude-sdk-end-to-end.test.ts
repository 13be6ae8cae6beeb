import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watch } from '../support/watch.ts';
import { goesOnInTheNextServer, stopEndsItsCommand } from './behaviours.ts';
import { claudePrograms } from './claude-program.ts';
import { commandLines } from './command-lines.ts';
import { gate, text, toolUse } from './model-stand-in.ts';
import { question } from './question.ts';
import { freshRoom } from './room.ts';
import { ours } from './tool-files.ts';

describe.each(claudePrograms())('Beckon with the Agent SDK and Claude Code $version', (program) => {
  const room = freshRoom({
    agent: 'claude-sdk',
    // The package is found from the directory that the server is started in.
    server: () => ({ args: ['--claude', program.path], cwd: import.meta.dirname }),
  });

  it('[ASK5] [STORE3] it is listed, and a tool runs only after Allow', async () => {
    const { body } = await room.beckon.api('GET', '/api/agents');
    expect(body.agents).toContainEqual(
      expect.objectContaining({ name: 'claude-sdk', available: true, version: program.version }),
    );
    room.model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('It is there.')])]);
    const session = await room.start('make a file');
    const { interactionId } = await session.nextAsk();
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
    const reply = await session.post('approve', { requestId: interactionId, decision: 'allow' });
    expect(reply).toMatchObject({ status: 200, body: { interaction: { outcome: 'allowed' } } });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(true);
    expect(await session.raw()).toContain('"subtype":"can_use_tool"');
  });

  it('[ASK9] an answer to a question reaches the model', async () => {
    const questions = [question('Which DB?', ['Postgres', 'SQLite'])];
    room.model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('Thank you.')])]);
    const session = await room.start('ask me');
    const { interactionId } = await session.nextAsk();
    const answers = [{ selected: ['SQLite'] }];
    expect(await session.post('answer', { requestId: interactionId, answers })).toMatchObject({
      status: 200,
    });
    expect((await room.model.nextResults('AskUserQuestion'))[0]?.text).toContain('"Which DB?"="SQLite"');
  });

  it('[SES5] [MSG1] an interrupt redirects, with the context intact', async () => {
    const held = gate();
    room.model.on('begin', [text('I begin', held.opened, ' and go on')]);
    room.model.on('do this instead', [text('Something else.')]);
    const session = await room.start('begin');
    await session.saying('I begin');
    await session.post('message', { message: 'do this instead', disposition: 'interrupt' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    const next = await room.model.nextRequest((request) => request.prompt === 'do this instead');
    expect(JSON.stringify(next.body.messages)).toContain('I begin');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    held.open();
  });

  it('[SES10] a session of a stopped server goes on in the next one, with its context', () =>
    goesOnInTheNextServer(room));

  it('[TOOL11] [SEC3] an interactive tool is reached, and its key is in no argument', async () => {
    await watch(room.beckon);
    room.model.on('ask by tool', [
      toolUse(ours('ask_user'), { question: 'Which colour?' }, [text('Thank you.')]),
    ]);
    const session = await room.start('ask by tool');
    const { interactionId, ask } = await session.nextAsk();
    expect(ask).toMatchObject({ tool: { name: 'ask_user' } });
    const keys = join(room.beckon.dataDir, 'mcp');
    const [name = ''] = await readdir(keys);
    const config = JSON.parse(await readFile(join(keys, name), 'utf8'));
    const key = config.mcpServers.beckon.headers.Authorization;
    expect(key).toMatch(/^Bearer \S+/);
    const running = (await commandLines()).filter((line) => line.startsWith(program.path));
    expect(running).not.toEqual([]);
    for (const args of running) expect(args).not.toContain(key.slice('Bearer '.length));
    await session.post('respond', { interactionId, action: 'submit', input: { answer: 'Green' } });
    expect((await room.model.nextResults(ours('ask_user')))[0]?.text).toContain('Green');
  });

  it('[SES6] stop ends the agent and its running command', () => stopEndsItsCommand(room));

  it('[PEER7] a hook of the person’s own settings is heeded', async () => {
    room.model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('Understood.')])]);
    const settings = join(room.cwd, '.claude');
    await mkdir(settings, { recursive: true });
    const hook = { type: 'command', command: 'echo "Not by my hook" >&2; exit 2' };
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] };
    await writeFile(join(settings, 'settings.json'), JSON.stringify({ hooks }));
    const session = await room.start('make a file');
    expect((await room.model.nextResults('Bash'))[0]?.text).toContain('Not by my hook');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
  });
});
