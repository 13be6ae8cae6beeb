import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { HttpTransport } from '../../src/client/index.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { drilledAgent } from '../support/drilled-agent.ts';
import { eventually } from '../support/eventually.ts';

afterEach(endBeckons);

const asks = 40;

/** The pages in the write-ahead log since it was begun anew, as SQLite keeps them in the memory it shares. */
const pagesOf = ({ dataDir }: Beckon): number =>
  readFileSync(join(dataDir, 'beckon.db-shm')).readUInt32LE(16);

it('[PERF6] an ask, its answer and its result are few pages and few announcements', async () => {
  const beckon = await startBeckon({ args: ['--claude', drilledAgent(await temporaryDirectory())] });
  const { url: baseUrl, token } = beckon;
  const transport = new HttpTransport({ baseUrl, token });
  const heard: string[] = [];
  let turns = 0;
  const leave = transport.subscribe({
    onAnnouncement({ type, data }) {
      heard.push(type);
      if (type === 'session-updated') turns = data.usage.turns;
      if (type === 'approval-requested')
        void transport.approve(data.sessionId, { requestId: data.requestId, decision: 'allow' });
    },
  });
  const cwd = await temporaryDirectory();
  const { id } = await transport.createSession({ agent: 'claude', cwd });
  const play = async (count: number): Promise<void> => {
    const before = turns;
    await transport.sendMessage(id, { message: `!pace ${count} 25` });
    await eventually('the turn has ended', () => turns > before);
  };
  await play(2);

  const before = pagesOf(beckon);
  heard.length = 0;
  await play(asks);
  const after = pagesOf(beckon);
  leave();

  expect(heard.filter((type) => type === 'approval-requested')).toHaveLength(asks);
  expect(heard.filter((type) => type === 'approval-resolved')).toHaveLength(asks);
  // So few pages are not begun anew in between.
  expect(after).toBeGreaterThan(before);
  expect((after - before) / asks).toBeLessThan(13);
  expect(heard.length / asks).toBeLessThan(7);
});
