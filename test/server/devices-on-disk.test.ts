import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { request, startServer } from './running-server.ts';
import { waitUntil } from './wait-until.ts';

async function paired() {
  const started = await startServer();
  const { url, server, dataDir } = started;
  const answer = await request(`${url}/api/pair`, 'POST', { code: server.pairingCode() });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { id } = answer.body.device as { id: string };
  const headers = { cookie, 'x-beckon-key': String(answer.body.key) };
  const statusWith = async () => (await request(`${url}/api/sessions`, 'GET', undefined, headers)).status;
  return { ...started, id, statusWith, file: path.join(dataDir, 'devices.json') };
}

describe('[STORE6] unpairing on a disk that does not take it', () => {
  it('ends access at once, is no success until it is stored, and is tried again until it is', async () => {
    const { call, dataDir, id, statusWith, file } = await paired();
    expect(await statusWith()).toBe(200);
    rmSync(dataDir, { recursive: true });
    for (const _ of ['once', 'again']) {
      const answer = await call('DELETE', `/api/devices/${id}`);
      expect(answer).toMatchObject({ status: 503, body: { error: { code: 'storage_unavailable' } } });
      expect(answer.body.error?.message).toContain('unpaired until the server ends');
      expect(await statusWith()).toBe(401);
    }
    mkdirSync(dataDir);
    await waitUntil(() => existsSync(file) && readFileSync(file, 'utf8').includes('"devices": []'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await call('DELETE', `/api/devices/${id}`)).toMatchObject({ status: 404 });
  });

  it('a caller that asks again when the disk is back is told that it is done', async () => {
    const { call, dataDir, id, file } = await paired();
    rmSync(dataDir, { recursive: true });
    await call('DELETE', `/api/devices/${id}`);
    mkdirSync(dataDir);
    expect(await call('DELETE', `/api/devices/${id}`)).toMatchObject({ status: 200 });
    expect(readFileSync(file, 'utf8')).not.toContain(id);
  });

  it('a browser that is paired meanwhile is told that it is paired until the server ends, and is stored later', async () => {
    const { url, server, dataDir, file } = await paired();
    rmSync(dataDir, { recursive: true });
    const answer = await request(`${url}/api/pair`, 'POST', { code: server.pairingCode() });
    expect(answer).toMatchObject({ status: 200, body: { stored: false } });
    const { id } = answer.body.device as { id: string };
    mkdirSync(dataDir);
    await waitUntil(() => existsSync(file) && readFileSync(file, 'utf8').includes(id));
  });
});
