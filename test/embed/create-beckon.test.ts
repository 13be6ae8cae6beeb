import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Beckon, type BeckonOptions, createBeckon } from 'beckon';
import { type ConnectionState, DirectTransport, HttpTransport, type Transport } from 'beckon/client';
import { CreateSession, type Interaction } from 'beckon/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { endBeckons, runBeckon, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';

const open = new Set<Beckon>();
afterEach(async () => {
  for (const beckon of open) await beckon.close();
  open.clear();
  await endBeckons();
});

async function embed(options: Partial<BeckonOptions> = {}): Promise<Beckon & { readonly dataDir: string }> {
  const dataDir = options.dataDir ?? (await temporaryDirectory());
  const beckon = await createBeckon({ claude: join(dataDir, 'no-such-program'), ...options, dataDir });
  open.add(beckon);
  return { ...beckon, dataDir };
}

/** The next ask of any session. */
function ask(transport: Transport): Promise<Interaction> {
  return new Promise((resolve) => {
    const end = transport.subscribe({
      onAnnouncement({ type, data }) {
        if (type !== 'approval-requested') return;
        end();
        resolve(data);
      },
    });
  });
}

function turnEnd(transport: Transport, session: string): Promise<void> {
  return new Promise((resolve) => {
    const end = transport.follow(session, {
      after: 0,
      onEvent({ type }) {
        if (type !== 'turn.ended') return;
        end();
        resolve();
      },
    });
  });
}

const refusalOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => expect.fail('was not refused'),
    (error: Error) => error,
  );

