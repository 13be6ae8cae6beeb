import { existsSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Beckon,
  endBeckons,
  runBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { endWatches, type Frame, watch } from '../support/watch.ts';

const probe = mountSmallDisk(1);
probe?.remove();

let disk: SmallDisk;
let work: string;
beforeEach(async () => {
  work = await temporaryDirectory();
  disk = mountSmallDisk(8) as SmallDisk;
});
afterEach(async () => {
  endWatches();
  await endBeckons();
  disk.remove();
});

const unstored = { status: 503, body: { error: { code: 'storage_unavailable' } } };
const full = { ok: false, problem: 'disk-full', reason: 'The disk is full.' };

const isGoodNews = ({ event, data }: Frame): boolean =>
  event === 'storage-changed' && data.ok && data.room === undefined;

const start = (): Promise<Beckon> => startBeckon({ dataDir: disk.path });
const health = async (beckon: Beckon) => (await beckon.api('GET', '/api/health')).body;
const rename = (beckon: Beckon, title: string) => beckon.api('PATCH', '/api/sessions/s', { title });
const keys = async (beckon: Beckon): Promise<string[]> =>
  (await beckon.api('GET', '/api/sessions')).body.sessions.map(({ key }: { key: string }) => key);
const create = (beckon: Beckon, more: object) =>
  beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: work, ...more });

async function idleSession(beckon: Beckon): Promise<void> {
  await create(beckon, { key: 's', prompt: 'remember hello' });
  await eventually('idle', async () => {
    const { session } = (await beckon.api('GET', '/api/sessions/s')).body;
    return session.status === 'idle' && session.usage.turns > 0;
  });
}

/** The last blocks are in files that are there already: some writes still fit. */
async function fillUp(beckon: Beckon): Promise<void> {
  await eventually('nothing more fits', async () => {
    disk.fill();
    return (await rename(beckon, `filling ${'x'.repeat(400)}`)).status === 503;
  });
}

/** Pairs a browser; gives what it sends, and the device. */
async function pair(beckon: Beckon, code: string) {
  const reply = await fetch(`${beckon.url}/api/pair`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: beckon.url },
    body: JSON.stringify({ code }),
  });
  const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const body = (await reply.json()) as { device: { id: string }; key: string; stored?: boolean };
  return { status: reply.status, body, sends: { cookie, 'x-beckon-key': body.key } };
}

const statusWith = async (beckon: Beckon, sends: Record<string, string>): Promise<number> =>
  (await fetch(`${beckon.url}/api/sessions`, { headers: { ...sends, 'sec-fetch-site': 'same-origin' } }))
    .status;

