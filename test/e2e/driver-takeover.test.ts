import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { programsIn } from '../support/guide-programs.ts';
import { watch } from '../support/watch.ts';

afterEach(endBeckons);

test('[API13] an agent of somebody else’s driver outlives a killed server, and the next one’s Allow reaches it', async () => {
  const folder = await temporaryDirectory();
  const dataDir = await temporaryDirectory();
  const program = join(folder, 'my-agent.mjs');
  const agent = programsIn('docs/writing-a-driver.md').find(({ file }) => file === 'my-agent.js');
  writeFileSync(program, agent?.text ?? '');
  const driver = resolve(import.meta.dirname, '../fixtures/drivers/keeping-driver.ts');
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ agents: { keeping: { driver, program } } }));
  const args = ['--config', join(folder, 'config.json')];

  const first = await startBeckon({ args, dataDir });
  const news = await watch(first);
  const made = await first.api('POST', '/api/sessions', {
    agent: 'keeping',
    cwd: folder,
    prompt: 'run touch made',
  });
  const { data } = await news.until('an ask', ({ event }) => event === 'approval-requested');
  news.close();
  await first.kill9();

  const second = await startBeckon({ args, dataDir });
  const { id } = made.body.session;
  expect(existsSync(join(folder, 'made'))).toBe(false);
  const reply = await second.api('POST', `/api/sessions/${id}/approve`, {
    requestId: data.requestId,
    decision: 'allow',
  });
  expect(reply.body).toMatchObject({ interaction: { outcome: 'allowed' } });
  await eventually('the file is there', () => existsSync(join(folder, 'made')));
  const events = await eventually('the turn is over', async () => {
    const { body } = await second.api('GET', `/api/sessions/${id}/events`);
    const types: string[] = body.events.map(({ type }: { type: string }) => type);
    return types.includes('turn.ended') && types;
  });
  expect(events.filter((type) => type === 'process.starting')).toHaveLength(1);
  expect(events.filter((type) => type === 'interaction.requested')).toHaveLength(1);
});