describe('createBeckon', () => {
  it('[API2] what is asked in the same process is answered over HTTP, and the file is there', async () => {
    const beckon = await embed();
    const { url } = await beckon.listen();
    expect(beckon.transport).toBeInstanceOf(DirectTransport);
    const http = new HttpTransport({ baseUrl: url, token: beckon.token });
    const asked = ask(beckon.transport);
    const { id } = await http.createSession({
      agent: 'demo',
      cwd: beckon.dataDir,
      prompt: 'run touch notes.md',
    });
    const { requestId } = await asked;
    await http.approve(id, { requestId, decision: 'allow' });
    await turnEnd(beckon.transport, id);
    expect(existsSync(join(beckon.dataDir, 'notes.md'))).toBe(true);
    expect((await http.tools()).tools.map(({ name }) => name)).toContain('ask_user');
  });

  it('[API2] without a port, agents work all the same', async () => {
    const { transport, dataDir } = await embed({ port: 1 });
    const asked = ask(transport);
    const { id } = await transport.createSession({ agent: 'demo', prompt: 'run pwd' });
    const { requestId } = await asked;
    expect(await transport.deny(id, { requestId, reason: 'No.' })).toMatchObject({ outcome: 'denied' });
    await turnEnd(transport, id);
    expect(existsSync(join(dataDir, 'server.json'))).toBe(false);
  });

  it('[API2] relative paths and sessions without a directory begin where it says', async () => {
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, 'inside'));
    const { transport } = await embed({ dataDir: 'data', cwd, roots: ['inside'] });
    expect(existsSync(join(cwd, 'data/beckon.db'))).toBe(true);
    expect(await refusalOf(transport.createSession({ agent: 'demo' }))).toMatchObject({ status: 422 });
    const given = CreateSession.parse({ agent: 'demo', cwd: join(cwd, 'inside') });
    expect(await transport.createSession(given)).toMatchObject({ cwd: join(cwd, 'inside') });
  });

  it('[API2] wrong options are refused in words, and nothing is made', async () => {
    const dataDir = join(await temporaryDirectory(), 'data');
    const wrong = { dataDir, port: 70_000, colour: 'red' };
    const { message } = await refusalOf(createBeckon(wrong));
    expect(message).toMatch(/^createBeckon: "colour" is not known here; "port" must be at most 65535$/);
    expect(existsSync(dataDir)).toBe(false);
    const loud = { dataDir, logLevel: 'loud' as 'info' };
    expect((await refusalOf(createBeckon(loud))).message).toBe(
      'createBeckon: "logLevel" is one of trace, debug, info, warn, error, fatal, silent',
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each([undefined, null, {}, { dataDir: '' }, { dataDir: 5 }])(
    '[API2] a program without types that gives %j is told what is missing',
    async (options) => {
      const { message } = await refusalOf(createBeckon(options as BeckonOptions));
      expect(message).toBe('createBeckon: "dataDir" must be given');
    },
  );

  it('[API2] one control room per data directory, in this program and in others', async () => {
    const first = await embed();
    const { dataDir } = first;
    expect((await refusalOf(embed({ dataDir }))).message).toBe(`this program has ${dataDir} open already`);
    const { url } = await first.listen();
    const second = await runBeckon(['serve', '--port', '0', '--no-open', '--data-dir', dataDir]);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(url) });

    await first.close();
    expect(existsSync(join(dataDir, 'server.json'))).toBe(false);
    const other = await startBeckon({ dataDir });
    expect((await refusalOf(embed({ dataDir }))).message).toContain(other.url);
    await other.stop();
    expect((await embed({ dataDir })).token).toBe(first.token);
  });

  it('[API2] the terminal client finds it, and does not end the program it is part of', async () => {
    const beckon = await embed();
    const { url } = await beckon.listen();
    const listed = await runBeckon(['ls', '--json', '--data-dir', beckon.dataDir]);
    expect(listed).toMatchObject({ code: 0 });
    for (const command of ['restart', 'stop-all']) {
      const ended = await runBeckon([command, '--data-dir', beckon.dataDir]);
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${process.pid}`) });
    }
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
  });

  it('[API2] a browser is let in by the code, and by none that was used', async () => {
    const beckon = await embed();
    const { url } = await beckon.listen();
    const code = beckon.pairingCode();
    const pair = () =>
      fetch(`${url}/api/pair`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
    expect((await pair()).headers.get('set-cookie')).toContain('HttpOnly');
    expect((await pair()).status).toBe(401);
  });

  it('[API2] a port that is taken is the system’s error, and it can be tried again', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => blocker.once('listening', done));
    const { port } = blocker.address() as { port: number };
    const beckon = await embed({ port });
    expect(await refusalOf(beckon.listen())).toMatchObject({ code: 'EADDRINUSE' });
    expect(await beckon.transport.sessions()).toEqual([]);
    await new Promise((done) => blocker.close(done));
    expect(await beckon.listen()).toMatchObject({ url: `http://127.0.0.1:${port}` });
    expect(await beckon.listen()).toMatchObject({ url: `http://127.0.0.1:${port}` });
  });

  it('[API2] close() can be called twice, and nothing is served after it', async () => {
    const beckon = await embed();
    const { url } = await beckon.listen();
    await Promise.all([beckon.close(), beckon.close()]);
    expect((await refusalOf(beckon.listen())).message).toBe('This control room is closed.');
    await expect(fetch(`${url}/api/health`)).rejects.toThrow();
  });

  it('[API2] whoever listens is told of the end, and calls after it are refused', async () => {
    const { transport, close } = await embed();
    const { id } = await transport.createSession({ agent: 'demo', prompt: 'hello' });
    const states: string[] = [];
    const onConnection = ({ state }: ConnectionState) => states.push(state);
    await new Promise<void>((resolve) => {
      transport.subscribe({ onConnection, onSnapshot: () => resolve() });
    });
    await new Promise<void>((resolve) => {
      transport.follow(id, { after: 0, onConnection, onEvent: () => resolve() });
    });
    await close();
    expect(states).toEqual(['connected', 'connected', 'closed', 'closed']);
    for (const call of [transport.sessions(), transport.events(id), transport.stop(id)]) {
      expect(await refusalOf(call)).toMatchObject({ code: 'shutting_down', status: 503 });
    }
    const late = new Promise((resolve) => transport.follow(id, { onConnection: resolve }));
    expect(await late).toMatchObject({ state: 'closed', error: { code: 'shutting_down' } });
  });

  it('[API2] [SES10] agents go on after detach(), and the next control room takes them up', async () => {
    const first = await embed();
    const asked = ask(first.transport);
    const { id } = await first.transport.createSession({ agent: 'demo', prompt: 'run echo still here' });
    const { requestId } = await asked;
    await first.detach();

    const second = await embed({ dataDir: first.dataDir });
    expect((await second.transport.pending(id)).map((one) => one.requestId)).toEqual([requestId]);
    await second.transport.approve(id, { requestId, decision: 'allow' });
    await turnEnd(second.transport, id);
    const { events } = await second.transport.events(id);
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool.result', isError: false }));
  });
});