// A file system of its own can be mounted by root alone.
describe.skipIf(probe === undefined)('[STORE6] a full disk (skipped where none can be mounted)', () => {
  it('is told while the server runs, refuses what cannot be kept, and is over by itself when there is room', async () => {
    const beckon = await start();
    await idleSession(beckon);
    expect(await health(beckon)).toMatchObject({ status: 'ok', storage: { ok: true } });
    const stream = await watch(beckon);
    await fillUp(beckon);

    expect(await health(beckon)).toMatchObject({ status: 'ok', storage: full });
    await stream.until('the news', ({ event, data }) => event === 'storage-changed' && !data.ok);
    expect((await beckon.run(['status'])).stdout).toContain('nothing can be stored: the disk is full');
    expect(beckon.stderr()).toContain('Nothing can be stored');
    expect(await keys(beckon)).toEqual(['s']);

    expect(await create(beckon, { key: 'with-env', env: { KEY: 'x'.repeat(9_000) } })).toMatchObject(
      unstored,
    );
    expect(await keys(beckon)).toEqual(['s']);
    expect(readdirSync(join(disk.path, 'env'))).toEqual([]);

    disk.makeRoom();
    await stream.until('the good news', isGoodNews);
    expect(await health(beckon)).toMatchObject({ storage: { ok: true } });
    expect((await create(beckon, { key: 'with-env', env: { KEY: 'x' } })).status).toBe(201);
  });

  it('a device that is unpaired stays unpaired after a restart; one that cannot be stored is paired until then, and told so', async () => {
    const first = await start();
    const { sends, body } = await pair(first, first.pairingCode);
    await idleSession(first);
    await fillUp(first);
    const { code } = (await first.api('POST', '/api/pairing-code')).body;
    const late = await pair(first, code);
    expect(late).toMatchObject({ status: 200, body: { stored: false } });
    expect(await statusWith(first, late.sends)).toBe(200);

    const removed = await first.api('DELETE', `/api/devices/${body.device.id}`);
    expect(await statusWith(first, sends)).toBe(401);
    await first.kill9();
    const second = await start();
    // what was replied is what is so: 200 only if it is on the disk
    expect([removed.status, await statusWith(second, sends)]).toEqual([200, 401]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'a server starts on it (after %s), shows everything, says that nothing can be stored, and goes on when there is room',
    async (signal) => {
      const first = await start();
      await idleSession(first);
      await fillUp(first);
      disk.makeRoom();
      await rename(first, 'the last title');
      await first.stop(signal);
      rmSync(join(disk.path, 'beckon.db-shm'), { force: true });
      disk.fill();
      const beckon = await start();
      expect(beckon.stderr()).toContain('Nothing can be stored');
      expect(await health(beckon)).toMatchObject({ storage: full });
      const stream = await watch(beckon);
      const { data } = await stream.until('the snapshot', ({ event }) => event === 'snapshot');
      expect(data).toMatchObject({ storage: full, sessions: [{ key: 's', title: 'the last title' }] });
      expect((await beckon.api('GET', '/api/search?q=hello')).body.hits).not.toEqual([]);
      expect((await beckon.api('GET', '/api/sessions/s/events?limit=5')).body.events).toHaveLength(5);
      expect(await rename(beckon, 'x')).toMatchObject(unstored);
      expect(await create(beckon, { prompt: 'hello' })).toMatchObject(unstored);
      const status = await beckon.run(['status']);
      expect(status.stdout).toContain('nothing can be stored: the disk is full');

      disk.makeRoom();
      await stream.until('the good news', isGoodNews);
      expect((await rename(beckon, 'a newer title')).status).toBe(200);
      expect((await health(beckon)).storage).toEqual({ ok: true, missing: [] });
      await eventually('it tells its address', () => existsSync(join(disk.path, 'server.json')));
      await beckon.kill9();
      const last = await start();
      expect((await last.api('GET', '/api/sessions/s')).body.session.title).toBe('a newer title');
    },
  );

  it('an ask that was open is shown, and can be answered when there is room', async () => {
    const first = await start();
    await create(first, { key: 's', prompt: 'run echo hello' });
    const { requestId } = await eventually(
      'the ask',
      async () => (await first.api('GET', '/api/sessions/s/pending')).body.pending[0],
    );
    await first.kill9();
    disk.fill();
    const beckon = await start();
    const approve = () => beckon.api('POST', '/api/sessions/s/approve', { requestId, decision: 'allow' });
    await eventually('nothing more fits', async () => {
      disk.fill();
      return (await rename(beckon, `filling ${'x'.repeat(400)}`)).status === 503;
    });
    expect(await approve()).toMatchObject(unstored);
    disk.makeRoom();
    expect(await eventually('it is taken', async () => (await approve()).status === 200)).toBe(true);
    await eventually('it was delivered', async () => {
      const { interaction } = (await beckon.api('GET', `/api/sessions/s/interactions/${requestId}`)).body;
      return interaction.outcome === 'allowed' && interaction.deliveredAt;
    });
  });

  it('a server that ends on it leaves nothing that the next takes for damage', async () => {
    const first = await start();
    await idleSession(first);
    await first.kill9();
    rmSync(join(disk.path, 'beckon.db-shm'));
    disk.fill();
    const second = await start();
    expect(await second.stop()).toMatchObject({ code: 0 });
    disk.makeRoom();
    const third = await start();
    expect((await health(third)).storage).toEqual({ ok: true, missing: [] });
    expect(await keys(third)).toEqual(['s']);
  });

  it('[STORE7] a damaged write-ahead log is told on it, too, and kept as soon as there is room', async () => {
    const first = await start();
    await idleSession(first);
    await first.kill9();
    const log = join(disk.path, 'beckon.db-wal');
    truncateSync(log, Math.floor(statSync(log).size / 2));
    disk.fill();
    const beckon = await start();
    const before = (await health(beckon)).storage;
    expect(before).toMatchObject({ ...full, missing: [{ cause: 'log-damaged', keptAs: null }] });
    const stream = await watch(beckon);
    disk.makeRoom();
    const { data } = await stream.until('the good news', isGoodNews);
    expect(data.missing).toMatchObject([{ ...before.missing[0], keptAs: expect.any(String) }]);
    expect(readdirSync(disk.path)).toContain(data.missing[0].keptAs);
    expect((await create(beckon, { key: 'next' })).status).toBe(201);
  });

  it('a first start on it fails in one sentence', async () => {
    disk.fill();
    const { code, stderr } = await runBeckon(['serve', '--port', '0', '--data-dir', disk.path, '--no-open']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^beckon: .*no space left|the disk is full/iu);
    expect(stderr).not.toContain('    at ');
  });
});
