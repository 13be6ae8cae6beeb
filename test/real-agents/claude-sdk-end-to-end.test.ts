import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/protocol/event.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { isRunning } from '../support/running.ts';
import { endWatches, type Watch, watch, watchSession } from '../support/watch.ts';
import { claudeEnvironment, claudePrograms } from './claude-program.ts';
import { gate, type ModelStandIn, startModelStandIn, text, toolUse } from './model-stand-in.ts';

describe.each(claudePrograms())('Beckon with the Agent SDK and Claude Code $version', (program) => {
  let folder: string;
  let model: ModelStandIn;
  let beckon: Beckon;

  /** The package is found from the directory that the server is started in. */
  const serve = (dataDir?: string): Promise<Beckon> =>
    startBeckon({
      ...(dataDir !== undefined && { dataDir }),
      args: ['--claude', program.path],
      cwd: import.meta.dirname,
    });

  beforeEach(async () => {
    folder = await temporaryDirectory();
    model = await startModelStandIn();
    beckon = await serve();
  });

  afterEach(async () => {
    endWatches();
    await endBeckons();
    await model.close();
  });

  interface Started {
    readonly id: string;
    readonly cwd: string;
    readonly watch: Watch;
  }

  async function start(prompt: string): Promise<Started> {
    const cwd = join(folder, 'work');
    const home = join(folder, 'home');
    await mkdir(cwd, { recursive: true });
    await mkdir(home, { recursive: true });
    const env = claudeEnvironment({ baseUrl: model.url, home });
    const { status, body } = await beckon.api('POST', '/api/sessions', {
      agent: 'claude-sdk',
      cwd,
      env,
      prompt,
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return { id: body.session.id, cwd, watch: await watchSession(beckon, body.session.id) };
  }

  const post = (session: Started, path: string, body: object = {}) =>
    beckon.api('POST', `/api/sessions/${session.id}/${path}`, body);

  const nextAsk = ({ watch: watching }: Started): Promise<EventOf<'interaction.requested'>> =>
    watching.event('interaction.requested');

  const seenByModel = async (tool: string) => {
    const { toolResults } = await model.nextRequest((request) =>
      request.toolResults.some(({ toolName }) => toolName === tool),
    );
    return toolResults.find(({ toolName }) => toolName === tool);
  };

  it('[ASK5] [STORE3] it is listed, and a tool runs only after Allow', async () => {
    const { body } = await beckon.api('GET', '/api/agents');
    expect(body.agents).toContainEqual(
      expect.objectContaining({ name: 'claude-sdk', available: true, version: program.version }),
    );
    model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('It is there.')])]);
    const session = await start('make a file');
    const { interactionId } = await nextAsk(session);
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
    const reply = await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    expect(reply).toMatchObject({ status: 200, body: { interaction: { outcome: 'allowed' } } });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(true);
    const raw = await fetch(`${beckon.url}/api/sessions/${session.id}/raw`, {
      headers: { authorization: `Bearer ${beckon.token}` },
    });
    expect(await raw.text()).toContain('"subtype":"can_use_tool"');
  });

  it('[ASK9] an answer to a question reaches the model', async () => {
    const options = ['Postgres', 'SQLite'].map((label) => ({ label, description: `About ${label}` }));
    const questions = [{ question: 'Which DB?', header: 'DB', multiSelect: false, options }];
    model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('Thank you.')])]);
    const session = await start('ask me');
    const { interactionId } = await nextAsk(session);
    const answers = [{ selected: ['SQLite'] }];
    expect(await post(session, 'answer', { requestId: interactionId, answers })).toMatchObject({
      status: 200,
    });
    expect((await seenByModel('AskUserQuestion'))?.text).toContain('"Which DB?"="SQLite"');
  });

  it('[SES5] [MSG1] an interrupt redirects, with the context intact', async () => {
    const held = gate();
    model.on('begin', [text('I begin', held.opened, ' and go on')]);
    model.on('do this instead', [text('Something else.')]);
    const session = await start('begin');
    await session.watch.until(
      'the first words',
      ({ event, data }) => event === 'delta' && data.text.includes('I begin'),
    );
    await post(session, 'message', { message: 'do this instead', disposition: 'interrupt' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    const next = await model.nextRequest((request) => request.prompt === 'do this instead');
    expect(JSON.stringify(next.body.messages)).toContain('I begin');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    held.open();
  });

  it('[SES10] a session of a stopped server goes on in the next one, with its context', async () => {
    model.on('remember the word plum', [text('I will.')]);
    model.on('which word', [text('Plum.')]);
    const session = await start('remember the word plum');
    await session.watch.event('turn.ended');
    const { dataDir } = beckon;
    expect(await beckon.stop()).toMatchObject({ code: 0 });
    beckon = await serve(dataDir);
    expect(await post(session, 'message', { message: 'which word' })).toMatchObject({ status: 202 });
    const request = await model.nextRequest((one) => one.prompt === 'which word');
    expect(JSON.stringify(request.body.messages)).toContain('remember the word plum');
  });

  it('[TOOL11] [SEC3] an interactive tool is reached, and its key is in no argument', async () => {
    await watch(beckon);
    model.on('ask by tool', [
      toolUse('mcp__beckon__ask_user', { question: 'Which colour?' }, [text('Thank you.')]),
    ]);
    const session = await start('ask by tool');
    const { interactionId, ask } = await nextAsk(session);
    expect(ask).toMatchObject({ tool: { name: 'ask_user' } });
    const key = JSON.parse(await readFile(await configFile(), 'utf8')).mcpServers.beckon.headers
      .Authorization;
    expect(key).toMatch(/^Bearer \S+/);
    const running = await argumentsOf(program.path);
    expect(running).not.toEqual([]);
    for (const args of running) expect(args).not.toContain(key.slice('Bearer '.length));
    await post(session, 'respond', { interactionId, action: 'submit', input: { answer: 'Green' } });
    expect((await seenByModel('mcp__beckon__ask_user'))?.text).toContain('Green');
  });

  it('[SES6] stop ends the agent and its running command', async () => {
    model.on('wait', [
      toolUse('Bash', { command: 'echo $$ > shell.pid; tail -f /dev/null' }, [text('Never.')]),
    ]);
    const session = await start('wait');
    const { interactionId } = await nextAsk(session);
    await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    const file = join(session.cwd, 'shell.pid');
    await expect
      .poll(() => existsSync(file) && readFile(file, 'utf8'), { timeout: 10_000 })
      .toMatch(/^\d+\n$/);
    const pid = Number(await readFile(file, 'utf8'));
    expect(await post(session, 'stop')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(isRunning(pid)).toBe(false);
  });

  it('[PEER7] a hook of the person’s own settings is heeded', async () => {
    model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('Understood.')])]);
    const settings = join(folder, 'work', '.claude');
    await mkdir(settings, { recursive: true });
    const hook = { type: 'command', command: 'echo "Not by my hook" >&2; exit 2' };
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] };
    await writeFile(join(settings, 'settings.json'), JSON.stringify({ hooks }));
    const session = await start('make a file');
    expect((await seenByModel('Bash'))?.text).toContain('Not by my hook');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
  });

  async function configFile(): Promise<string> {
    const [name = ''] = await readdir(join(beckon.dataDir, 'mcp'));
    return join(beckon.dataDir, 'mcp', name);
  }
});

/** The command lines of this program's processes. */
async function argumentsOf(program: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.startsWith(program));
}
