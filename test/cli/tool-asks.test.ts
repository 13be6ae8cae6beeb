import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimDataDirectory, writeServerFile } from '../../src/cli/data-directory.ts';
import { keepToken } from '../../src/cli/secret-files.ts';
import type { AskEnd, ToolAsk } from '../../src/engine/ports/tool-desk.ts';
import type { InteractionId, SessionId } from '../../src/protocol/ids.ts';
import { type RunningServer, startServer } from '../server/running-server.ts';
import { waitUntil } from '../server/wait-until.ts';
import { endBeckons, runBeckon, spawnBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { deployAsk, emailForm } from '../support/session-states.ts';

let server: RunningServer;
let sessionId: SessionId;
let lock: { release(): void };
const heard: AskEnd[] = [];

/** A server in this very process, so that a test can be the tool that asks; the terminal client finds it as any other. */
beforeEach(async () => {
  heard.length = 0;
  const dataDir = await temporaryDirectory();
  lock = await claimDataDirectory(dataDir);
  server = await startServer({ dataDir, token: await keepToken(dataDir) });
  await writeServerFile(dataDir, { url: server.url, pid: process.pid, startedAt: '' });
  sessionId = (await server.newSession({ title: 'Shop' })).id;
  const message = { session: sessionId, message: 'go' };
  await server.room.dispatch('sendMessage', message, { actor: { kind: 'person' } });
});
afterEach(async () => {
  await endBeckons();
  lock.release();
});

async function asks(ask: ToolAsk): Promise<InteractionId> {
  const asked = await server.room.tools.ask(sessionId, ask, async (end) => {
    heard.push(end);
    return null;
  });
  if (!asked.ok) throw new Error(asked.refusal.message);
  return asked.value;
}

const run = (...args: string[]) => runBeckon([...args, '--data-dir', server.dataDir]);

describe('[ASK8] [TOOL4] what interactive tools ask, in the terminal', () => {
  it('is listed and shown with what the tool offers, and approved with a scope and values', async () => {
    await asks(deployAsk({ form: emailForm, approvalScopes: ['once', 'session'] }));
    expect((await run('pending')).stdout).toMatch(/approval .*Shop.*deploy: Deploy to production\?\n$/);
    expect((await run('pending', 'int_')).stdout).toBe(
      [
        '? Deploy to production? (deploy)',
        '  target: production',
        '  Whom should I write to?',
        '    email: E-mail (e-mail address, required)',
        '  can be allowed: once, for the session',
        '',
      ].join('\n'),
    );
    expect(await run('approve', '--scope', 'always', 'email=jo@example.org')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('can only be allowed once or for the session'),
    });
    expect(await run('approve', 'email=nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('e-mail'),
    });
    expect(await run('approve', 'mail=x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the fields are email'),
    });
    expect(await run('approve', '--scope', 'session', 'email=jo@example.org')).toMatchObject({
      code: 0,
      stdout: 'allowed: mcp__beckon__deploy\n',
    });
    await waitUntil(() => heard.length === 1);
    expect(heard[0]).toMatchObject({
      decision: { type: 'allow', scope: 'session', values: { email: 'jo@example.org' } },
    });
  });

  it('values can be given as JSON, and only where there is something to fill in', async () => {
    const plain = await asks(deployAsk());
    expect(await run('approve', 'x=1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing to fill in'),
    });
    expect(await run('approve', plain)).toMatchObject({ code: 0 });
    await asks(deployAsk({ form: emailForm }));
    expect(await run('approve', '--input', '{"email":"jo@example.org"}')).toMatchObject({ code: 0 });
    await waitUntil(() => heard.length === 2);
    expect(heard[1]).toMatchObject({ decision: { values: { email: 'jo@example.org' } } });
  });

  it('a form that is asked again shows why and keeps what was typed; it can be filled in or denied', async () => {
    const again = { ...emailForm, error: 'Nobody is there.', initialValues: { email: 'jo@example.org' } };
    const first = await asks(deployAsk({ kind: 'form', form: again, title: 'Whom to?' }));
    const { stdout } = await run('pending', first);
    expect(stdout).toContain('asked again: Nobody is there.');
    expect(stdout).toContain('email: E-mail (e-mail address, required) [jo@example.org]');
    expect(await run('answer', first)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^submitted/),
    });
    const second = await asks(deployAsk({ kind: 'form', form: again }));
    expect(await run('answer', second, 'email=mo@example.org')).toMatchObject({ code: 0 });
    const third = await asks(deployAsk({ kind: 'form', form: emailForm }));
    expect(await run('deny', third, '--reason', 'Write to nobody.')).toMatchObject({ code: 0 });
    await waitUntil(() => heard.length === 3);
    expect(heard).toMatchObject([
      { decision: { type: 'submit', values: { email: 'jo@example.org' } } },
      { decision: { type: 'submit', values: { email: 'mo@example.org' } } },
      { kind: 'decided' },
    ]);
  });

  it('[TERM10] says that the tool asked again, and why, instead of what was answered', async () => {
    const again = { ...emailForm, error: 'Nobody is there.', initialValues: { email: 'jo@example.org' } };
    const ask = deployAsk({ form: emailForm });
    const first = await server.room.tools.ask(sessionId, ask, async () => {
      const replaces = first.ok ? first.value : undefined;
      const second = deployAsk({ form: again });
      await asks({
        ...second,
        tool: { ...second.tool, attempt: 2, ...(replaces === undefined ? {} : { replaces }) },
      });
      return null;
    });
    const { code, stdout } = await run('approve', 'email=jo@example.org');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^It asked again: Nobody is there\.\n {2}"beckon pending int_\S+" shows it\n$/);
  });

  it('[TOOL6] an ask that was left open says so, and can be answered while the session is watched', async () => {
    const asked = await asks(deployAsk());
    const watching = spawnBeckon(['watch', sessionId, '--interactive', '--data-dir', server.dataDir]);
    await watching.seen('[a]llow once · [d]eny · [v]iew all');
    await server.room.tools.leaveOpen(sessionId, asked, 'I asked the team.');
    const note = 'stays open, but the tool does not wait for it (I asked the team.)';
    await watching.seen(note);
    expect((await run('pending')).stdout).toContain('(the agent goes on)');
    expect((await run('pending', asked)).stdout).toContain(note);
    watching.child.stdin?.write('s\na\n');
    await waitUntil(() => heard.length === 1);
    expect(watching.stdout()).toContain('That is not offered.');
    await watching.seen('✓ allowed');
  });

  it('[TOOL10] a person at "watch" counts as there, for the session that is watched and no other, until they leave', async () => {
    const other = (await server.newSession()).id;
    expect(server.room.tools.available(sessionId)).toBe(false);
    const reading = spawnBeckon(['watch', sessionId, '--data-dir', server.dataDir]);
    await reading.seen('Shop');
    expect(server.room.tools.available(sessionId)).toBe(false);
    const answering = spawnBeckon(['watch', sessionId, '--interactive', '--data-dir', server.dataDir]);
    await waitUntil(() => server.room.tools.available(sessionId));
    expect(server.room.tools.available(other)).toBe(false);
    answering.child.kill();
    await waitUntil(() => !server.room.tools.available(sessionId));
  });
});
