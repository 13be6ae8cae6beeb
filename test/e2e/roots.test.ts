import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { wholeLog } from '../support/whole-log.ts';

afterEach(endBeckons);

const refused = { status: 422, body: { error: { code: 'directory_not_allowed' } } };

async function place(): Promise<{ dataDir: string; root: string; link: string; outside: string }> {
  const dataDir = await temporaryDirectory();
  const root = await temporaryDirectory();
  const outside = await temporaryDirectory();
  await mkdir(join(root, 'work'));
  await mkdir(join(root, 'other'));
  await symlink(join(root, 'work'), join(root, 'link'));
  await allow(dataDir, root);
  return { dataDir, root, link: join(root, 'link'), outside };
}

const allow = (dataDir: string, ...roots: string[]): Promise<void> =>
  writeFile(join(dataDir, 'config.json'), JSON.stringify({ roots }));

async function swap(link: string, target: string): Promise<void> {
  await symlink(target, `${link}.new`);
  await rename(`${link}.new`, link);
}

const create = (beckon: Beckon, cwd: string, more: object = {}) =>
  beckon.api('POST', '/api/sessions', { agent: 'demo', cwd, key: 's', ...more });

const session = async (beckon: Beckon) => (await beckon.api('GET', '/api/sessions/s')).body.session;

const statusIs = (beckon: Beckon, status: string) =>
  eventually(`the session is ${status}`, async () => (await session(beckon)).status === status);

const processes = async (beckon: Beckon): Promise<number> =>
  (await wholeLog(beckon, 's')).filter(({ type }) => type === 'process.ready').length;

describe('[SEC4] a directory is checked by its real path, at every start', () => {
  it('the agent works in the directory that was checked, and the session tells it beside the path that was given', async () => {
    const { dataDir, root, link } = await place();
    const beckon = await startBeckon({ dataDir });
    const { body } = await create(beckon, link, { permissionMode: 'acceptEdits' });
    expect(body.session).toMatchObject({ cwd: link, realCwd: join(root, 'work') });
    await statusIs(beckon, 'idle');
    const message = 'write here.txt';
    await beckon.api('POST', '/api/sessions/s/message', { message });
    await eventually('the file', () => readFile(join(root, 'work', 'here.txt'), 'utf8').catch(() => false));
  });

  it.each(['outside', 'other'])(
    'a link that leads elsewhere (%s) since then is refused by a resume',
    async (where) => {
      const { dataDir, root, link, outside } = await place();
      const beckon = await startBeckon({ dataDir });
      await create(beckon, link);
      await statusIs(beckon, 'idle');
      await beckon.api('POST', '/api/sessions/s/stop');
      await swap(link, where === 'outside' ? outside : join(root, 'other'));
      const reply = await beckon.api('POST', '/api/sessions/s/resume');
      expect(reply).toMatchObject(refused);
      expect(reply.body.error.message).toContain(link);
      expect(await session(beckon)).toMatchObject({ status: 'stopped' });
      await swap(link, join(root, 'work'));
      expect((await beckon.api('POST', '/api/sessions/s/resume')).status).toBe(200);
    },
  );

  it('a message does not wake an agent in a directory that is no longer allowed: the session fails in words, and the message stays queued', async () => {
    const { dataDir, root, link } = await place();
    const first = await startBeckon({ dataDir });
    await create(first, link);
    await statusIs(first, 'idle');
    await first.stop();
    await allow(dataDir, join(root, 'other'));
    const beckon = await startBeckon({ dataDir });
    await beckon.api('POST', '/api/sessions/s/message', { message: 'hello' });
    await statusIs(beckon, 'failed');
    expect(await session(beckon)).toMatchObject({
      failure: { reason: expect.stringContaining('lies outside the configured roots') },
      queueLength: 1,
    });
    expect(await processes(beckon)).toBe(1);
    expect(await beckon.api('POST', '/api/sessions/s/resume')).toMatchObject(refused);
  });

  it('a directory that is gone is told as such', async () => {
    const { dataDir, root, link } = await place();
    const beckon = await startBeckon({ dataDir });
    await create(beckon, link);
    await statusIs(beckon, 'idle');
    await beckon.api('POST', '/api/sessions/s/stop');
    await rm(join(root, 'work'), { recursive: true });
    expect(await beckon.api('POST', '/api/sessions/s/resume')).toMatchObject({
      status: 422,
      body: { error: { code: 'directory_not_found' } },
    });
  });
});
