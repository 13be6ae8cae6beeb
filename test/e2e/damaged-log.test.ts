import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { endWatches, watch } from '../support/watch.ts';
import { wholeLog } from '../support/whole-log.ts';

afterEach(async () => {
  endWatches();
  await endBeckons();
});

async function says(beckon: Beckon, text: string): Promise<void> {
  const turns = async () => (await beckon.api('GET', '/api/sessions/s')).body.session.usage.turns;
  const before = await turns();
  const { status } = await beckon.api('POST', '/api/sessions/s/message', { message: text });
  expect(status).toBeLessThan(300);
  await eventually('the turn is over', async () => (await turns()) > before);
}

describe('[STORE7] a server that was killed, and whose write-ahead log was damaged before the next', () => {
  it.each([
    ['cut short', (log: string) => truncateSync(log, Math.floor(statSync(log).size / 2))],
    ['removed', (log: string) => rmSync(log)],
  ])(
    '%s: the next says what is missing, in its log, to programs, pages and the terminal, and goes on',
    async (_, damage) => {
      const dataDir = await temporaryDirectory();
      const first = await startBeckon({ dataDir });
      await first.api('POST', '/api/sessions', { agent: 'demo', cwd: dataDir, key: 'early' });
      await first.stop();
      const second = await startBeckon({ dataDir });
      await second.api('POST', '/api/sessions', {
        agent: 'demo',
        cwd: dataDir,
        key: 's',
        prompt: 'remember zero',
      });
      await eventually('idle', async () => {
        const { session } = (await second.api('GET', '/api/sessions/s')).body;
        return session.status === 'idle' && session.usage.turns === 1;
      });
      for (const name of ['one', 'two', 'three']) await says(second, `remember ${name}`);
      await second.kill9();
      damage(join(dataDir, 'beckon.db-wal'));

      const beckon = await startBeckon({ dataDir });
      const { storage } = (await beckon.api('GET', '/api/health')).body;
      expect(storage).toMatchObject({
        ok: true,
        missing: [{ after: expect.any(String), isRestWhole: true }],
      });
      const [{ after, keptAs }] = storage.missing;
      const sentence = `vents after ${after} may be missing: the write-ahead log was`;
      expect(beckon.stderr()).toContain(`E${sentence}`);
      expect((await beckon.run(['status'])).stdout).toContain(`e${sentence}`);
      if (keptAs !== null) expect(readdirSync(dataDir)).toContain(keptAs);
      const stream = await watch(beckon);
      const { data } = await stream.until('the snapshot', ({ event }) => event === 'snapshot');
      expect(data.storage).toEqual(storage);

      const keys = data.sessions.map(({ key }: { key: string }) => key);
      expect(keys).toContain('early');
      for (const key of keys) {
        const log = await wholeLog(beckon, key);
        expect(log.map(({ seq }) => seq)).toEqual(log.map((_event, index) => index + 1));
      }
      if (!keys.includes('s'))
        await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: dataDir, key: 's' });
      await says(beckon, 'remember four');
    },
  );
});
